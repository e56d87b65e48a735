import { loadPage } from '../../../tests/app/support/load-page'
import { act, testRoundTrips, withSession } from '../../../tests/app/support/round-trip-table'

// The imports above must come first: they prepare the app's requests and its connections.

import { createHash, randomBytes } from 'node:crypto'
import { db } from '@/core/db/client'
import { sessions } from '@/core/db/schema'
import { changeMemberRole } from './actions'
import { GET } from './api/o/[scope]/members/route'
import OrganizationLayout from './o/[scope]/layout'
import MembersPage from './o/[scope]/members/page'
import { addMember, newOrganization, newUser } from './test-organizations'
import ui from './ui'

/** An organization with two members, and the session of its admin. */
async function prepare() {
  const [admin, member] = [await newUser(), await newUser()]
  const organization = await newOrganization(admin)
  await addMember(organization, member, 'viewer')
  const token = randomBytes(32).toString('base64url')
  await db.insert(sessions).values({ userId: admin.id, tokenHash: createHash('sha256').update(token).digest() })
  return { headers: withSession(token), member, scope: organization.slug }
}

testRoundTrips(
  'organizations',
  {
    'open the members of an organization': async () => {
      const { headers, scope } = await prepare()
      return () => loadPage(headers, [OrganizationLayout, MembersPage], { scope })
    },
    'list the members of an organization by the API': async () => {
      const { headers, scope } = await prepare()
      const request = new Request(`http://localhost:3000/api/o/${scope}/members`, { headers })
      return async () => {
        const { status } = await GET(request, { params: Promise.resolve({ scope }) })
        if (status !== 200) throw new Error(`status ${status}`)
      }
    },
    'change the role of a member': async () => {
      const { headers, scope, member } = await prepare()
      return () => act(() => changeMemberRole({ scope, userId: member.id, role: 'editor' }), headers)
    },
  },
  [ui],
)
