// Imported by scripts in plain Node and by client components: it imports nothing.

interface RoleDefinition {
  /** In the database, in policies and in the API. */
  name: string
  label: string
  /** What users with it can do, for the admin who chooses a role. */
  meaning: string
  icon: 'eye' | 'pencil' | 'shield' | 'user'
  /** Seconds. A session ends after `idle` without a request, and after `absolute` in any case. */
  session: { idle: number; absolute: number }
  /** Whether a deployment that requires two-factor authentication of admins requires it of this role, too. */
  needsTwoFactor: boolean
  /** The name of the seeded user of development, whose email is `<role>@example.com`. */
  seedUser: string
}

const day = 24 * 60 * 60

/**
 * The roles, from the lowest to the highest. An API token may have a lower role than its owner. What a role may do is in the
 * `policy.ts` of each module. After a change, `npm run db:generate -- core roles` generates the migration. See docs/recipes.md.
 */
export const roleTable = [
  {
    name: 'viewer',
    label: 'Viewer',
    meaning: 'Can view content',
    icon: 'eye',
    session: { idle: 7 * day, absolute: 30 * day },
    needsTwoFactor: false,
    seedUser: 'Victor Viewer',
  },
  {
    name: 'editor',
    label: 'Editor',
    meaning: 'Can view, create and edit content',
    icon: 'pencil',
    session: { idle: 7 * day, absolute: 30 * day },
    needsTwoFactor: false,
    seedUser: 'Edith Editor',
  },
  {
    name: 'admin',
    label: 'Admin',
    meaning: 'Full access, including users and roles. Signed out after 12 hours of inactivity',
    icon: 'shield',
    session: { idle: day / 2, absolute: day },
    needsTwoFactor: true,
    seedUser: 'Ada Admin',
  },
] as const satisfies readonly RoleDefinition[]

export type Role = (typeof roleTable)[number]['name']
/** @public For a module that shows roles. */
export type RoleIcon = RoleDefinition['icon']

/** The names of the roles, from the lowest to the highest. */
export const roles: Role[] = roleTable.map(({ name }) => name)

/** The role of new users: the lowest. */
export const defaultRole: Role = roleTable[0].name

/**
 * The role that this app cannot be without: the last active admin cannot be removed, and admins cannot be impersonated. A trigger
 * of the database names it as well. For permissions use `can`.
 */
export const adminRole = 'admin' satisfies Role

export const isAdminRole = (role: Role | null | undefined) => role === adminRole

/** Whether the first role is at most as high as the second. */
export const isAtMost = (one: Role, other: Role) => roles.indexOf(one) <= roles.indexOf(other)

/** The lower of two roles. */
export const lowerRole = (one: Role, other: Role) => (isAtMost(one, other) ? one : other)

export function findRole(name: string): RoleDefinition | undefined {
  return roleTable.find((role) => role.name === name)
}

/** The display name of a stored role: "Editor". */
export const roleLabel = (name: string) => findRole(name)?.label ?? name
