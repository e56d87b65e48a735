import type { LogoPath } from '../auth/oauth/define-provider'

export function ProviderLogo({ logo }: { logo: readonly LogoPath[] }) {
  return (
    <svg viewBox="0 0 24 24" fill="currentColor" aria-hidden="true" className="size-4">
      {logo.map(({ d, fill }) => (
        <path key={d} d={d} fill={fill} />
      ))}
    </svg>
  )
}
