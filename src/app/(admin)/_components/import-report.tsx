import { ActionForm, FormMessage, SubmitButton } from '@/core/ui/form'
import { findReauthentication, Reauthenticate } from '@/core/ui/reauthenticate'
import { Stat } from '@/core/ui/stat'
import { Alert, Card } from '@/core/ui/surface'
import type { Import } from '../_import/imports'
import { describeRoles, type RoleCount } from '../_import/roles'
import { cancelUserImport, startUserImport } from '../actions'

const format = (count: number) => count.toLocaleString('en')
const users = (count: number) => `${format(count)} ${count === 1 ? 'user' : 'users'}`

/** What the import will do, or has done. `roles` are known before it starts. */
export function Summary({ found, roles }: { found: Import; roles: RoleCount[] }) {
  const { status, total, withHash, problems, imported, invited } = found
  const isAhead = status === 'ready' || status === 'reading'
  const figures = isAhead
    ? [
        { label: 'To import', value: withHash },
        { label: 'To invite', value: total - problems - withHash },
        { label: 'To skip', value: problems },
      ]
    : [
        { label: 'Imported', value: imported },
        { label: 'Invited', value: invited },
        { label: 'Skipped', value: problems },
      ]
  const roleText = describeRoles(roles)
  return (
    <div className="grid grid-cols-1 gap-3 sm:grid-cols-3">
      {figures.map(({ label, value }) => (
        <Stat key={label} label={label} value={format(value)} />
      ))}
      {roleText && <p className="text-sm sm:col-span-3">Roles: {roleText}</p>}
    </div>
  )
}

/** Starts the import after the dry run. The caller has checked the permission; the action checks it again. */
export async function StartImport({ found, roles, path }: { found: Import; roles: RoleCount[]; path: string }) {
  const { id, total, problems } = found
  const count = total - problems
  if (count === 0) return <Alert tone="warning">No row can be imported. Fix the file and upload it again.</Alert>
  const reauthentication = await findReauthentication()
  const canStart = reauthentication !== null && (reauthentication.isReauthenticated || reauthentication.isInline)
  return (
    <Card>
      <ActionForm action={startUserImport} className="grid justify-items-start gap-3">
        <FormMessage />
        <input type="hidden" name="id" value={id} />
        <p className="text-muted-foreground text-sm">
          Nothing has changed yet. Users with a password hash can sign in with their old password. The others get an
          invitation by email.
        </p>
        {reauthentication && <Reauthenticate state={reauthentication} path={path} />}
        {canStart && (
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
            <SubmitButton>Import {users(count)}</SubmitButton>
            <p className="text-sm">{describeRoles(roles)}</p>
          </div>
        )}
      </ActionForm>
    </Card>
  )
}

/** How far a running import is. The page refreshes itself. */
export function Progress({ found: { total, problems, imported, invited } }: { found: Import }) {
  const done = imported + invited + problems
  return (
    <Card>
      <div className="grid gap-2">
        <progress aria-label="Progress of the import" value={done} max={total} className="w-full" />
        <p className="text-muted-foreground text-sm tabular-nums">
          {format(done)} of {format(total)} rows. You can leave this page; the import goes on.
        </p>
      </div>
    </Card>
  )
}

/** Discards an import that was not started, or stops one that is running. */
export const CancelImport = ({ found: { id, status } }: { found: Import }) => (
  <ActionForm action={cancelUserImport} className="grid justify-items-start gap-3">
    <FormMessage />
    <input type="hidden" name="id" value={id} />
    {status === 'running' && (
      <p className="text-muted-foreground text-sm">Users who are imported or invited already stay.</p>
    )}
    <SubmitButton variant="outline">{status === 'running' ? 'Cancel import' : 'Discard'}</SubmitButton>
  </ActionForm>
)
