import type { CSSProperties } from 'react'
import { hueOf, initialsOf } from './avatar-look'

export interface Item {
  label: string
  hint?: string | undefined
  keys?: string | undefined
  href?: string
  avatarId?: string
  icon?: keyof typeof icons
  /** For what is not a page. */
  run?: () => void
}

const icons = {
  arrow: ['M5 12h14', 'm12 5 7 7-7 7'],
  file: [
    'M6 22a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h8l6 6v12a2 2 0 0 1-2 2z',
    'M14 2v5a1 1 0 0 0 1 1h5',
    'M8 13h8',
    'M8 17h8',
  ],
  keyboard: [
    'M4 4h16a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2z',
    'M7 16h10',
    'M6 8h.01M10 8h.01M14 8h.01M18 8h.01M8 12h.01M12 12h.01M16 12h.01',
  ],
  search: ['m21 21-4.34-4.34', 'M19 11a8 8 0 1 1-16 0 8 8 0 0 1 16 0'],
  theme: ['M12 3a6 6 0 0 0 9 9 9 9 0 1 1-9-9Z'],
}

export const optionId = (index: number) => `palette-option-${index}`

export function Option({
  item,
  index,
  isActive,
  onPoint,
  onOpen,
}: {
  item: Item
  index: number
  isActive: boolean
  onPoint: () => void
  onOpen: () => void
}) {
  // Never focused: the field keeps the focus, and handles the keys of all options.
  return (
    <a
      id={optionId(index)}
      role="option"
      aria-selected={isActive}
      tabIndex={-1}
      href={item.href}
      onPointerMove={onPoint}
      onClick={(event) => {
        // With a modifier key the browser opens the link elsewhere.
        if (item.href && (event.metaKey || event.ctrlKey || event.shiftKey)) return
        event.preventDefault()
        onOpen()
      }}
      className="mx-1.5 flex h-10 cursor-pointer items-center gap-2.5 rounded-md px-2.5 text-sm aria-selected:bg-hover"
    >
      <OptionIcon item={item} />
      <span className="truncate">{item.label}</span>
      {item.hint && <span className="min-w-0 truncate text-[0.78125rem] text-muted-foreground">{item.hint}</span>}
      <span aria-hidden="true" className="ms-auto flex shrink-0 gap-1">
        {item.keys?.split(' ').map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
        {isActive && <kbd>↵</kbd>}
      </span>
    </a>
  )
}

/** A user’s avatar, the icon that the sidebar has for the page, or a general one. */
function OptionIcon({ item: { label, href, avatarId, icon = 'arrow' } }: { item: Item }) {
  if (avatarId)
    return (
      <span
        data-slot="avatar"
        aria-hidden="true"
        style={{ '--h': hueOf(avatarId) } as CSSProperties}
        className="grid size-6 shrink-0 place-items-center rounded-full font-semibold text-[0.625rem]"
      >
        {initialsOf(label)}
      </span>
    )
  const path = href?.split(/[?#]/)[0]
  const found = path && document.querySelector(`[data-slot="sidebar"] a[href="${CSS.escape(path)}"] > svg`)
  if (!found) return <PaletteIcon name={icon} />
  const copy = (node: HTMLElement | null) => node?.replaceChildren(found.cloneNode(true))
  return <span ref={copy} aria-hidden="true" className="shrink-0 text-muted-foreground [&_svg]:size-4" />
}

export const PaletteIcon = ({ name }: { name: keyof typeof icons }) => (
  <svg
    viewBox="0 0 24 24"
    aria-hidden="true"
    fill="none"
    stroke="currentColor"
    strokeWidth={1.75}
    strokeLinecap="round"
    strokeLinejoin="round"
    className="size-4 shrink-0 text-muted-foreground"
  >
    {icons[name].map((path) => (
      <path key={path} d={path} />
    ))}
  </svg>
)
