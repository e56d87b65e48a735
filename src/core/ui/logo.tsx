/** A block on two steps. Replace it with your own, as in icon.tsx, apple-icon.tsx and opengraph-image.tsx of src/app. */
export function Logo({ className = 'size-6' }: { className?: string }) {
  return (
    <svg viewBox="0 0 24 24" className={className} aria-hidden="true" fill="currentColor">
      <path d="M8.5 2h7v9h-7z" className="text-primary" />
      <path d="M6 12.5h12v3.5H6z" opacity=".75" />
      <path d="M3 17.5h18V22H3z" />
    </svg>
  )
}
