/** The props of a page that exists in the app itself and, with `scope` in its path, in an organization. */
export interface ContentPageProps<Params = unknown> {
  params: Promise<Params & { scope?: string }>
  searchParams: Promise<Record<string, string | string[] | undefined>>
}
