import 'server-only'
import { renderBody } from './_images/render-body'
import { toPageHtml } from './post-html'

/** The HTML of a text that is not published, as the public page would show it. */
export async function renderDraft(body: string): Promise<string> {
  return toPageHtml(await renderBody(body)).html
}
