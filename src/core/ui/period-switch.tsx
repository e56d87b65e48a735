import type { Route } from 'next'
import { pathWithQuery } from './path-with-query'
import { Segments } from './tabs'

const periods = [7, 30, 90]
const defaultPeriod = 30

/** The period that `?days=` of a page chooses, in days. */
export function readPeriod(days: string | string[] | undefined): number {
  return periods.find((period) => String(period) === days) ?? defaultPeriod
}

/** Links that choose the period of the figures on a page. */
export function PeriodSwitch({ path, period }: { path: Route; period: number }) {
  return (
    <Segments
      label="Period"
      options={periods.map((days) => ({
        label: `${days} days`,
        href: pathWithQuery(path, { days: days === defaultPeriod ? undefined : days }),
        isCurrent: days === period,
      }))}
    />
  )
}
