import { someAddress } from './journey.ts'

const plain = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&')

/** Fills in the last form of a page and sends it, the way a browser without JavaScript does. */
export async function submitForm(url: string, fields: Record<string, string>): Promise<Response> {
  const html = await (await fetch(url)).text()
  const form = html.match(/<form[^>]*>.*?<\/form>/gs)?.at(-1) ?? ''
  const data = new FormData()
  for (const [input] of form.matchAll(/<input type="hidden"[^>]*>/g)) {
    const [name, value] = ['name', 'value'].map((part) => plain(new RegExp(`${part}="([^"]*)"`).exec(input)?.[1] ?? ''))
    data.append(name ?? '', value ?? '')
  }
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  const headers = { origin: new URL(url).origin, 'sec-fetch-site': 'same-origin', 'x-forwarded-for': someAddress() }
  return fetch(url, { method: 'POST', body: data, headers, redirect: 'manual' })
}
