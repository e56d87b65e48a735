import type { Route } from 'next'
import { BarChart, ChartLegend } from '@/core/ui/bar-chart'
import { PeriodSwitch } from '@/core/ui/period-switch'
import { TitledCard } from '@/core/ui/surface'
import { Example } from './example'

const values = [4, 7, 3, 9, 12, 6, 2, 8, 11, 5, 9, 14, 10, 6]
const bars = values.map((value, index) => ({
  label: `Nov ${index + 2}`,
  value,
  before: values[(index + 5) % values.length] ?? 0,
}))

export function Charts() {
  return (
    <>
      <Example
        name="BarChart, ChartLegend"
        code={
          '<TitledCard title="Sign-ins" after={<ChartLegend />}>\n  <BarChart name="Sign-ins" unit="Day" lastLabel="Today" bars={bars} />\n</TitledCard>'
        }
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <TitledCard title="Sign-ins" after={<ChartLegend />}>
            <div className="px-4.5 pb-4">
              <BarChart name="Sign-ins" unit="Day" lastLabel="Today" bars={bars} />
            </div>
          </TitledCard>
          <TitledCard title="Failed sign-ins" after={<ChartLegend tone="danger" />}>
            <div className="px-4.5 pb-4">
              <BarChart name="Failed sign-ins" unit="Day" lastLabel="Today" bars={bars.slice(7)} tone="danger" />
            </div>
          </TitledCard>
        </div>
      </Example>
      <Example name="PeriodSwitch" code={'<PeriodSwitch path="/dashboard" period={readPeriod(days)} />'}>
        <PeriodSwitch path={'/dev/ui' as Route} period={30} />
      </Example>
    </>
  )
}
