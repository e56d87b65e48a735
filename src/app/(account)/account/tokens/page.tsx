import { Ellipsis, KeyRound, X } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import { signedIn } from '@/core/auth/policy'
import { roleLabel } from '@/core/auth/roles'
import { requirePermission } from '@/core/auth/session/actor'
import { buttonVariants } from '@/core/ui/button'
import { Menu, menuItemClass } from '@/core/ui/menu'
import { RelativeTime } from '@/core/ui/relative-time'
import { SettingsPage } from '@/core/ui/settings-page'
import { Badge, EmptyState } from '@/core/ui/surface'
import { Table, TableBody, TableCell, TableHead, TableHeading, TableRow } from '@/core/ui/table'
import { TokenExample } from '../../_components/token-example'
import { listTokens } from '../../tokens'

export const metadata = { title: 'API tokens' }

const weekMs = 7 * 24 * 60 * 60_000

export default async function TokensPage() {
  const actor = await requirePermission(signedIn, '/account/tokens')
  const tokens = await listTokens(actor.id)
  return (
    <SettingsPage
      title="API tokens"
      lead="Use API tokens in scripts and integrations. A token can never do more than you can, and keeps working after a password change."
    >
      {tokens.length === 0 ? (
        <EmptyState
          icon={KeyRound}
          title="No API tokens yet"
          action={
            <div className="grid justify-items-center gap-4">
              <TokenExample />
              <CreateLink />
            </div>
          }
        >
          Create one and send it with each request:
        </EmptyState>
      ) : (
        <>
          <div className="flex flex-wrap items-center justify-between gap-3">
            <h2 className="font-[550] text-sm">Your tokens</h2>
            <CreateLink />
          </div>
          <Table label="Your tokens" isList>
            <TableHead>
              <tr>
                <TableHeading>Name</TableHeading>
                <TableHeading>Role</TableHeading>
                <TableHeading>Last used</TableHeading>
                <TableHeading>Expires</TableHeading>
                <TableHeading className="w-12">
                  <span className="sr-only">Actions</span>
                </TableHeading>
              </tr>
            </TableHead>
            <TableBody>
              {tokens.map((token) => (
                <Token key={token.id} {...token} />
              ))}
            </TableBody>
          </Table>
        </>
      )}
    </SettingsPage>
  )
}

const CreateLink = () => (
  <Link href="/account/tokens/new" prefetch={false} scroll={false} className={buttonVariants()}>
    Create token
  </Link>
)

/** On phones, the cells of a token stand below each other, beside the menu. */
function Token({
  id,
  name,
  role,
  createdAt,
  expiresAt,
  lastUsedAt,
  isExpired,
}: Awaited<ReturnType<typeof listTokens>>[number]) {
  const isExpiringSoon = !isExpired && expiresAt.getTime() - Date.now() < weekMs
  return (
    <TableRow>
      <TableCell className="py-2 max-sm:col-span-2">
        <span className="wrap-anywhere block font-medium">{name}</span>
        <span className="block text-[0.8125rem] text-muted-foreground">
          Created <RelativeTime at={createdAt} />
        </span>
      </TableCell>
      <TableCell className="max-sm:col-span-2">
        <Badge>{roleLabel(role)}</Badge>
      </TableCell>
      <TableCell className="whitespace-nowrap text-muted-foreground max-sm:col-span-2">
        {lastUsedAt ? <span className="sm:hidden">Last used </span> : 'Never used'}
        {lastUsedAt && <RelativeTime at={lastUsedAt} />}
      </TableCell>
      <TableCell className="whitespace-nowrap text-muted-foreground max-sm:col-span-2">
        {isExpired ? (
          <Badge tone="danger">Expired</Badge>
        ) : (
          <span className={isExpiringSoon ? 'text-warning-text' : undefined}>
            <span className="sm:hidden">Expires </span>
            <RelativeTime at={expiresAt} />
          </span>
        )}
      </TableCell>
      <TableCell className="max-sm:col-start-3 max-sm:row-span-4 max-sm:row-start-1">
        <Menu
          id={`token-${id}`}
          label={`Actions for ${name}`}
          trigger={<Ellipsis aria-hidden="true" />}
          triggerClassName={buttonVariants({ variant: 'ghost', size: 'icon', className: 'max-sm:size-11' })}
        >
          <Link
            href={`/account/tokens/${id}/revoke` as Route}
            prefetch={false}
            scroll={false}
            className={menuItemClass({ isDanger: true })}
          >
            <X aria-hidden="true" strokeWidth={1.75} />
            Revoke…
          </Link>
        </Menu>
      </TableCell>
    </TableRow>
  )
}
