// npm run test:security [-- --short | sessions H-071 P-4 …]: the security suite, against the production build. Arguments are
// names of groups or numbers of checks; --short runs the checks that are not marked `full`.
import { join } from 'node:path'
import { showUsage } from '../../../scripts/show-usage.mjs'
import { type Group, runSuite } from './support/suite.ts'

showUsage('npm run test:security [-- --short | <group> | <number> …]')

const groups: Group[] = [
  { name: 'http-framing', title: 'HTTP framing and limits', from: 'H-001', to: 'H-018' },
  { name: 'headers', title: 'Headers, CSP and caches', from: 'H-019', to: 'H-034' },
  { name: 'sign-in-input', title: 'Sign-in input', from: 'H-035', to: 'H-060' },
  { name: 'enumeration', title: 'User enumeration and timing', from: 'H-061', to: 'H-070' },
  { name: 'rate-limits', title: 'Rate limits', from: 'H-071', to: 'H-084' },
  { name: 'sessions', title: 'Session cookie and lifetime', from: 'H-085', to: 'H-110' },
  { name: 'csrf', title: 'Cross-site requests', from: 'H-111', to: 'H-122' },
  { name: 'cors', title: 'CORS', from: 'H-123', to: 'H-132' },
  { name: 'bearer-tokens', title: 'Authorization header', from: 'H-133', to: 'H-142' },
  { name: 'oauth', title: 'OAuth', from: 'H-143', to: 'H-162' },
  { name: 'redirects', title: 'Redirects and Host', from: 'H-163', to: 'H-174' },
  { name: 'authorization', title: 'Authorization', from: 'H-175', to: 'H-198' },
  { name: 'validation', title: 'Input validation', from: 'H-199', to: 'H-214' },
  { name: 'user-list', title: 'The list of users', from: 'H-215', to: 'H-226' },
  { name: 'deletion', title: 'Password and deletion', from: 'H-227', to: 'H-236' },
  { name: 'concurrency', title: 'Concurrent requests', from: 'H-237', to: 'H-258' },
  { name: 'secrets', title: 'Secrets, logs, errors, startup', from: 'H-259', to: 'H-272' },
  { name: 'framework', title: 'Known framework attacks', from: 'H-273', to: 'H-288' },
  {
    name: 'faults',
    title: 'Faults',
    from: 'H-289',
    to: 'H-320',
    skipsSlowChecks: true,
    isFull: true,
    hasShippedTimeouts: true,
  },
  { name: 'modules', title: 'Modules and supply chain', from: 'H-321', to: 'H-341' },
  { name: 'guessing', title: 'Guessing, lockout and costly work', from: 'H-342', to: 'H-351' },
  { name: 'email', title: 'Email and providers', from: 'H-352', to: 'H-363' },
  { name: 'lost-rights', title: 'Rights that were removed', from: 'H-364', to: 'H-373' },
  { name: 'http-contract', title: 'HTTP details of the contract', from: 'H-374', to: 'H-381' },
  { name: 'memory', title: 'Memory, files and development', from: 'H-382', to: 'H-390' },
  { name: 'email-code', title: 'Email codes', from: 'H-391', to: 'H-392' },
  { name: 'import', title: 'Import of users', from: 'H-396', to: 'H-397', skipsSlowChecks: true },
  { name: 'organizations', title: 'Organizations', from: 'H-398', to: 'H-398' },
  { name: 'scopes', title: 'Scopes behind a pooler', from: 'H-399', to: 'H-400', skipsSlowChecks: true },
  { name: 'rights', title: 'Who may call what', from: 'H-401', to: 'H-401' },
  { name: 'ended-sessions', title: 'Requests that wait while access is removed', from: 'H-402', to: 'H-403' },
  { name: 'reauthentication', title: 'Reauthentication in a form', from: 'H-404', to: 'H-404' },
  { name: 'properties', title: 'Properties', from: 'P-1', to: 'P-23' },
]

const here = import.meta.dirname
await runSuite(groups, [here, join(here, 'properties'), join(here, '..', 'faults')], process.argv.slice(2))
