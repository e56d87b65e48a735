import { Badge } from './surface'

/** At the end of the button of the sign-in method that this browser used last. The button is `relative`. */
export function LastUsedBadge() {
  return (
    <>
      {' '}
      <Badge tone="accent" className="end-2 sm:absolute">
        Last used
      </Badge>
    </>
  )
}
