import Link from 'next/link'
import type { ReactNode } from 'react'
import { SiteHeader } from '@/core/ui/site-header'

/** What is around posts for everybody who reads. */
export function PublicFrame({ children }: { children: ReactNode }) {
  return (
    <>
      <SiteHeader>
        <Link href="/posts" className="hover:underline">
          Posts
        </Link>
      </SiteHeader>
      <main id="main" className="mx-auto w-full max-w-3xl px-4 py-10 sm:px-6">
        {children}
      </main>
      <footer className="border-t">
        <nav
          aria-label="Footer"
          className="mx-auto flex max-w-3xl gap-5 px-4 py-6 text-muted-foreground text-sm sm:px-6"
        >
          <Link href="/posts" className="underline-offset-4 hover:underline">
            All posts
          </Link>
          <a href="/posts/feed.xml" className="underline-offset-4 hover:underline">
            Feed
          </a>
        </nav>
      </footer>
    </>
  )
}
