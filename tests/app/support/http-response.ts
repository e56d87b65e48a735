export interface HttpResponse {
  status: number
  headers: Record<string, string | undefined>
  /** Status line and headers as received. */
  head: string
  text: string
  setCookies: string[]
  milliseconds: number
  // biome-ignore lint/suspicious/noExplicitAny: the check knows what it asked for
  json(): any
}
