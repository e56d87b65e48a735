// npm run test:faults [-- H-299 …]: group S of the hostile suite, what breaks around the app. Starts every server it needs
// in temporary folders, on ports of its own.
import { type Group, runSuite } from '../hostile/suite.ts'

const groups: Group[] = [{ letter: 'S', title: 'Faults', from: 'H-289', to: 'H-320' }]

await runSuite(groups, [import.meta.dirname], process.argv.slice(2))
