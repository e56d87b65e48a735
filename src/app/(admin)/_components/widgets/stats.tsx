import type { WidgetProps } from '@/core/module-ui'
import { Stat } from '@/core/ui/stat'
import { findDays, percentChange } from '../../days'
import { findFigures, formatFigure } from '../../figures'

export async function StatsWidget({ days }: WidgetProps) {
  const [figures, counts] = await Promise.all([findFigures(), findDays(days)])
  const { 'person.joined': joined, 'session.started': signIns, 'signin.failed': failed } = counts
  const newUsers = joined.total.toLocaleString('en')
  return (
    <div className="grid grid-cols-2 gap-4 lg:grid-cols-4">
      <Stat
        label="Users"
        value={formatFigure(figures.users)}
        href="/admin/users"
        change={
          joined.total > 0
            ? { text: newUsers, isUp: true, isGood: true, description: `new in ${days} days` }
            : undefined
        }
      />
      <Stat label="Active this week" value={formatFigure(figures.active)} />
      <Stat label="Sign-ins" value={signIns.total.toLocaleString('en')} change={percentChange(signIns)} />
      <Stat label="Failed sign-ins" value={failed.total.toLocaleString('en')} change={percentChange(failed, false)} />
    </div>
  )
}
