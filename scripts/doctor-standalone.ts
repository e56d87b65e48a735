// The doctor of the standalone folder, `node scripts/doctor.mjs` there: the database and the mail server, as this machine reaches
// them. The settings are checked by the app itself, when it starts.
import { checkEmail } from '../src/core/doctor/check-app.ts'
import { checkDatabase } from '../src/core/doctor/check-database.ts'
import { broken, ok } from '../src/core/doctor/finding.ts'
import { exitWithExplanation } from './explain-error.ts'
import { printFindings } from './print-findings.ts'
import { root } from './root.ts'

exitWithExplanation()

const { DATABASE_URL } = process.env
const findings = [
  ok(`Node ${process.versions.node}`),
  ...(DATABASE_URL
    ? await checkDatabase(DATABASE_URL, root)
    : [broken('DATABASE_URL isn’t set', 'Set it to the URL of your PostgreSQL.')]),
  await checkEmail(process.env),
]
process.exit(printFindings(findings) ? 0 : 1)
