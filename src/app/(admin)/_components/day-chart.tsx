import { getTimeFormat } from '@/core/time/get-time-format'
import { BarChart, ChartLegend, type ChartTone } from '@/core/ui/bar-chart'
import { TitledCard } from '@/core/ui/surface'
import { percentChange, type Series } from '../days'

/**
 * A card with the chart of a count per day. The days are in UTC, as the counts are stored. `hasTotal` adds the sum of all days,
 * compared with the period before.
 */
export async function DayChart({
  title,
  series,
  tone,
  hasTotal = false,
}: {
  title: string
  series: Series
  tone?: ChartTone
  hasTotal?: boolean
}) {
  const times = await getTimeFormat()
  const change = percentChange(series)
  return (
    <TitledCard title={title} after={<ChartLegend tone={tone} />}>
      <div className="px-4.5 pt-1 pb-3">
        {hasTotal && (
          <p className="mb-2 text-muted-foreground text-xs">
            <span className="block font-semibold text-[1.625rem] text-foreground leading-8 tracking-[-0.025em] tabular-nums">
              {series.total.toLocaleString('en')}
            </span>
            {change
              ? `${change.text} ${change.description}`
              : `${series.before.toLocaleString('en')} in the previous ${series.days.length} days`}
          </p>
        )}
        <BarChart
          name={title}
          unit="Day"
          lastLabel="Today"
          tone={tone}
          bars={series.days.map(({ day, count, before }) => ({
            label: times.dayName(day),
            value: count,
            before,
          }))}
        />
      </div>
    </TitledCard>
  )
}
