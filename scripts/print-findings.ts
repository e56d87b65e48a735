import type { Finding } from '../src/core/doctor/finding.ts'

const labels = { ok: 'ok    ', note: 'note  ', broken: 'BROKEN' }

/** Prints what the doctor found; returns true when the app can run. */
export function printFindings(findings: Finding[]): boolean {
  for (const { state, message, fix } of findings) {
    console.log(`${labels[state]} ${message}`)
    if (fix) console.log(fix.replace(/^/gm, '         '))
  }
  return findings.every(({ state }) => state !== 'broken')
}
