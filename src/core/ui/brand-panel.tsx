import { appDescription, appName, lightColors } from '@/brand'

/** Beside the forms for signing in, on wide screens. Replace it with your own: nothing else depends on what it shows. */
export function BrandPanel() {
  return (
    <aside
      aria-label={`About ${appName}`}
      className="overflow-hidden max-lg:hidden print:hidden"
      style={{
        position: 'sticky',
        top: 10,
        height: 'calc(100dvh - 20px)',
        margin: 10,
        borderRadius: 18,
        color: '#fff',
        background: [
          'radial-gradient(70% 60% at 85% 8%, oklch(0.8 0.13 82 / 85%), transparent 65%)',
          `radial-gradient(80% 90% at 0% 100%, color-mix(in oklab, ${lightColors.primary}, black 30%), transparent 70%)`,
          lightColors.primary,
        ].join(),
      }}
    >
      <svg
        viewBox="0 0 600 780"
        preserveAspectRatio="xMidYMax slice"
        aria-hidden="true"
        className="absolute inset-0 size-full"
      >
        <g fill="#fff">
          <rect x="235" y="250" width="130" height="230" rx="10" fillOpacity=".22" />
          <rect x="180" y="494" width="240" height="84" rx="10" fillOpacity=".16" />
          <rect x="120" y="592" width="360" height="104" rx="10" fillOpacity=".11" />
          <rect x="50" y="710" width="500" height="120" rx="10" fillOpacity=".07" />
        </g>
      </svg>
      <p
        className="relative max-w-md font-semibold text-[1.625rem] leading-8 tracking-[-0.02em]"
        style={{ padding: '2.25rem' }}
      >
        {appDescription}
      </p>
    </aside>
  )
}
