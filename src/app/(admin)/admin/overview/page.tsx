import Link from 'next/link'
import { requirePermission } from '@/core/auth/actor'
import { Heading } from '@/core/ui/section'
import { Card } from '@/core/ui/surface'
import { DayChart } from '../../_components/day-chart'
import { countSessions, findDays } from '../../days'
import { countUsers } from '../../list'
import { can } from '../../policy'

export const metadata = { title: 'Overview' }

export default async function OverviewPage() {
  await requirePermission(can('users.read'), '/admin/overview')
  const [people, suspended, sessions, days] = await Promise.all([
    countUsers({}),
    countUsers({ status: 'suspended' }),
    countSessions(),
    findDays(),
  ])
  return (
    <div className="grid gap-6">
      <Heading title="Overview">Counted from the tables and the audit log as they are now. Days are in UTC.</Heading>
      <dl className="grid gap-4 sm:grid-cols-3">
        <Figure name="People" {...people} href="/admin/users" />
        <Figure name="Suspended" {...suspended} href="/admin/users?status=suspended" />
        <Figure name="Sessions in use this week" {...sessions} />
      </dl>
      <div className="grid gap-4 lg:grid-cols-3">
        <DayChart title="Joined" {...days['person.joined']} />
        <DayChart title="Signed in" {...days['session.started']} />
        <DayChart title="Failed to sign in" {...days['signin.failed']} />
      </div>
    </div>
  )
}

function Figure({
  name,
  count,
  is,
  href,
}: {
  name: string
  count: number
  is: 'exact' | 'estimated' | 'at least'
  href?: '/admin/users' | '/admin/users?status=suspended'
}) {
  const number = `${{ exact: '', estimated: 'about ', 'at least': 'more than ' }[is]}${count.toLocaleString('en')}`
  return (
    <Card className="grid gap-1 p-5">
      <dt className="text-muted-foreground text-sm">{name}</dt>
      <dd className="font-semibold text-2xl tabular-nums">
        {href ? (
          <Link href={href} prefetch={false} className="underline-offset-4 hover:underline">
            {number}
          </Link>
        ) : (
          number
        )}
      </dd>
    </Card>
  )
}
