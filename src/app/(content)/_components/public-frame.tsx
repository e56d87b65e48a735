import Link from 'next/link'
import type { ReactNode } from 'react'
import { SiteHeader } from '@/core/ui/site-header'
import { BlogStyle } from './blog-style'

/** Header and footer of the public post pages. */
export function PublicFrame({ children }: { children: ReactNode }) {
  return (
    <>
      <BlogStyle />
      <SiteHeader>
        <Link href="/posts" className="hover:underline">
          Blog
        </Link>
      </SiteHeader>
      <main id="main" className="mx-auto w-full max-w-6xl px-4 py-10 sm:px-6">
        {children}
      </main>
      <footer className="border-t">
        <nav
          aria-label="Footer"
          className="mx-auto flex max-w-6xl flex-wrap gap-5 px-4 py-6 text-muted-foreground text-sm sm:px-6"
        >
          <Link href="/posts" className="underline-offset-4 hover:underline">
            All posts
          </Link>
          <a href="/posts/feed.xml" className="underline-offset-4 hover:underline">
            Atom feed
          </a>
          <a href="/posts/feed.json" className="underline-offset-4 hover:underline">
            JSON feed
          </a>
        </nav>
      </footer>
    </>
  )
}
