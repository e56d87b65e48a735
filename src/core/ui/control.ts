// The look of controls as plain strings: a form in the browser needs the names, not the libraries that join them.
export const inputClass =
  'block h-10 w-full rounded-md border border-input bg-card px-3 text-base text-card-foreground sm:text-sm placeholder:text-muted-foreground disabled:cursor-not-allowed disabled:opacity-60 aria-invalid:border-destructive file:me-3 file:h-full file:font-medium'
export const labelClass = 'block text-sm font-medium'
export const hintClass = 'text-sm text-muted-foreground'
export const fieldErrorClass = 'text-sm font-medium text-destructive'
/** A link among others, of which `aria-current` says that it is this page. */
export const navLinkClass =
  'flex min-h-10 items-center rounded-md px-3 text-muted-foreground text-sm hover:bg-accent hover:text-foreground aria-[current=page]:bg-accent aria-[current=page]:font-medium aria-[current=page]:text-foreground'
