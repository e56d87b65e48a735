/** Tries to sign in over HTTP with the given client IP, sent as X-Forwarded-For. */
export function attemptSignIn(
  url: string,
  {
    email,
    password = 'wrong',
    redirect = false,
    ip,
    headers = {},
  }: { email: string; password?: string; redirect?: boolean; ip: string; headers?: Record<string, string> },
): Promise<Response> {
  return fetch(`${url}/api/auth/signin`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip, ...headers },
    body: JSON.stringify({ email, password, redirect }),
  })
}

/** Counts password comparisons in the output of a node with LOG_LEVEL=debug, for one request or for all. */
export function countPasswordComparisons(output: string, requestId = ''): number {
  return output.split('\n').filter((line) => line.includes('"password compared"') && line.includes(requestId)).length
}
