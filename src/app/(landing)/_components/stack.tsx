const modules = [
  { x: 92, y: 40, width: 120, height: 96, label: 'landing' },
  { x: 220, y: 76, width: 100, height: 60, label: 'yours' },
  { x: 328, y: 20, width: 64, height: 116, label: 'next' },
]

/** What stands on what: modules beside each other on one core, never on one another. */
export function Stack() {
  return (
    <svg viewBox="0 0 480 320" className="h-auto w-full" role="img" aria-labelledby="stack-title">
      <title id="stack-title">
        Modules stand side by side on core, and core stands on Next.js, Auth.js and PostgreSQL
      </title>
      <g className="fill-accent stroke-primary" strokeWidth="1.5">
        {modules.map(({ label, ...box }) => (
          <rect key={label} {...box} rx="6" strokeDasharray={label !== 'landing' ? '5 4' : undefined} />
        ))}
      </g>
      <rect x="60" y="144" width="360" height="56" rx="6" className="fill-primary" />
      <rect x="36" y="208" width="408" height="44" rx="6" className="fill-secondary stroke-border" />
      <rect x="12" y="260" width="456" height="44" rx="6" className="fill-muted stroke-border" />
      <g className="fill-foreground font-mono text-[14px]" textAnchor="middle">
        {modules.map(({ label, x, y, width, height }) => (
          <text key={label} x={x + width / 2} y={y + height / 2 + 5}>
            {label}
          </text>
        ))}
        <text x="240" y="177" className="fill-primary-foreground font-semibold">
          core
        </text>
        <text x="240" y="235">
          Next.js and Auth.js
        </text>
        <text x="240" y="287">
          PostgreSQL
        </text>
      </g>
    </svg>
  )
}
