import { appName } from '@/brand'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { absoluteUrl } from '@/core/site/origin'
import { publicPages } from '@/public-pages'
import { describeSite } from '../describe-site'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Get a description of the site for language models',
    responses: { 200: { file: 'text/plain' } },
    cache: 'public, max-age=3600',
    run: () => {
      const pages = publicPages.map(({ label, href }) => ({ label, url: absoluteUrl(href) }))
      return new Response(describeSite(appName, [{ label: 'Home', url: absoluteUrl('/') }, ...pages]), {
        headers: { 'Content-Type': 'text/plain; charset=utf-8' },
      })
    },
  }),
})
