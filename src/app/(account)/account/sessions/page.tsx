import type { Route } from 'next'
import { headers } from 'next/headers'
import Link from 'next/link'
import { signedIn } from '@/core/auth/policy'
import { requirePermission } from '@/core/auth/session/actor'
import { getClientInfo } from '@/core/http/client-ip'
import { buttonVariants } from '@/core/ui/button'
import { DeviceIcon } from '@/core/ui/device-icon'
import { RelativeTime } from '@/core/ui/relative-time'
import { IconTile, SettingsPage } from '@/core/ui/settings-page'
import { Badge } from '@/core/ui/surface'
import { Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { describeNetwork, describeUserAgent } from '@/core/ui/user-agent'
import { findSessions } from '../../sessions'

export const metadata = { title: 'Sessions' }

export default async function SessionsPage() {
  const actor = await requirePermission(signedIn, '/account/sessions')
  const [sessions, head] = await Promise.all([findSessions(actor.id), headers()])
  const currentIp = getClientInfo(head).ip ?? null
  return (
    <SettingsPage title="Sessions" lead="Where you’re signed in. Sign out any you don’t recognize.">
      <Table label="Sessions" isList>
        <TableHead>
          <tr>
            <TableHeading>Session</TableHeading>
            <TableHeading>Last active</TableHeading>
            <TableHeading>
              <span className="sr-only">Action</span>
            </TableHeading>
          </tr>
        </TableHead>
        <TableBody>
          {sessions.map(({ id, isCurrent, isImpersonation, userAgent, ip, lastSeenAt }) => (
            <TableRow key={id}>
              <TableCell className="py-2.5 max-sm:col-span-2">
                <span className="flex items-center gap-3.5">
                  <IconTile>
                    <DeviceIcon userAgent={userAgent} />
                  </IconTile>
                  <span className="min-w-0">
                    <span className="flex flex-wrap items-center gap-x-2 font-medium">
                      {describeUserAgent(userAgent)}
                      {isImpersonation && <Badge tone="warning">Impersonated by an admin</Badge>}
                      {isCurrent && <Badge tone="success">This session</Badge>}
                    </span>
                    <span className="wrap-anywhere block text-[0.8125rem] text-muted-foreground">
                      {describeNetwork(ip, currentIp)}
                    </span>
                  </span>
                </span>
              </TableCell>
              <TableCell className="text-muted-foreground max-sm:col-span-2">
                <span className="whitespace-nowrap max-sm:ps-12.5 max-sm:text-[0.8125rem]">
                  <span className="sm:hidden">Last active </span>
                  <RelativeTime at={lastSeenAt} />
                </span>
              </TableCell>
              <TableCell className="max-sm:col-start-3 max-sm:row-span-2 max-sm:row-start-1">
                {!isCurrent && (
                  <span className="grid justify-items-end">
                    <Link
                      href={`/account/sessions/${id}/sign-out` as Route}
                      prefetch={false}
                      scroll={false}
                      className={buttonVariants({ variant: 'outline', size: 'small' })}
                    >
                      Sign out…<span className="sr-only"> of {describeUserAgent(userAgent)}</span>
                    </Link>
                  </span>
                )}
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
      {sessions.length > 1 && (
        <Link
          href="/account/sessions/sign-out"
          prefetch={false}
          scroll={false}
          className={buttonVariants({ variant: 'outline', className: 'justify-self-start' })}
        >
          Sign out all other sessions…
        </Link>
      )}
    </SettingsPage>
  )
}
