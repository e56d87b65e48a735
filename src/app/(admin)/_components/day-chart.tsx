import { Card } from '@/core/ui/surface'
import type { DayCount } from '../days'

const number = new Intl.NumberFormat('en')
const words = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const inWords = (day: string) => words.format(new Date(day))

/** So many of something on each day: a picture, its sum in words, and the numbers behind it in a table. */
export function DayChart({ title, days, before }: { title: string; days: DayCount[]; before: number }) {
  const sum = days.reduce((total, { count }) => total + count, 0)
  const most = Math.max(...days.map(({ count }) => count), 1)
  const [first, last] = [days[0], days.at(-1)]
  const height = 64
  const width = 100 / days.length
  return (
    <Card className="grid content-start gap-3 p-5">
      <h2 className="font-semibold">{title}</h2>
      <p className="text-sm">
        <span className="block font-semibold text-2xl tabular-nums">{number.format(sum)}</span>{' '}
        <span className="text-muted-foreground">
          in {days.length} days; {number.format(before)} in the {days.length} before
        </span>
      </p>
      <svg
        role="img"
        aria-label={`${title} by day: at most ${number.format(most)}, ${number.format(last?.count ?? 0)} today`}
        viewBox={`0 0 100 ${height}`}
        preserveAspectRatio="none"
        className="h-24 w-full"
      >
        <line x1="0" x2="100" y1={height} y2={height} className="stroke-border" vectorEffect="non-scaling-stroke" />
        {days.map(({ day, count }, index) => {
          const tall = (count / most) * (height - 2)
          return (
            <rect
              key={day}
              x={index * width + width * 0.15}
              y={height - tall}
              width={width * 0.7}
              height={tall}
              className="fill-primary"
            >
              <title>{`${inWords(day)}: ${number.format(count)}`}</title>
            </rect>
          )
        })}
      </svg>
      <p className="flex justify-between text-muted-foreground text-xs" aria-hidden="true">
        <span>{first && inWords(first.day)}</span>
        <span>today</span>
      </p>
      <details className="text-sm">
        <summary className="cursor-pointer text-muted-foreground">The numbers</summary>
        <table className="mt-2 w-full tabular-nums">
          <thead className="sr-only">
            <tr>
              <th scope="col">Day</th>
              <th scope="col">{title}</th>
            </tr>
          </thead>
          <tbody>
            {days.toReversed().map(({ day, count }) => (
              <tr key={day} className="border-b last:border-0">
                <th scope="row" className="py-1 text-start font-normal text-muted-foreground">
                  {inWords(day)}
                </th>
                <td className="py-1 text-end">{number.format(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </Card>
  )
}
