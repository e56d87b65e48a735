import { z } from 'zod'
import { type Role, roles } from '@/core/auth/roles'
import { userFieldsIn } from '@/core/auth/user-fields'

export const statuses = ['active', 'suspended'] as const
export const sorts = ['created', 'name', 'email', 'role', 'seen'] as const
export type Sort = (typeof sorts)[number]
/** When a user was last active: within a day, a week or a month, earlier, or never. */
export const activities = ['day', 'week', 'month', 'earlier', 'never'] as const
export type Activity = (typeof activities)[number]
/** Rows per page that the list offers. */
export const pageSizes = [25, 50, 100] as const

/** A form sends an empty string for an unset filter. */
const optionalFilter = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((given) => (given === '' ? undefined : given), schema.optional())

export const UserFilter = z.object({
  search: optionalFilter(
    z
      .string()
      .meta({ description: 'A prefix of the email or of a word of the name, or a full id' })
      .trim()
      .max(100, 'Use up to 100 characters')
      // PostgreSQL text cannot contain NUL; the query would fail with an error.
      .refine((text) => !text.includes('\0'), 'Remove the null character'),
  ),
  role: optionalFilter(z.enum(roles)),
  status: optionalFilter(z.enum(statuses)),
})

export const UserQuery = UserFilter.extend({
  sort: optionalFilter(z.enum(sorts).meta({ description: 'Not allowed with search, which has its own order' })),
  order: optionalFilter(z.enum(['asc', 'desc'])),
  cursor: optionalFilter(z.string().max(2_000).meta({ description: 'nextCursor of the previous page' })),
  limit: optionalFilter(z.coerce.number().int().min(1).max(100).meta({ description: 'Defaults to 25' })),
})

/** The filters of the page and of its export that the API does not have. */
const pageFilter = {
  // The checkboxes of a form repeat the parameter, a link joins the roles.
  role: z.preprocess(
    (given) => (Array.isArray(given) ? given.join(',') : given === '' ? undefined : given),
    z
      .string()
      .meta({ description: 'One or more roles, separated by commas' })
      .transform((text) => text.split(','))
      .pipe(z.array(z.enum(roles)))
      .optional(),
  ),
  seen: optionalFilter(z.enum(activities).meta({ description: 'Last activity. Not allowed with search' })),
}

// `admin_terms` does not know when a user was active, so a search would have to read the row of every match.
const canCombine = ({ search, seen }: { search?: string | undefined; seen?: string | undefined }) => !(search && seen)
const combination = { path: ['seen'], error: 'Search results can’t be filtered by last activity' }

export const ExportQuery = UserFilter.extend(pageFilter).refine(canCombine, combination)

export const PageQuery = UserQuery.extend({
  ...pageFilter,
  view: optionalFilter(z.enum(['compact'])),
}).refine(canCombine, combination)
export type PageQuery = z.output<typeof PageQuery>

/** Parses the query parameters of the page and drops invalid ones, and a sort that the filters do not allow. */
export function parsePageQuery(params: Record<string, unknown>): PageQuery {
  const { data, error } = PageQuery.safeParse(params)
  if (!data) {
    const invalid = new Set(error.issues.map(({ path }) => path[0]))
    return parsePageQuery(Object.fromEntries(Object.entries(params).filter(([name]) => !invalid.has(name))))
  }
  const canSort = !data.search && (!data.seen || !data.sort || data.sort === 'seen')
  return canSort ? data : { ...data, sort: undefined, order: undefined }
}

const listFields = userFieldsIn('admin.list').map(
  ({ name, label }) => [name, z.string().nullable().meta({ description: label })] as const,
)
/** What modules keep about users. Without such a module a user has no `fields`. */
const fieldsShape: Record<string, z.ZodType> =
  listFields.length > 0 ? { fields: z.object(Object.fromEntries(listFields)) } : {}

export const User = z
  .object({
    id: z.uuid(),
    name: z.string(),
    email: z.email(),
    role: z.enum(roles),
    status: z.enum(statuses),
    createdAt: z.iso.datetime(),
    lastSeenAt: z.iso.datetime().nullable(),
    ...fieldsShape,
  })
  .meta({ id: 'User', description: 'A user, as shown to admins' })

/** A filter of the API or of the page. */
export type Filter = Omit<z.output<typeof UserFilter>, 'role'> & {
  role?: Role | Role[] | undefined
  seen?: Activity | undefined
}
export type ListQuery = Filter & Pick<z.output<typeof UserQuery>, 'sort' | 'order' | 'cursor' | 'limit'>

/** Defaults of the query. */
export const defaults = { sort: 'created', limit: 25 } as const
/** The default order: newest first for times, ascending for everything else. */
export const defaultOrder = (sort: Sort | 'match') => (sort === 'created' || sort === 'seen' ? 'desc' : 'asc')
