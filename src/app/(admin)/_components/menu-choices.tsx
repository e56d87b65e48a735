import { Check } from 'lucide-react'
import type { Route } from 'next'
import type { ReactNode } from 'react'
import { menuItemClass } from '@/core/ui/menu'

/** Choices of a menu of which one is current. Plain links: `MenuNavigation` makes them client-side navigations. */
export function MenuChoices({
  title,
  choices,
}: {
  title?: string
  choices: { label: ReactNode; href: Route; isCurrent: boolean }[]
}) {
  return (
    <>
      {title && <p className="px-2 pt-1 pb-0.5 font-medium text-muted-foreground text-xs">{title}</p>}
      <ul>
        {choices.map(({ label, href, isCurrent }) => (
          <li key={href}>
            <a href={href} aria-current={isCurrent ? 'true' : undefined} className={menuItemClass()}>
              <span className="flex-1">{label}</span>
              {isCurrent && <Check aria-hidden="true" strokeWidth={1.75} />}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}
