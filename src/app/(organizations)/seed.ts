import 'server-only'
import { eq, inArray } from 'drizzle-orm'
import type { Database } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { scopes, users } from '@/core/db/schema'
import { seedUsers } from '@/core/db/seed-users'
import { acrossScopes } from '@/core/db/tenant-check'
import { members, organizations, slugs } from './schema'

/** An organization with the seeded users, who have the same role in it as in the app. Does nothing if its slug is taken. */
export async function seedOrganization(db: Database): Promise<void> {
  const slug = 'acme'
  const [taken] = await db.select({ slug: slugs.slug }).from(slugs).where(eq(slugs.slug, slug))
  const found = await db
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(
      inArray(
        users.email,
        seedUsers.map(({ email }) => email),
      ),
    )
  const seeded = seedUsers.flatMap(({ email, role }) => {
    const user = found.find((one) => one.email === email)
    return user ? [{ userId: user.id, role }] : []
  })
  const [first] = seeded
  if (taken || !first) return
  const id = crypto.randomUUID()
  await acrossScopes('a seed', () =>
    inTransaction(async (tx) => {
      await tx.insert(scopes).values({ id })
      await tx.insert(organizations).values({ id, name: 'Acme', slug, createdBy: first.userId })
      await tx.insert(slugs).values([slug, id].map((one) => ({ slug: one, organizationId: id })))
      await tx.insert(members).values(seeded.map((member) => ({ ...member, scopeId: id })))
    }),
  )
}
