// With its extension, because scripts run this file in plain Node.
import { roleTable } from '../auth/roles.ts'

/** The users of a new development database, one for each role, the highest first. Production does not start if the database has them. */
export const seedUsers = roleTable
  .map(({ name, seedUser }) => ({ email: `${name}@example.com`, name: seedUser, role: name }))
  .reverse()
