import { metrics } from '@opentelemetry/api'
import { durationHistogram } from './duration'

// The metrics of the app; docs/observe.md explains each. Names follow OpenTelemetry's semantic conventions where there is
// one. Never use a user's name, email, IP or id as an attribute: every distinct value becomes a series that is never freed.
const meter = metrics.getMeter('plinth')

export const actionDuration = meter.createHistogram('plinth.action.duration', {
  ...durationHistogram,
  description: 'Duration of actions, by name and outcome',
})

export const queryDuration = meter.createHistogram('db.client.operation.duration', {
  ...durationHistogram,
  description: 'Duration of SQL statements, by first keyword; outside transactions including the wait for a connection',
})

export const jobDuration = meter.createHistogram('plinth.job.duration', {
  ...durationHistogram,
  description: 'Duration of jobs, by name and outcome',
})

export const refusals = meter.createCounter('plinth.refusals', {
  description: 'Rejected requests, by error code',
})

export const auditEventCount = meter.createCounter('plinth.audit.entries', {
  description: 'Audit events, by kind: sign-ins, failed sign-ins, and all other user actions',
})

export const queuedHashes = meter.createUpDownCounter('plinth.hash.waiting', {
  description: 'Passwords queued for hashing',
})
