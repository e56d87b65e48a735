import { requirePermission } from '@/core/auth/session/actor'
import { Page } from '@/core/ui/page'
import { PeriodSwitch, readPeriod } from '@/core/ui/period-switch'
import { Stat } from '@/core/ui/stat'
import { DayChart } from '../../_components/day-chart'
import { findDays } from '../../days'
import { findFigures, formatFigure } from '../../figures'
import { can } from '../../policy'

export const metadata = { title: 'Overview' }

export default async function OverviewPage({ searchParams }: PageProps<'/admin/overview'>) {
  await requirePermission(can('users.read'), '/admin/overview')
  const period = readPeriod((await searchParams).days)
  const [{ users, active, sessions, suspended }, counts] = await Promise.all([findFigures(), findDays(period)])
  return (
    <Page
      title="Overview"
      lead="Users and sign-ins. Days are in UTC."
      actions={<PeriodSwitch path="/admin/overview" period={period} />}
    >
      <div className="grid grid-cols-1 gap-4">
        <div className="grid grid-cols-2 gap-4 lg:grid-cols-4">
          <Stat label="Users" value={formatFigure(users)} href="/admin/users" />
          <Stat label="Active this week" value={formatFigure(active)} />
          <Stat label="Sessions this week" value={formatFigure(sessions)} />
          <Stat label="Suspended" value={formatFigure(suspended)} href="/admin/users?status=suspended" />
        </div>
        <DayChart title="Sign-ins" series={counts['session.started']} hasTotal />
        <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
          <DayChart title="New users" series={counts['person.joined']} hasTotal />
          <DayChart title="Failed sign-ins" series={counts['signin.failed']} tone="danger" hasTotal />
        </div>
      </div>
    </Page>
  )
}
