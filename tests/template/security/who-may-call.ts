// Who may call what. The matrix compares what the app does with what its code says; here is what the code must say.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../scripts/root.ts'
import { findEntryPoints } from '../../app/matrix/entry-points.ts'
import { check } from '../../app/support/checks.ts'

/** Every action, handler and guarded page, by the roles that it allows. A change of these lists is a change of rights. */
// biome-ignore format: one name per line would be longer than a page
const allowedRoles: Record<string, string[]> = {
  'admin': [
    '/admin', '/admin/audit', '/admin/audit/[id]', '/admin/invitations', '/admin/invitations/[id]/resend',
    '/admin/invitations/[id]/revoke', '/admin/invitations/new', '/admin/organizations',
    '/admin/organizations/[id]/appoint', '/admin/organizations/[id]/delete', '/admin/overview', '/admin/permissions',
    '/admin/users', '/admin/users/[id]', '/admin/users/[id]/[tab]', '/admin/users/[id]/activity',
    '/admin/users/[id]/delete', '/admin/users/[id]/impersonate', '/admin/users/[id]/reset',
    '/admin/users/[id]/restore', '/admin/users/[id]/role', '/admin/users/[id]/sessions', '/admin/users/[id]/sign-out',
    '/admin/users/[id]/suspend', '/admin/users/[id]/two-factor', '/admin/users/import', '/admin/users/import/[id]',
    '/admin/users/role', '/admin/users/sign-out', '/admin/users/suspend', 'GET /api/admin/audit/export',
    'GET /api/admin/users/export', 'GET /api/demo/admin/users', 'POST /api/admin/users/import', 'appointAdmin', 'cancelUserImport',
    'deleteOrganizationAsAdmin', 'deleteUser', 'endUserSessions', 'impersonateUser', 'inviteUsers', 'listUsers',
    'removeUserSecondFactor', 'resendInvitation', 'restoreUser', 'revokeInvitation', 'sendUserReset', 'signOutUsers',
    'startUserImport', 'suspendUsers', 'undoRoleChange', 'undoSuspension', 'updateUserRole', 'updateUserRoles',
  ],
  'admin (scope)': [
    '/o/[scope]/audit', '/o/[scope]/members/[id]/remove', '/o/[scope]/members/[id]/role', '/o/[scope]/members/invite',
    '/o/[scope]/members/invited', '/o/[scope]/members/invited/[id]/resend', '/o/[scope]/members/invited/[id]/revoke',
    '/o/[scope]/settings/delete', '/o/[scope]/settings/transfer', 'changeMemberRole', 'deleteOrganization',
    'inviteMembers', 'removeLogo', 'removeMember', 'resendMemberInvitation', 'revokeMemberInvitation', 'setLogo',
    'transferOrganization', 'updateOrganization',
  ],
  'editor, admin (scope or app)': [
    '/content', '/content/[id]', '/content/[id]/versions', '/content/[id]/versions/[number]', '/content/delete',
    '/content/images', '/content/images/delete/[id]', '/content/images/new', '/content/images/replace/[id]',
    '/content/publish', '/content/unpublish', '/o/[scope]/content', '/o/[scope]/content/[id]',
    '/o/[scope]/content/[id]/versions', '/o/[scope]/content/[id]/versions/[number]', '/o/[scope]/content/delete',
    '/o/[scope]/content/publish', '/o/[scope]/content/unpublish', 'POST /api/content/images',
    'POST /api/content/images/form', 'POST /api/content/posts/[id]/compare', 'POST /api/content/posts/[id]/preview',
    'POST /api/o/[scope]/content/posts/[id]/compare', 'POST /api/o/[scope]/content/posts/[id]/preview',
    'PUT /api/content/images/[id]', 'PUT /api/content/posts/[id]/cover', 'createPost', 'createPreview', 'deleteImage',
    'deletePost', 'deletePosts', 'duplicatePost', 'endPreviews', 'publishPosts', 'removeCover', 'restoreRevision',
    'savePost', 'unpublishPost', 'unpublishPosts', 'unschedulePost',
  ],
  'everyone': [
    'DELETE /api/[[...path]]', 'GET /api/[[...path]]', 'GET /api/auth/[...nextauth]', 'GET /api/auth/session',
    'GET /api/auth/signin', 'GET /api/demo/landing', 'GET /api/health', 'GET /api/health/ready',
    'GET /api/openapi.json', 'GET /api/posts', 'GET /api/posts/[slug]', 'GET /llms.txt', 'GET /posts/covers/[id]',
    'GET /posts/feed.json', 'GET /posts/feed.xml', 'GET /posts/images/[file]/[variant]', 'GET /posts/sitemap/[month]',
    'GET /robots.txt', 'GET /sitemap-pages.xml', 'GET /sitemap.xml', 'PATCH /api/[[...path]]',
    'POST /api/[[...path]]', 'POST /api/auth/[...nextauth]', 'POST /api/auth/acting', 'POST /api/auth/challenge',
    'POST /api/auth/signin', 'POST /api/auth/signout', 'PUT /api/[[...path]]', 'acceptInvitation', 'askForReset',
    'beginPasskeySignIn', 'chooseNewPassword', 'enableTwoFactorAtSignIn', 'enterCode', 'enterEmailCode',
    'prepareTwoFactorAtSignIn', 'requestEmailCode', 'signIn', 'signInWithEmailLink', 'signInWithPasskey', 'signUp',
    'startWithProvider', 'submitCompromiseReport', 'verifySignUpEmail',
  ],
  'viewer, editor, admin': [
    '/organizations/new', 'GET /api/account/avatars/[id]', 'GET /api/account/export',
    'GET /api/organizations/logos/[id]', 'GET /api/search', 'acceptMembership', 'addPasskey', 'beginPasskey',
    'cancelEmailChange', 'changeEmail', 'changePassword', 'connectProvider', 'createApiToken', 'createOrganization',
    'declineMembership', 'deleteAccount', 'disableTwoFactor', 'disconnectProvider', 'enableTwoFactor',
    'endOtherSessions', 'endSession', 'prepareTwoFactor', 'reauthenticate', 'rememberBrowser', 'removePasskey',
    'removePicture', 'renamePasskey', 'renewRecoveryCodes', 'revokeApiToken', 'savePreferences', 'setFirstPassword',
    'setPicture', 'updateProfile', 'verifyNewEmail',
  ],
  'viewer, editor, admin (scope)': [
    '/o/[scope]', '/o/[scope]/members', '/o/[scope]/settings', '/o/[scope]/settings/leave',
    'GET /api/o/[scope]/members', 'leaveOrganization',
  ],
}

async function compareWithList(): Promise<string> {
  const expected = new Map(Object.entries(allowedRoles).flatMap(([roles, names]) => names.map((name) => [name, roles])))
  const actual = (await findEntryPoints()).filter(({ method }) => method !== 'HEAD')
  const wrong = actual.flatMap(({ name, file, access }) => {
    const place = access === 'public' || access.where === 'app' ? '' : ` (${access.where})`
    const allowed = access === 'public' ? 'everyone' : `${access.roles.join(', ')}${place}`
    const listed = expected.get(name) ?? 'nobody'
    return listed === allowed ? [] : [`${name} in ${file} allows ${allowed}, but is listed for ${listed}`]
  })
  assert.deepEqual(wrong, [])
  return `${actual.length} entry points`
}

// Not in a created app, which has roles, permissions and modules of its own.
if (!existsSync(join(root, 'plinth.json')))
  check('H-401', 'every action, handler and page allows the roles that are listed here, and no others', compareWithList)
