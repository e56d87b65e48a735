import type { Activity } from './user-query'

export const activityLabels: Record<Activity, string> = {
  day: 'Last 24 hours',
  week: 'Last 7 days',
  month: 'Last 30 days',
  earlier: 'More than 30 days ago',
  never: 'Never',
}
