import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder for the unit test that is running, which is deleted after it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-unit-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
