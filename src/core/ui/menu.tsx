import type { LucideIcon } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'

/** Where the menu opens, relative to its button. It flips where there is no room. */
const positions = {
  below: '[position-area:block-end_span-inline-start]',
  'below start': '[position-area:block-end_span-inline-end]',
  above: '[position-area:block-start_span-inline-end]',
}

/**
 * A button that opens a menu. The browser does the rest: Escape, a click outside, focus. It works without JavaScript, and
 * its content is links and buttons of forms. `id` must be unique on the page and valid as a CSS name.
 */
export function Menu({
  id,
  label,
  isNamedByTrigger,
  trigger,
  position,
  triggerClassName,
  className,
  children,
}: {
  id: string
  /** The name of the menu, and of its button. */
  label: string
  /** The text of `trigger` is the name of the button instead. */
  isNamedByTrigger?: boolean
  trigger: ReactNode
  position?: keyof typeof positions
  triggerClassName?: string
  className?: string
  children: ReactNode
}) {
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        aria-label={isNamedByTrigger ? undefined : label}
        data-slot="menu-button"
        style={{ anchorName: `--${id}` }}
        className={triggerClassName}
      >
        {trigger}
      </button>
      <MenuPopover id={id} label={label} position={position} className={className}>
        {children}
      </MenuPopover>
    </>
  )
}

/** The menu without its button: an element with `popovertarget` and the anchor name `--<id>` opens it. */
export function MenuPopover({
  id,
  label,
  position = 'below',
  className = '',
  children,
}: {
  id: string
  label: string
  position?: keyof typeof positions | undefined
  className?: string | undefined
  children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div
      id={id}
      popover="auto"
      role="group"
      aria-label={label}
      data-slot="menu"
      style={{ positionAnchor: `--${id}` }}
      className={`${positions[position]} ${className}`}
    >
      {children}
    </div>
  )
}

interface ItemLook {
  icon?: LucideIcon
  isDanger?: boolean
  /** A keyboard shortcut, or another short hint at the end. */
  hint?: ReactNode
}

const ItemContent = ({ icon: Icon, hint, children }: ItemLook & { children: ReactNode }) => (
  <>
    {Icon && <Icon aria-hidden="true" strokeWidth={1.75} />}
    <span className="min-w-0 flex-1">{children}</span>
    {hint && <span className="text-muted-foreground text-xs">{hint}</span>}
  </>
)

/** Class of a menu item, for a `Link`: `<Link className={menuItemClass()}>`. */
export const menuItemClass = ({ isDanger = false }: { isDanger?: boolean } = {}) =>
  isDanger ? 'menu-item menu-item-danger' : 'menu-item'

/** An item that submits the form around it, or the one that its `form` attribute names. */
export function MenuButton({ icon, isDanger, hint, children, ...props }: ComponentProps<'button'> & ItemLook) {
  return (
    <button type="submit" {...props} className={menuItemClass({ isDanger: isDanger ?? false })}>
      <ItemContent {...(icon && { icon })} hint={hint}>
        {children}
      </ItemContent>
    </button>
  )
}

/** An item that cannot be used, and why. */
export function DisabledMenuItem({ icon, reason, children }: ItemLook & { reason: string; children: ReactNode }) {
  return (
    <div className="menu-item menu-item-disabled">
      <ItemContent {...(icon && { icon })}>
        {children}
        <span className="block text-xs">{reason}</span>
      </ItemContent>
    </div>
  )
}

export const MenuSeparator = () => <hr className="menu-separator" />
