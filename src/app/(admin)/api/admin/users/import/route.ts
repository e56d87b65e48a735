import { toAppError } from '@/core/errors'
import { defineHandler, defineRoute } from '@/core/handler'
import { noteRefusal } from '@/core/http/note-refusal'
import { uploadProblemOf } from '../../../../_import/problems'
import { receiveUpload } from '../../../../_import/receive-upload'
import { can } from '../../../../policy'

const redirectTo = (path: string) => new Response(null, { status: 303, headers: { Location: path } })

/** A handler, not an action: a file exceeds the body limit of server actions. Needs a session: API tokens are rejected. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  POST: defineHandler({
    allow: can('users.import'),
    summary: 'Upload a file of users to import',
    upload: 'multipart/form-data',
    responses: { 303: { redirect: 'the report of the dry run' } },
    errors: ['reauth_required', 'conflict', 'too_large', 'unsupported_media_type', 'invalid_input', 'rate_limited'],
    run: async ({ actor, request }) => {
      try {
        return redirectTo(`/admin/users/import/${await receiveUpload(actor, request)}`)
      } catch (error) {
        const refusal = toAppError(error)
        // The form shows the problem on its page. Other callers get it as JSON.
        if (refusal.status >= 500 || !request.headers.get('accept')?.includes('text/html')) throw refusal
        await noteRefusal(refusal, 'POST /api/admin/users/import')
        return redirectTo(`/admin/users/import?problem=${uploadProblemOf(refusal)}`)
      }
    },
  }),
})
