// npm run bench:organizations [-- 1000] [--keep]: checks that the switcher, the lists and the check of a permission cost the same
// with a hundred organizations as with a hundred thousand and their million memberships. Then measures what row-level security
// adds to a list, and what entering a scope costs if the database is ten milliseconds away.
import { importSource } from '../../../scripts/import-source.ts'
import { showUsage } from '../../../scripts/show-usage.mjs'
import { type Bench, compareSizes } from './compare.ts'
import { fill, readSamples, type Sample, type Samples } from './fill-organizations.ts'
import { measureEntering, measureWall } from './scope-costs.ts'

showUsage('npm run bench:organizations [-- <number of organizations>] [--keep]')

// biome-ignore lint/suspicious/noExplicitAny: the functions of the bundled app
type App = any
type Shape = Bench['shapes'][number] & { run: (app: App, sample: Sample, samples: Samples) => Promise<unknown> }

const shapes: Shape[] = [
  { name: 'session alone', run: (app, { token }) => app.findSession(token) },
  {
    name: 'session and membership, by slug',
    run: (app, { token, member }) => app.findSession(token, member.scope.slug),
  },
  {
    name: 'session and membership, by id',
    run: (app, { token, member }) => app.findSession(token, member.scope.id),
  },
  { name: 'session and no membership', run: (app, { token, foreignSlug }) => app.findSession(token, foreignSlug) },
  { name: 'switcher', isPlanShown: true, run: (app, { member }) => app.findOwnOrganizations(member.id) },
  {
    name: 'switcher, a user in a fifth of all organizations',
    isPlanShown: true,
    run: (app, _, { collectorId }) => app.findOwnOrganizations(collectorId),
  },
  {
    name: 'invitations in the switcher',
    isPlanShown: true,
    run: (app, { member }) => app.findPendingInvitations(member.id),
  },
  { name: 'own organizations', run: (app, { member }) => app.listOwnOrganizations(member.id) },
  { name: 'members', run: (app, { member }) => app.listMembers(member, {}) },
  { name: 'members, only editors', run: (app, { member }) => app.listMembers(member, { role: 'editor' }) },
  { name: 'large organization: members, first page', run: (app, _, { inLarge }) => app.listMembers(inLarge, {}) },
  {
    name: 'large organization: members, anywhere',
    run: (app, { cursor }, { inLarge }) => app.listMembers(inLarge, { before: cursor }),
  },
  {
    name: 'large organization: only viewers',
    run: (app, _, { inLarge }) => app.listMembers(inLarge, { role: 'viewer' }),
  },
  {
    name: 'large organization: search',
    isGrowing: true,
    run: (app, _, { inLarge }) => app.listMembers(inLarge, { search: 'nobody at all' }),
  },
  { name: 'invitations', run: (app, { member }) => app.listInvitations(member) },
  { name: 'all organizations, first page', run: (app) => app.listOrganizations({}) },
]

const smallest = 100

await compareSizes({
  file: import.meta.filename,
  noun: 'organizations',
  counts: [smallest, 100_000],
  shapes,
  fill,
  open: async (pool) => {
    const loaded = await importSource(
      'src/core/auth/session/sessions.ts',
      'src/app/(organizations)/organizations.ts',
      'src/app/(organizations)/members.ts',
      'src/app/(organizations)/invitations.ts',
    )
    const app: App = Object.assign({}, ...loaded)
    const samples = await readSamples(pool())
    return (index, turn) => {
      const sample = samples.users[turn % samples.users.length] as Sample
      return async () => {
        const found: App = await (shapes[index] as Shape).run(app, sample, samples)
        return found?.members?.length ?? found?.organizations?.length ?? found?.length ?? (found ? 1 : 0)
      }
    }
  },
  after: async (onEach) => {
    await onEach(measureWall)
    await onEach(async (client, count) => {
      if (count !== smallest) await measureEntering(client)
    })
  },
})
