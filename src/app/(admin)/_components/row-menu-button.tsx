import { isAdminRole } from '@/core/auth/roles'
import type { UserRow } from '../list-users'
import { RowIcon } from './row-icon'
import { rowMenuId } from './row-menu-id'

/**
 * Opens the menu of a user in the list. All rows share one `UserRowMenu`, which reads these attributes: a menu in each row would
 * be most of the page. Without JavaScript the button is hidden; the user’s page has the same actions.
 */
export function RowMenuButton({
  user: { id, name, role, status },
  isSelf,
}: {
  user: Pick<UserRow, 'id' | 'name' | 'role' | 'status'>
  isSelf: boolean
}) {
  return (
    <button
      type="button"
      popoverTarget={rowMenuId}
      aria-label={`Actions for ${name}`}
      data-slot="menu-button"
      data-row-menu=""
      data-user={id}
      data-is={`${status}${isAdminRole(role) ? ' admin' : ''}${isSelf ? ' self' : ''}`}
    >
      <RowIcon name="more" />
    </button>
  )
}
