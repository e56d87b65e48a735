import { cx } from 'class-variance-authority'
import { twMerge } from 'tailwind-merge'

/** Joins class names; of conflicting Tailwind classes the last one wins. */
export function cn(...classes: Parameters<typeof cx>): string {
  return twMerge(cx(...classes))
}
