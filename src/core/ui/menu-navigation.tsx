'use client'

import type { Route } from 'next'
import { useRouter } from 'next/navigation'
import { type ReactNode, useEffect, useRef } from 'react'

/**
 * Makes the links in the menus inside it client-side navigations, and closes the menu, which returns the focus to its button.
 * One listener for all of them: each row has a menu, and a `Link` for each item would have to be hydrated.
 */
export function MenuNavigation({ children }: { children: ReactNode }) {
  const root = useRef<HTMLDivElement>(null)
  const { push } = useRouter()
  useEffect(() => {
    const element = root.current
    const onClick = (event: MouseEvent) => {
      const { target, button, ctrlKey, metaKey, shiftKey, altKey } = event
      if (button !== 0 || ctrlKey || metaKey || shiftKey || altKey || !(target instanceof Element)) return
      const link = target.closest<HTMLAnchorElement>('[popover] a[href]')
      if (!link) return
      event.preventDefault()
      link.closest<HTMLElement>('[popover]')?.hidePopover()
      push((link.pathname + link.search) as Route, { scroll: !link.hasAttribute('data-keep-scroll') })
    }
    element?.addEventListener('click', onClick)
    return () => element?.removeEventListener('click', onClick)
  }, [push])
  return <div ref={root}>{children}</div>
}
