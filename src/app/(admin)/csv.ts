import { type Actor, requireReauthenticated } from '@/core/auth/session/actor'
import { streamBody } from '@/core/http/stream-body'
import { defineSlots } from '@/core/slots'

const exportSlots = defineSlots('export', 4)

interface ExportContext {
  actor: Actor
  request: Request
  recheckActor: () => Promise<Actor>
}

/**
 * Streams a CSV file, one at a time for each user. `begin` records the export and returns the pages. The permission is checked
 * again before each page: a caller who reads slowly may lose it meanwhile.
 */
export async function csvResponse(
  fileName: string,
  { actor, request, recheckActor }: ExportContext,
  begin: () => Promise<AsyncIterable<string>>,
): Promise<Response> {
  await requireReauthenticated()
  const releaseSlot = exportSlots.take(actor.id)
  try {
    const chunks = recheckBeforeEach(await begin(), recheckActor)
    const headers = {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${fileName}-${new Date().toISOString().slice(0, 10)}.csv"`,
    }
    return new Response(streamBody(chunks, { signal: request.signal, onEnd: releaseSlot }), { headers })
  } catch (error) {
    releaseSlot()
    throw error
  }
}

async function* recheckBeforeEach(
  pages: AsyncIterable<string>,
  recheckActor: () => Promise<Actor>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const page of pages) {
    await recheckActor()
    yield encoder.encode(page)
  }
}

/**
 * One line of a CSV file. Cells that a spreadsheet would run as a formula get an apostrophe in front: users choose
 * their names, and admins open the file (CSV injection).
 */
export function csvLine(cells: (string | Date | null)[]): string {
  return `${cells.map(cell).join(',')}\r\n`
}

/**
 * Where a formula could start: at the start of a cell, and after any character that some spreadsheet uses as a
 * separator. In locales with a decimal comma, spreadsheets split at semicolons, even inside quotes.
 */
const formula = /(^|[,;\t\r\n])([\s"]*)(?=[=+\-@|%＝＋－＠])/g

function cell(value: string | Date | null): string {
  const text = value instanceof Date ? value.toISOString() : (value ?? '')
  const safe = (/^[\t\r\n]/.test(text) ? `'${text}` : text).replace(formula, "$1$2'")
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
