import { niceTicks } from './nice-ticks'

export interface Bar {
  label: string
  value: number
  /** The value of the same bar one period earlier. */
  before: number
}

const plotHeight = 150
const numberFormat = new Intl.NumberFormat('en')
const tickFormat = new Intl.NumberFormat('en', { notation: 'compact' })

const tones = {
  neutral: { fill: 'fill-chart-1', background: 'bg-chart-1' },
  danger: { fill: 'fill-chart-2', background: 'bg-chart-2' },
}
export type ChartTone = keyof typeof tones

/** What the bars and the line mean, for the heading of the chart. */
export function ChartLegend({ tone = 'neutral' }: { tone?: ChartTone | undefined }) {
  return (
    <span className="flex flex-wrap justify-end gap-x-3 text-xs">
      <span className="inline-flex items-center gap-1.5">
        <span aria-hidden="true" className={`size-2 rounded-xs ${tones[tone].background}`} />
        This period
      </span>
      <span className="inline-flex items-center gap-1.5">
        <span aria-hidden="true" className="w-2.5 border-muted-foreground border-t-2 border-dashed" />
        Previous
      </span>
    </span>
  )
}

/**
 * A bar chart, drawn on the server, with its numbers as a table. The previous period is a dashed line. The last bar is not
 * over yet, so it is hatched.
 */
export function BarChart({
  name,
  unit,
  lastLabel,
  bars,
  tone = 'neutral',
}: {
  /** What is counted: "Sign-ins". */
  name: string
  /** What a bar stands for: "Day". */
  unit: string
  /** What the last bar stands for: "Today". */
  lastLabel: string
  bars: Bar[]
  tone?: ChartTone | undefined
}) {
  const max = Math.max(...bars.map(({ value }) => value), 0)
  const ticks = niceTicks(Math.max(max, ...bars.map(({ before }) => before)))
  const isEmpty = bars.every(({ value, before }) => value === 0 && before === 0)
  const labelOf = ({ label }: Bar, index: number) => (index === bars.length - 1 ? lastLabel : label)
  const what = unit.toLowerCase()
  return (
    // Time runs from left to right in every language that the app has.
    <div data-slot="chart" dir="ltr">
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 pt-2 text-[0.6875rem] text-muted-foreground tabular-nums">
        <div aria-hidden="true" className="flex flex-col-reverse justify-between">
          {ticks.map((tick) => (
            <span key={tick} className="flex h-0 items-center justify-end">
              {tickFormat.format(tick)}
            </span>
          ))}
        </div>
        <div className="relative" style={{ height: plotHeight }}>
          <svg
            role="img"
            aria-label={`${name} by ${what}: up to ${numberFormat.format(max)} a ${what}, ${numberFormat.format(bars.at(-1)?.value ?? 0)} ${lastLabel.toLowerCase()}`}
            width="100%"
            height={plotHeight}
            className="block overflow-visible"
          >
            <Plot name={name} bars={bars} ticks={ticks} fill={tones[tone].fill} />
          </svg>
          {isEmpty ? (
            <p className="absolute inset-0 grid place-items-center text-sm">No data yet</p>
          ) : (
            <div data-slot="chart-bars" className="absolute inset-0 flex">
              {bars.map((bar, index) => (
                // Focusable, because a tap is no hover on every touchscreen. Not a tab stop: keyboards have the table.
                <i
                  key={bar.label}
                  tabIndex={-1}
                  data-tip={`${labelOf(bar, index)}\n${numberFormat.format(bar.value)} vs ${numberFormat.format(bar.before)}`}
                  data-side={index < bars.length / 2 ? undefined : 'start'}
                />
              ))}
            </div>
          )}
        </div>
        <div aria-hidden="true" className="relative col-start-2 h-5">
          <AxisLabels labels={bars.map(labelOf)} />
        </div>
      </div>
      <details className="mt-1 text-sm">
        <summary className="min-h-6 content-center text-muted-foreground text-xs">View as table</summary>
        <table className="mt-1 w-full tabular-nums">
          <caption className="sr-only">
            {name} by {what}
          </caption>
          <thead className="text-muted-foreground text-xs">
            <tr className="border-b">
              <th scope="col" className="py-1 text-start font-normal">
                {unit}
              </th>
              <th scope="col" className="py-1 text-end font-normal">
                {name}
              </th>
              <th scope="col" className="py-1 text-end font-normal">
                Previous
              </th>
            </tr>
          </thead>
          <tbody className="divide-y">
            {bars.toReversed().map(({ label, value, before }) => (
              <tr key={label}>
                <th scope="row" className="py-1 text-start font-normal text-muted-foreground">
                  {label}
                </th>
                <td className="py-1 text-end">{numberFormat.format(value)}</td>
                <td className="py-1 text-end text-muted-foreground">{numberFormat.format(before)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </div>
  )
}

/** Lines of the axis, bars, and the previous period. Positions across are percentages, so that nothing is distorted. */
function Plot({ name, bars, ticks, fill }: { name: string; bars: Bar[]; ticks: number[]; fill: string }) {
  const top = ticks.at(-1) ?? 1
  const yOf = (value: number) => plotHeight - (value / top) * plotHeight
  const percent = (position: number) => `${((position / bars.length) * 100).toFixed(3)}%`
  const patternId = `hatch-${name.toLowerCase().replaceAll(/\W+/g, '-')}`
  return (
    <>
      <defs>
        <pattern id={patternId} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="5" height="5" className={fill} opacity="0.3" />
          <rect width="2" height="5" className={fill} />
        </pattern>
      </defs>
      {ticks.map((tick) => (
        <line key={tick} x1="0" x2="100%" y1={yOf(tick)} y2={yOf(tick)} className="stroke-border" />
      ))}
      {bars.map(({ label, value }, index) => {
        // A bar of a small number stays visible beside large ones.
        const height = value === 0 ? 0 : Math.max(plotHeight - yOf(value), 2)
        const isLast = index === bars.length - 1
        return (
          <rect
            key={label}
            x={percent(index + 0.125)}
            y={plotHeight - height}
            width={percent(0.75)}
            height={height}
            rx="2.5"
            className={isLast ? undefined : fill}
            fill={isLast ? `url(#${patternId})` : undefined}
          />
        )
      })}
      <svg
        aria-hidden="true"
        viewBox={`0 0 ${bars.length} ${plotHeight}`}
        preserveAspectRatio="none"
        height={plotHeight}
      >
        <polyline
          points={bars.map(({ before }, index) => `${index + 0.5},${yOf(before).toFixed(1)}`).join(' ')}
          className="fill-none stroke-muted-foreground"
          strokeWidth="1.5"
          strokeDasharray="4 3"
          vectorEffect="non-scaling-stroke"
        />
      </svg>
    </>
  )
}

/** About four labels and the last one: weeks, or every second bar of a week. */
function AxisLabels({ labels }: { labels: string[] }) {
  const last = labels.length - 1
  const step = labels.length <= 7 ? 2 : 7 * Math.ceil(labels.length / 35)
  return labels.map((label, index) => {
    if (index !== last && (index % step > 0 || index > last - step / 2)) return null
    const position =
      index === 0
        ? { insetInlineStart: 0 }
        : index === last
          ? { insetInlineEnd: 0 }
          : { insetInlineStart: `${((index + 0.5) / labels.length) * 100}%`, translate: '-50%' }
    return (
      <span key={label} className="absolute top-1 whitespace-nowrap" style={position}>
        {label}
      </span>
    )
  })
}
