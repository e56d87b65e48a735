import { ChevronDown } from 'lucide-react'
import { roleLabel } from '@/core/auth/roles'
import { seedUsers } from '@/core/db/seed-users'
import { Menu, MenuButton } from '@/core/ui/menu'
import { findDevPages } from './find-dev-pages'
import { countUnread } from './inbox/inbox-folder'
import { UnreadCount } from './unread-count'

const itemClass = 'flex h-7 items-center gap-1.5 hover:underline'

/** At the bottom of every page in development: signs in as another user with one click, and leads to the pages for developers. */
export async function DevelopmentBar() {
  const unread = await countUnread()
  return (
    <aside
      aria-label="Development"
      className="fixed inset-x-0 bottom-2 z-40 mx-auto flex h-7 w-max items-center gap-3.5 rounded-full bg-popover px-3.5 text-xs shadow-e2 print:hidden"
    >
      <a href="/welcome" className={`${itemClass} max-sm:hidden`}>
        Getting started
      </a>
      <Menu
        id="development-users"
        label="Users"
        isNamedByTrigger
        trigger={
          <>
            Users
            <ChevronDown aria-hidden="true" className="size-3" />
          </>
        }
        position="above"
        triggerClassName={itemClass}
      >
        {/* Without a target page: it returns to the page that the bar is on. */}
        <form method="post" action="/dev/sign-in">
          {seedUsers.map(({ email, name, role }) => (
            <MenuButton key={email} name="email" value={email} hint={roleLabel(role)}>
              {name}
            </MenuButton>
          ))}
        </form>
      </Menu>
      <a href="/dev/inbox" className={itemClass}>
        Inbox
        <UnreadCount initial={unread} />
      </a>
      {findDevPages()
        .filter(({ href }) => href !== '/dev/inbox')
        .map(({ href, label }) => (
          <a key={href} href={href} className={`${itemClass} max-sm:hidden`}>
            {label}
          </a>
        ))}
    </aside>
  )
}
