import { Ban, CircleCheck, Ellipsis, LogOut, ShieldHalf, Trash2, UserRound } from 'lucide-react'
import { Button, buttonVariants } from '@/core/ui/button'
import { DisabledMenuItem, Menu, MenuButton, MenuSeparator, menuItemClass } from '@/core/ui/menu'
import { Example, Section } from './example'

export function Overlays() {
  return (
    <Section title="Overlays">
      <Example
        name="Menu"
        code={
          '<Menu id="row-menu" label="Actions for Victor" trigger={<Ellipsis />}>\n  <Link href="…" className={menuItemClass()}>View profile</Link>\n  <form action={…}><MenuButton icon={LogOut}>Sign out everywhere</MenuButton></form>\n</Menu>'
        }
      >
        <Menu
          id="example-menu"
          label="Actions for Victor Viewer"
          position="below start"
          trigger={<Ellipsis aria-hidden="true" />}
          triggerClassName={buttonVariants({ variant: 'outline', size: 'icon' })}
        >
          <a href="#overlays" className={menuItemClass()}>
            <UserRound aria-hidden="true" strokeWidth={1.75} />
            View profile
          </a>
          <MenuButton type="button" icon={ShieldHalf}>
            Change role…
          </MenuButton>
          <MenuButton type="button" icon={LogOut} hint="S">
            Sign out everywhere
          </MenuButton>
          <MenuSeparator />
          <DisabledMenuItem icon={Ban} reason="Last admin: promote someone first">
            Suspend…
          </DisabledMenuItem>
          <MenuButton type="button" icon={Trash2} isDanger>
            Delete…
          </MenuButton>
        </Menu>
      </Example>
      <Example
        name="Dialog (the look; a dialog is a page of its own)"
        code={'<dialog data-slot="dialog" aria-labelledby="title">…</dialog>'}
      >
        <dialog
          open
          data-slot="dialog"
          aria-labelledby="example-dialog"
          style={{ position: 'static', maxWidth: '100%' }}
        >
          <div className="grid gap-2 p-5">
            <h4 id="example-dialog" className="font-semibold text-base">
              Suspend Victor Viewer?
            </h4>
            <p className="text-muted-foreground text-sm">
              They’ll be signed out everywhere. You can restore them later.
            </p>
            <form method="dialog" className="mt-3 flex flex-wrap justify-end gap-2">
              <Button type="submit" variant="outline">
                Cancel
              </Button>
              <Button type="submit" variant="destructive">
                Suspend Victor
              </Button>
            </form>
          </div>
        </dialog>
      </Example>
      <Example
        name="Toast (the look; it stands at the end of the page)"
        code={'<div role="status" data-slot="toast">Saved</div>'}
      >
        <div role="status" data-slot="toast" style={{ position: 'static', width: 'max-content', maxWidth: '100%' }}>
          <CircleCheck aria-hidden="true" className="size-4 text-success-text" />
          User suspended
          <Button variant="ghost" size="small">
            Undo
          </Button>
        </div>
      </Example>
      <Example name="Tooltip" code={'<Button size="icon" aria-label="More" data-tooltip="">'}>
        <Button variant="outline" size="icon" aria-label="Shown on hover and focus" data-tooltip="">
          <Ellipsis aria-hidden="true" />
        </Button>
      </Example>
    </Section>
  )
}
