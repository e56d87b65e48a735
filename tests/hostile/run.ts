// npm run test:hostile [-- C H-071 P-4 …]: the hostile suite, against the production build. Arguments are groups, numbers
// of checks, or PROPERTIES.
import { join } from 'node:path'
import { type Group, runSuite } from './suite.ts'

const groups: Group[] = [
  { letter: 'A', title: 'Framing and limits of HTTP', from: 'H-001', to: 'H-018', isMeasured: true },
  { letter: 'B', title: 'Headers, policy, caches', from: 'H-019', to: 'H-034', isMeasured: true },
  { letter: 'C', title: 'Sign-in input', from: 'H-035', to: 'H-060', isMeasured: true },
  { letter: 'D', title: 'Enumeration and timing', from: 'H-061', to: 'H-070', isMeasured: true },
  { letter: 'E', title: 'Rate limits', from: 'H-071', to: 'H-084' },
  { letter: 'F', title: 'Session cookie and life cycle', from: 'H-085', to: 'H-110' },
  { letter: 'G', title: 'Cross-site requests', from: 'H-111', to: 'H-122' },
  { letter: 'H', title: 'CORS', from: 'H-123', to: 'H-132' },
  { letter: 'I', title: 'Authorization header', from: 'H-133', to: 'H-142' },
  { letter: 'J', title: 'OAuth', from: 'H-143', to: 'H-162' },
  { letter: 'K', title: 'Redirects and Host', from: 'H-163', to: 'H-174' },
  { letter: 'L', title: 'Who may do what', from: 'H-175', to: 'H-198' },
  { letter: 'M', title: 'What is sent in place of what was asked for', from: 'H-199', to: 'H-214' },
  { letter: 'N', title: 'The list of people', from: 'H-215', to: 'H-226' },
  { letter: 'O', title: 'Password and deletion', from: 'H-227', to: 'H-236' },
  { letter: 'P', title: 'Many at once', from: 'H-237', to: 'H-258', isApart: true },
  { letter: 'Q', title: 'Secrets, logs, errors, start', from: 'H-259', to: 'H-272', isApart: true },
  { letter: 'R', title: 'What befell the framework', from: 'H-273', to: 'H-288', isApart: true },
  { letter: 'S', title: 'Faults', from: 'H-289', to: 'H-320', isQuick: true, isMeasured: true },
  { letter: 'T', title: 'Modules and supply chain', from: 'H-321', to: 'H-341' },
  { letter: 'PROPERTIES', title: 'Properties', from: 'P-1', to: 'P-20', isApart: true },
]

const here = import.meta.dirname
await runSuite(groups, [here, join(here, 'properties'), join(here, '..', 'faults')], process.argv.slice(2))
