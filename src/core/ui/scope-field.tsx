/**
 * The hidden field that names the scope of an action. Without a slug, the action is about the app itself.
 * @public For the forms of modules with tenant tables.
 */
export const ScopeField = ({ slug }: { slug: string | undefined }) =>
  slug ? <input type="hidden" name="scope" value={slug} /> : null
