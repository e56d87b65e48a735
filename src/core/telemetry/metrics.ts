import { metrics } from '@opentelemetry/api'
import { inSeconds } from './duration'

// What is counted and timed, in one place; docs/observe.md says what each is for. Names follow OpenTelemetry's conventions
// where there is one. Nobody's name, address or id may become an attribute: each value that is seen is kept for good.
const meter = metrics.getMeter('plinth')

export const actionDuration = meter.createHistogram('plinth.action.duration', {
  ...inSeconds,
  description: 'How long an action took, by its name and how it ended',
})

export const queryDuration = meter.createHistogram('db.client.operation.duration', {
  ...inSeconds,
  description: 'How long a statement took, by its first word; outside of transactions with the wait for a connection',
})

export const jobDuration = meter.createHistogram('plinth.job.duration', {
  ...inSeconds,
  description: 'How long a job took, by its name and how it ended',
})

export const refusals = meter.createCounter('plinth.refusals', {
  description: 'Answers that said no, by their code',
})

export const auditEntries = meter.createCounter('plinth.audit.entries', {
  description: 'Entries of the audit log, by their kind: sign-ins, failed ones, and all that people did',
})

export const hashesWaiting = meter.createUpDownCounter('plinth.hash.waiting', {
  description: 'Passwords that wait for their turn to be hashed',
})
