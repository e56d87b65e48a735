/** Something that a module shows on a page that is not its own. */
interface RenderedPart {
  module: string
  what: string
  /** `[id]` is the admin who reads the page. */
  page: string
  shows: RegExp
}

/** One part of each kind that a module has. */
const renderedParts: RenderedPart[] = [
  { module: 'account', what: 'navigation', page: '/dashboard', shows: /API tokens</ },
  { module: 'account', what: 'settings', page: '/dashboard', shows: /Settings</ },
  { module: 'account', what: 'widget', page: '/dashboard', shows: /Secure your account</ },
  { module: 'account', what: 'command', page: '/search', shows: /Delete account/ },
  { module: 'account', what: 'tab', page: '/admin/users/[id]', shows: /\/[\da-f-]{36}\/tokens"/ },
  { module: 'account', what: 'audit sentence', page: '/admin/audit', shows: /turned on two-factor authentication/ },
  { module: 'admin', what: 'navigation', page: '/dashboard', shows: /Invitations</ },
  { module: 'admin', what: 'widget', page: '/dashboard', shows: /Active this week</ },
  { module: 'admin', what: 'command', page: '/search', shows: /Invite users/ },
  { module: 'content', what: 'navigation', page: '/dashboard', shows: /Blog</ },
  { module: 'content', what: 'widget', page: '/dashboard', shows: /Drafts waiting for you</ },
  { module: 'content', what: 'command', page: '/search', shows: /New post/ },
  { module: 'content', what: 'tab', page: '/admin/users/[id]', shows: /\/[\da-f-]{36}\/posts"/ },
  { module: 'content', what: 'audit sentence', page: '/admin/audit', shows: /created a post/ },
  { module: 'docs', what: 'navigation', page: '/dashboard', shows: /API reference</ },
  { module: 'organizations', what: 'navigation', page: '/dashboard', shows: /Organizations</ },
  { module: 'organizations', what: 'command', page: '/search', shows: /Create organization/ },
  { module: 'organizations', what: 'audit sentence', page: '/admin/audit', shows: /created the organization/ },
  { module: 'email-code', what: 'audit sentence', page: '/admin/audit', shows: /locked after 100 wrong codes/ },
]

/** Events of all modules, as an app has them that once had these modules. */
export const insertEvents = `insert into audit_events (kind, actor_id, target_id)
  select kind, id, id from users,
    unnest(array['two_step.on', 'post.created', 'organization.created', 'email_code.locked']) as kind`

/**
 * Which parts are shown, on the pages that there are: those of the admin module may be missing. The text of scripts does not
 * count, because nobody reads it.
 */
export async function findRenderedParts(
  get: (path: string) => Promise<Response>,
  adminId: string,
): Promise<(RenderedPart & { isShown: boolean })[]> {
  const pages = new Map<string, string | null>()
  for (const page of new Set(renderedParts.map((part) => part.page))) {
    const response = await get(page.replace('[id]', adminId))
    if (![200, 404].includes(response.status)) throw new Error(`${page} responds ${response.status}`)
    const html = (await response.text()).replaceAll(/<script\b.*?<\/script>|<!--.*?-->/gs, '')
    pages.set(page, response.status === 200 ? html : null)
  }
  return renderedParts.flatMap((part) => {
    const html = pages.get(part.page)
    return typeof html === 'string' ? [{ ...part, isShown: part.shows.test(html) }] : []
  })
}
