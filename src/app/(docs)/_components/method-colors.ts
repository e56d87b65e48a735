/** Text color of an HTTP method: it tells reads, writes and deletions apart. Plain strings, for client components too. */
export const methodColors: Record<string, string> = {
  GET: 'text-success-text',
  POST: 'text-info-text',
  PUT: 'text-warning-text',
  PATCH: 'text-warning-text',
  DELETE: 'text-destructive',
}
