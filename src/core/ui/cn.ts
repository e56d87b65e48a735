import { cx } from 'class-variance-authority'
import { twMerge } from 'tailwind-merge'

/** Joins class names; of two that set the same thing, the last one holds. */
export function cn(...classes: Parameters<typeof cx>): string {
  return twMerge(cx(...classes))
}
