import { NotFoundPanel } from '@/core/ui/not-found-panel'
import { SiteHeader } from '@/core/ui/site-header'

export const metadata = { title: 'Page not found' }

// Static, so that src/core/http/error-pages can send it for every page. CSS decides what is shown to users who are signed in,
// and that the background is the one of the app. Every page contains this one, so it is short.
export default function NotFound() {
  return (
    <>
      <div data-when="signed-in" className="fixed inset-0" style={{ zIndex: -1, background: 'var(--canvas)' }} />
      <SiteHeader />
      <NotFoundPanel />
    </>
  )
}
