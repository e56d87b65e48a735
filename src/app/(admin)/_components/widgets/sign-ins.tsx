import type { WidgetProps } from '@/core/module-ui'
import { findDays } from '../../days'
import { DayChart } from '../day-chart'

export async function SignInsWidget({ days }: WidgetProps) {
  return <DayChart title="Sign-ins" series={(await findDays(days))['session.started']} />
}
