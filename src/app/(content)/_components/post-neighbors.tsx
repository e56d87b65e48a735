import { ArrowLeft, ArrowRight } from 'lucide-react'
import Link from 'next/link'
import { postPath } from '../api-post'

interface Neighbor {
  slug: string
  title: string
}

/** Links to the posts that were published before and after this one. */
export function PostNeighbors({ previous, next }: { previous: Neighbor | undefined; next: Neighbor | undefined }) {
  const links = [
    { label: 'Previous post', icon: ArrowLeft, post: previous },
    { label: 'Next post', icon: ArrowRight, post: next },
  ]
  if (!previous && !next) return null
  return (
    <nav aria-label="More posts" className="border-t py-6 print:hidden">
      <ul className="grid gap-3 sm:grid-cols-2">
        {links.map(
          ({ label, icon: Icon, post }) =>
            post && (
              <li key={label}>
                <Link
                  href={postPath(post.slug)}
                  prefetch={false}
                  className="grid h-full content-start gap-1 rounded-lg bg-card p-4.5 shadow-card hover:bg-muted"
                >
                  <span className="flex items-center gap-1.5 text-muted-foreground text-xs">
                    <Icon aria-hidden="true" className="size-3.5" />
                    {label}
                  </span>
                  <span className="wrap-anywhere font-medium">{post.title}</span>
                </Link>
              </li>
            ),
        )}
      </ul>
    </nav>
  )
}
