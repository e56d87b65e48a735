import type { OutlineEntry } from '../post-html'

/** The headings of a post beside it, on wide screens. */
export function Outline({ entries }: { entries: OutlineEntry[] }) {
  const shown = entries.filter(({ level }) => level < 4)
  if (shown.length < 2) return null
  return (
    <nav aria-labelledby="outline-title" data-slot="outline">
      <p id="outline-title" className="pb-2 font-medium text-sm">
        On this page
      </p>
      <ul className="grid gap-1 text-sm">
        {shown.map(({ id, text, level }) => (
          <li key={id} data-level={level}>
            <a href={`#${id}`} className="wrap-anywhere block py-0.5 text-muted-foreground hover:text-foreground">
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
