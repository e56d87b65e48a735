import 'server-only'
import { and, asc, desc, eq, isNotNull, isNull, lt, notInArray, or, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { adminRole, type Role } from '@/core/auth/roles'
import type { Actor } from '@/core/auth/session/actor'
import { type Member, transactionAs } from '@/core/auth/transaction-as'
import { normalizeName } from '@/core/auth/user/name'
import { db, preparedName, type Transaction } from '@/core/db/client'
import { scopes } from '@/core/db/schema'
import { acrossScopes } from '@/core/db/tenant-check'
import { AppError } from '@/core/errors'
import { getClientInfo } from '@/core/http/client-ip'
import { defineLimit } from '@/core/limits/limit'
import { hasLink } from '@/core/mail/has-link'
import { can } from './policy'
import { members, organizations, slugs } from './schema'
import { isUuid, reservedDays, slugFromName, slugPattern } from './slug'

const createLimit = defineLimit('organizations_create', { points: 20, seconds: 24 * 60 * 60 })

// A slug stays with the organization, so each change takes one away from all others.
const slugLimit = defineLimit('organizations_slug', { points: 10, seconds: 24 * 60 * 60 })
const maxFormerSlugs = 20

const invalid = (field: string, message: string) =>
  new AppError('invalid_input', undefined, { fields: { [field]: [message] } })

/** The name is in emails to recipients who did not ask for them. */
export function requireOrganizationName(text: string): string {
  const name = normalizeName(text)
  if (!name || [...name].length > 60) throw invalid('name', 'Enter a name (up to 60 characters)')
  if (hasLink(name)) throw invalid('name', 'Enter a name without a link or an email')
  return name
}

/** Reserves a slug for the organization. Throws `invalid_input` if another one has or had it. */
async function claimSlug(tx: Transaction, organizationId: string, slug: string): Promise<void> {
  const isFree = and(
    isNull(slugs.organizationId),
    lt(slugs.freedAt, sql`now() - make_interval(days => ${reservedDays})`),
  )
  await tx
    .insert(slugs)
    .values({ slug, organizationId })
    .onConflictDoUpdate({
      target: slugs.slug,
      set: { organizationId, freedAt: null },
      setWhere: or(isFree, eq(slugs.organizationId, organizationId)),
    })
  const [owner] = await tx.select({ id: slugs.organizationId }).from(slugs).where(eq(slugs.slug, slug))
  if (owner?.id !== organizationId) throw invalid('slug', 'This slug is taken')
}

/** Makes a slug a former one, and gives up the oldest if there are too many. Nobody else can take it for a while. */
async function leaveSlug(tx: Transaction, organizationId: string, slug: string): Promise<void> {
  await tx.update(slugs).set({ freedAt: sql`now()` }).where(eq(slugs.slug, slug))
  const isFormer = and(eq(slugs.organizationId, organizationId), isNotNull(slugs.freedAt))
  const kept = tx
    .select({ slug: slugs.slug })
    .from(slugs)
    .where(isFormer)
    .orderBy(desc(slugs.freedAt), asc(slugs.slug))
    .limit(maxFormerSlugs)
  await tx
    .update(slugs)
    .set({ organizationId: null, freedAt: sql`now()` })
    .where(and(isFormer, notInArray(slugs.slug, kept)))
}

function requireSlug(text: string): string {
  const slug = text.trim().toLowerCase()
  if (!slugPattern.test(slug) || isUuid(slug)) throw invalid('slug', 'Use 2–39 lowercase letters, numbers and hyphens')
  return slug
}

/** Creates an organization with its first admin. Without a slug, it gets one that is made from the name. */
export async function createOrganization(
  actor: Pick<Actor, 'id' | 'role'>,
  input: { name: string; slug?: string | undefined },
): Promise<string> {
  const name = requireOrganizationName(input.name)
  const givenSlug = input.slug ? requireSlug(input.slug) : undefined
  await createLimit.consume(actor.id)
  const client = getClientInfo(await headers())
  return transactionAs(actor, can('organizations.create'), async (tx) => {
    const id = crypto.randomUUID()
    const slug = givenSlug ?? (await freeSlug(tx, slugFromName(name, id), id))
    await tx.insert(scopes).values({ id })
    await tx.insert(organizations).values({ id, name, slug, createdBy: actor.id })
    await claimSlug(tx, id, slug)
    // The id leads to the organization as well.
    await tx.insert(slugs).values({ slug: id, organizationId: id })
    await acrossScopes('the first admin of a new organization', () =>
      tx.insert(members).values({ scopeId: id, userId: actor.id, role: adminRole }),
    )
    await recordAuditEvent(tx, 'organization.created', { actorId: actor.id, client, scopeId: id })
    return slug
  })
}

/** The slug, or one with a part of the id if it is taken: nobody should have to think of another. */
async function freeSlug(tx: Transaction, slug: string, id: string): Promise<string> {
  const [taken] = await tx.select({ slug: slugs.slug }).from(slugs).where(eq(slugs.slug, slug))
  return taken ? `${slug.slice(0, 30)}-${id.slice(0, 8)}` : slug
}

/** Changes name and slug. The former slug still leads to the organization. Returns the slug. */
export async function updateOrganization(actor: Member, input: { name: string; slug: string }): Promise<string> {
  const name = requireOrganizationName(input.name)
  const slug = requireSlug(input.slug)
  if (slug !== actor.scope.slug) await slugLimit.consume(actor.scope.id)
  const client = getClientInfo(await headers())
  return transactionAs(actor, can('organization.update'), async (tx, { id, scope }) => {
    const organizationId = scope.id
    const [before] = await tx
      .select({ name: organizations.name, slug: organizations.slug })
      .from(organizations)
      .where(eq(organizations.id, organizationId))
      .for('no key update')
    if (!before) throw new AppError('not_found')
    if (before.name === name && before.slug === slug) return slug
    if (before.slug !== slug) {
      await claimSlug(tx, organizationId, slug)
      await leaveSlug(tx, organizationId, before.slug)
    }
    await tx.update(organizations).set({ name, slug }).where(eq(organizations.id, organizationId))
    await recordAuditEvent(tx, 'organization.renamed', {
      actorId: id,
      client,
      details: { isNameChanged: before.name !== name, isSlugChanged: before.slug !== slug },
    })
    return slug
  })
}

/** More are not counted: the cost must not grow with the organization. */
export const maxCounted = 1_000

const countMembers = (organizationId: SQL) =>
  sql<number>`(select count(*)::int from (select from organizations_members
    where organizations_members.scope_id = ${organizationId} limit ${maxCounted + 1}) as counted)`

export interface OwnOrganization {
  id: string
  slug: string
  name: string
  logoId: string | null
  role: Role
}

/** How many organizations the switcher lists. */
export const maxInSwitcher = 20

/** The memberships of a user with their organizations, those they joined last first: the cost must not grow with their number. */
const selectJoined = (userId: string | Placeholder, limit: number) =>
  db
    .select({
      id: organizations.id,
      slug: organizations.slug,
      name: organizations.name,
      logoId: organizations.logoId,
      role: members.role,
      joinedAt: members.createdAt,
    })
    .from(members)
    .innerJoin(organizations, eq(organizations.id, members.scopeId))
    .where(and(eq(members.userId, userId), isNull(organizations.deletedAt)))
    .orderBy(desc(members.createdAt), desc(members.scopeId))
    .limit(limit)
    .as('joined')

/** One more than the switcher shows tells that there are more. */
const joined = selectJoined(sql.placeholder('userId'), maxInSwitcher + 1)

/** Prepared, because it is part of every page. */
const findForSwitcher = db
  .select({ id: joined.id, slug: joined.slug, name: joined.name, logoId: joined.logoId, role: joined.role })
  .from(joined)
  .orderBy(asc(joined.name), asc(joined.id))
  .prepare(preparedName('organizations_switcher'))

/** The organizations of a user for the switcher: those they joined last, by name. */
export const findOwnOrganizations = (userId: string): Promise<OwnOrganization[]> =>
  acrossScopes('the user’s own memberships', () => findForSwitcher.execute({ userId }))

/** The organizations that a user joined last, by name and with more details, for the page that lists them. */
export function listOwnOrganizations(userId: string, limit = 200) {
  const listed = selectJoined(userId, limit)
  return acrossScopes('the user’s own memberships', () =>
    db
      .select({
        id: listed.id,
        slug: listed.slug,
        name: listed.name,
        logoId: listed.logoId,
        role: listed.role,
        joinedAt: listed.joinedAt,
        memberCount: countMembers(sql`${listed.id}`),
      })
      .from(listed)
      .orderBy(asc(listed.name), asc(listed.id)),
  )
}

const pageSize = 50

/** All organizations for an admin of the app, newest first: names and numbers, nothing that is in them. */
export async function listOrganizations({ search, before }: { search?: string; before?: string }) {
  const [at, beforeId] = before?.split('_') ?? []
  const isOlder =
    at && beforeId
      ? sql`(${organizations.createdAt}, ${organizations.id}) < (${at}::timestamptz, ${beforeId}::uuid)`
      : undefined
  const matches = search
    ? or(
        sql`strpos(lower(${organizations.name}), lower(${search})) > 0`,
        sql`strpos(${organizations.slug}, lower(${search})) > 0`,
      )
    : undefined
  const rows = await acrossScopes('numbers of members for an admin of the app', () =>
    db
      .select({
        id: organizations.id,
        slug: organizations.slug,
        name: organizations.name,
        createdAt: organizations.createdAt,
        memberCount: countMembers(sql`${organizations.id}`),
      })
      .from(organizations)
      .where(and(isNull(organizations.deletedAt), isOlder, matches))
      .orderBy(desc(organizations.createdAt), desc(organizations.id))
      .limit(pageSize + 1),
  )
  const last = rows.length > pageSize ? rows[pageSize - 1] : undefined
  return {
    organizations: rows.slice(0, pageSize),
    older: last && `${last.createdAt.toISOString()}_${last.id}`,
  }
}

/** The name of an organization, for an admin of the app. */
export async function findOrganization(id: string): Promise<{ id: string; name: string } | undefined> {
  const [found] = await db
    .select({ id: organizations.id, name: organizations.name })
    .from(organizations)
    .where(and(eq(organizations.id, id), isNull(organizations.deletedAt)))
  return found
}

/** What the settings of an organization show. */
export async function findSettings(organizationId: string) {
  const [found] = await db
    .select({ name: organizations.name, slug: organizations.slug, logoId: organizations.logoId })
    .from(organizations)
    .where(eq(organizations.id, organizationId))
  if (!found) throw new AppError('not_found')
  return found
}
