// The look of controls as plain strings: a form in the browser needs the names, not the libraries that join them.
export const inputClass =
  'block h-10 w-full rounded-md border border-input bg-card px-3 text-base text-card-foreground sm:text-sm placeholder:text-muted-foreground disabled:cursor-not-allowed disabled:opacity-60 aria-invalid:border-destructive file:me-3 file:h-full file:font-medium'
export const labelClass = 'block text-sm font-medium'
export const hintClass = 'text-sm text-muted-foreground'
export const fieldErrorClass = 'text-sm font-medium text-destructive'
