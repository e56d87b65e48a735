/** One try to sign in over HTTP, from an address of the caller's choice, as far as the app can see. */
export function attempt(
  url: string,
  {
    email,
    password = 'wrong',
    redirect = false,
    address,
    headers = {},
  }: { email: string; password?: string; redirect?: boolean; address: string; headers?: Record<string, string> },
): Promise<Response> {
  return fetch(`${url}/api/auth/signin`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address, ...headers },
    body: JSON.stringify({ email, password, redirect }),
  })
}

/** How often a node that runs with LOG_LEVEL=debug compared a password; of one request, or of all. */
export function countComparisons(output: string, requestId = ''): number {
  return output.split('\n').filter((line) => line.includes('"password compared"') && line.includes(requestId)).length
}
