import { randomIp } from './e2e-test.ts'

const decodeEntities = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&')

/** Submits the last form of a page with these values, as a browser without JavaScript does. */
export async function submitForm(url: string, fields: Record<string, string>): Promise<Response> {
  const html = await (await fetch(url)).text()
  const form = html.match(/<form[^>]*>.*?<\/form>/gs)?.at(-1) ?? ''
  const data = new FormData()
  for (const [input] of form.matchAll(/<input type="hidden"[^>]*>/g)) {
    const [name, value] = ['name', 'value'].map((part) =>
      decodeEntities(new RegExp(`${part}="([^"]*)"`).exec(input)?.[1] ?? ''),
    )
    data.append(name ?? '', value ?? '')
  }
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  const headers = { origin: new URL(url).origin, 'sec-fetch-site': 'same-origin', 'x-forwarded-for': randomIp() }
  return fetch(url, { method: 'POST', body: data, headers, redirect: 'manual' })
}
