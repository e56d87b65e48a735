import type { ReactNode } from 'react'
import { findSetupSteps } from '@/core/ui/setup-steps'
import { Card } from '@/core/ui/surface'
import { Command } from '../command'
import { EditorLink } from '../editor-link'

const firstSteps: { title: string; text: string; href?: string; place: ReactNode }[] = [
  {
    title: 'Browse the components',
    text: 'Every UI component, in light and dark.',
    href: '/dev/ui',
    place: <EditorLink path="src/core/ui/button.tsx" />,
  },
  {
    title: 'Make it yours',
    text: 'Change colors, radius and type in one file.',
    place: <EditorLink path="src/app/globals.css" />,
  },
  {
    title: 'Write a module',
    text: 'Add pages, actions, tables and tests in one folder.',
    place: <EditorLink path="docs/modules.md" />,
  },
  {
    title: 'Find your way around',
    text: 'Every URL, with the file behind it.',
    href: '/dev/routes',
    place: <EditorLink path="src/app/layout.tsx" />,
  },
  {
    title: 'Preview production',
    text: 'Run a production build on the same database.',
    place: <Command>npm run preview</Command>,
  },
]

/** What to do first, and what is left of the setup that the dashboard of an admin lists. */
export async function NextSteps() {
  const open = (await findSetupSteps()).filter(({ isDone }) => !isDone)
  return (
    <section aria-labelledby="next-steps" className="grid gap-4">
      <h2 id="next-steps" className="font-semibold text-xl">
        Next steps
      </h2>
      <ul className="grid grid-cols-1 gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {firstSteps.map(({ title, text, href, place }) => (
          <li key={title}>
            <Card className="grid h-full grid-cols-1 content-start gap-1">
              <h3 className="font-semibold">
                {href ? (
                  <a href={href} className="underline underline-offset-4">
                    {title}
                  </a>
                ) : (
                  title
                )}
              </h3>
              <p className="text-muted-foreground text-sm">{text}</p>
              <div>{place}</div>
            </Card>
          </li>
        ))}
        {open.map(({ title, hint }) => (
          <li key={title}>
            <Card className="grid h-full grid-cols-1 content-start gap-1">
              <h3 className="font-semibold">{title}</h3>
              {hint && <p className="text-muted-foreground text-sm">{hint}</p>}
            </Card>
          </li>
        ))}
      </ul>
    </section>
  )
}
