'use client'

import { Ellipsis, Plus, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Result } from '@/core/action'
import { Button, buttonVariants } from '@/core/ui/button'
import { Dialog, DialogClose, DialogContent, DialogFooter, DialogTrigger } from '@/core/ui/dialog'
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/core/ui/dropdown-menu'
import { ActionForm, Field, FormMessage, SelectField, SubmitButton } from '@/core/ui/form'
import { Checkbox, Input, Label, Select, Textarea } from '@/core/ui/input'
import { Alert, Avatar, alertVariants, Badge, Card, EmptyState, Separator, Skeleton } from '@/core/ui/surface'
import { Switch } from '@/core/ui/switch'
import { Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/core/ui/tabs'
import { Toaster, toast } from '@/core/ui/toast'
import { Tooltip } from '@/core/ui/tooltip'

const tokens = [
  'background',
  'card',
  'muted',
  'secondary',
  'accent',
  'primary',
  'destructive',
  'success',
  'warning',
  'border',
  'input',
  'ring',
  'chart-1',
  'chart-2',
  'chart-3',
  'chart-4',
  'chart-5',
]

function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = title.toLowerCase().replaceAll(' ', '-')
  return (
    <section aria-labelledby={id} className="grid gap-4">
      <h2 id={id} className="border-b pb-2 font-semibold text-xl">
        {title}
      </h2>
      {children}
    </section>
  )
}

/** Stands in for a server action, to show a refused form. */
async function refuse(_: Result<null> | null, form: FormData): Promise<Result<null>> {
  const email = String(form.get('email'))
  const fields = email.includes('@') ? undefined : { email: ['Enter an address with an @ in it'] }
  return {
    ok: false,
    error: {
      code: fields ? 'invalid_input' : 'conflict',
      message: 'Somebody else changed this in the meantime',
      ...(fields && { fields }),
    },
    kept: { email, notices: String(form.get('notices')) },
  }
}

export function Showcase() {
  return (
    <>
      <Section title="Colours">
        <ul className="grid grid-cols-2 gap-3 sm:grid-cols-4">
          {tokens.map((token) => (
            <li key={token} className="flex items-center gap-3 text-sm">
              <span className="size-10 rounded-md border" style={{ background: `var(--${token})` }} />
              {token}
            </li>
          ))}
        </ul>
      </Section>

      <Section title="Type">
        <div className="grid gap-2">
          <p className="font-semibold text-4xl tracking-tight">Start on solid ground</p>
          <p className="font-semibold text-2xl">A heading for a section</p>
          <p>Body text in Geist, at a length that is comfortable to read on any screen.</p>
          <p className="text-muted-foreground text-sm">Quieter text for what comes second.</p>
          <p className="font-mono text-sm">npm run dev</p>
        </div>
      </Section>

      <Section title="Buttons">
        <div className="flex flex-wrap items-center gap-3">
          <Button>
            <Plus aria-hidden="true" />
            Primary
          </Button>
          <Button variant="secondary">Secondary</Button>
          <Button variant="outline">Outline</Button>
          <Button variant="ghost">Ghost</Button>
          <Button variant="destructive">
            <Trash2 aria-hidden="true" />
            Delete Ada
          </Button>
          <Button variant="link">Link</Button>
          <Button disabled>Disabled</Button>
          <Button size="small">Small</Button>
          <Button size="large">Large</Button>
        </div>
      </Section>

      <Section title="Form">
        <div className="grid gap-8 sm:grid-cols-2">
          <ActionForm action={refuse} className="grid content-start gap-4">
            <FormMessage className={alertVariants({ tone: 'danger' })} />
            <Field
              label="E-mail"
              name="email"
              hint="Send it without an @ to see an error, with one to see a refusal."
              defaultValue="ada"
            />
            <SelectField label="Notices" name="notices" defaultValue="daily">
              <option value="daily">Every day</option>
              <option value="never">Never</option>
            </SelectField>
            <SubmitButton className={buttonVariants()}>Save</SubmitButton>
          </ActionForm>
          <div className="grid content-start gap-4">
            <div className="grid gap-1.5">
              <Label htmlFor="show-name">Name</Label>
              <Input id="show-name" defaultValue="Ada Admin" />
            </div>
            <div className="grid gap-1.5">
              <Label htmlFor="show-role">Role</Label>
              <Select id="show-role" defaultValue="editor">
                <option value="viewer">Viewer</option>
                <option value="editor">Editor</option>
                <option value="admin">Admin</option>
              </Select>
            </div>
            <div className="grid gap-1.5">
              <Label htmlFor="show-note">Note</Label>
              <Textarea id="show-note" placeholder="Anything worth knowing" />
            </div>
            <div className="flex items-center gap-3">
              <Checkbox id="show-terms" defaultChecked />
              <Label htmlFor="show-terms">Sign out my other devices</Label>
            </div>
            <div className="flex items-center gap-3">
              <Switch id="show-notices" defaultChecked aria-label="Notices by e-mail" />
              <Label htmlFor="show-notices">Notices by e-mail</Label>
            </div>
          </div>
        </div>
      </Section>

      <Section title="Messages">
        <div className="grid gap-3">
          <Alert title="For your information">The export will be ready in a few minutes.</Alert>
          <Alert tone="success" title="Saved">
            Your name was changed.
          </Alert>
          <Alert tone="warning" title="Almost">
            Confirm your address to finish.
          </Alert>
          <Alert tone="danger" title="That did not work">
            The link has expired. Ask for a new one.
          </Alert>
          <div className="flex flex-wrap gap-2">
            <Badge>viewer</Badge>
            <Badge tone="success">active</Badge>
            <Badge tone="warning">invited</Badge>
            <Badge tone="danger">suspended</Badge>
          </div>
        </div>
      </Section>

      <Section title="Overlays">
        <div className="flex flex-wrap gap-3">
          <Dialog>
            <DialogTrigger asChild>
              <Button variant="outline">Open a dialog</Button>
            </DialogTrigger>
            <DialogContent
              title="Suspend Victor Viewer?"
              description="Every session of his ends now. You can restore him later."
            >
              <DialogFooter>
                <DialogClose asChild>
                  <Button variant="outline">Keep him</Button>
                </DialogClose>
                <DialogClose asChild>
                  <Button variant="destructive">Suspend Victor</Button>
                </DialogClose>
              </DialogFooter>
            </DialogContent>
          </Dialog>
          <DropdownMenu>
            <DropdownMenuTrigger asChild>
              <Button variant="outline" size="icon" aria-label="More">
                <Ellipsis aria-hidden="true" />
              </Button>
            </DropdownMenuTrigger>
            <DropdownMenuContent>
              <DropdownMenuLabel>Victor Viewer</DropdownMenuLabel>
              <DropdownMenuItem>Change the role</DropdownMenuItem>
              <DropdownMenuItem>End all sessions</DropdownMenuItem>
              <DropdownMenuSeparator />
              <DropdownMenuItem>Suspend</DropdownMenuItem>
            </DropdownMenuContent>
          </DropdownMenu>
          <Tooltip hint="Appears on hover and on focus">
            <Button variant="outline">Tooltip</Button>
          </Tooltip>
          <Button variant="outline" onClick={() => toast('The export is ready')}>
            Show a toast
          </Button>
        </div>
        <Toaster />
      </Section>

      <Section title="Tabs">
        <Tabs defaultValue="overview">
          <TabsList>
            <TabsTrigger value="overview">Overview</TabsTrigger>
            <TabsTrigger value="sessions">Sessions</TabsTrigger>
          </TabsList>
          <TabsContent value="overview">Facts about one person.</TabsContent>
          <TabsContent value="sessions">Where they are signed in.</TabsContent>
        </Tabs>
      </Section>

      <Section title="Table">
        <Table label="People">
          <TableHead>
            <tr>
              <TableHeading>Name</TableHeading>
              <TableHeading aria-sort="ascending">E-mail</TableHeading>
              <TableHeading>Role</TableHeading>
              <TableHeading>Joined</TableHeading>
            </tr>
          </TableHead>
          <TableBody>
            {[
              ['Ada Admin', 'admin@example.com', 'admin'],
              ['Edith Editor', 'editor@example.com', 'editor'],
            ].map(([name = '', email, role]) => (
              <TableRow key={email}>
                <TableCell>
                  <span className="flex items-center gap-3">
                    <Avatar name={name} />
                    {name}
                  </span>
                </TableCell>
                <TableCell>{email}</TableCell>
                <TableCell>
                  <Badge>{role}</Badge>
                </TableCell>
                <TableCell className="whitespace-nowrap">15 November 2026</TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </Section>

      <Section title="Surfaces">
        <div className="grid gap-4 sm:grid-cols-2">
          <Card>A card holds one thing.</Card>
          <Card className="grid content-start gap-3">
            <Skeleton className="h-4 w-2/3" />
            <Skeleton className="h-4 w-full" />
          </Card>
        </div>
        <Separator />
        <EmptyState title="No invitations yet" action={<Button size="small">Invite somebody</Button>}>
          People you invite appear here until they accept.
        </EmptyState>
      </Section>
    </>
  )
}
