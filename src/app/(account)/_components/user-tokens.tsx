import { KeyRound } from 'lucide-react'
import { roleLabel } from '@/core/auth/roles'
import type { UserTabProps } from '@/core/module-ui'
import { RelativeTime } from '@/core/ui/relative-time'
import { Badge, EmptyState, TitledCard } from '@/core/ui/surface'
import { listTokens } from '../tokens'

/** The API tokens of a user, for admins. The tokens themselves are not stored, so there is nothing more to see. */
export async function UserTokens({ userId }: Pick<UserTabProps, 'userId'>) {
  const tokens = await listTokens(userId)
  if (tokens.length === 0)
    return (
      <EmptyState icon={KeyRound} title="No API tokens yet">
        API tokens that this user creates appear here.
      </EmptyState>
    )
  return (
    <TitledCard title="API tokens">
      <ul className="divide-y pt-2">
        {tokens.map(({ id, name, role, createdAt, expiresAt, lastUsedAt, isExpired }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4.5 py-3">
            <div className="min-w-0 flex-1 basis-48">
              <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium text-sm">
                <span className="wrap-anywhere">{name}</span>
                <Badge>{roleLabel(role)}</Badge>
                {isExpired && <Badge tone="danger">Expired</Badge>}
              </p>
              <p className="text-muted-foreground text-xs">
                Created <RelativeTime at={createdAt} /> · {isExpired ? 'Expired' : 'Expires'}{' '}
                <RelativeTime at={expiresAt} />
              </p>
            </div>
            <p className="text-muted-foreground text-xs">
              {lastUsedAt ? 'Last used ' : 'Never used'}
              {lastUsedAt && <RelativeTime at={lastUsedAt} />}
            </p>
          </li>
        ))}
      </ul>
    </TitledCard>
  )
}
