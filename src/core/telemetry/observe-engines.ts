import 'server-only'
import { metrics } from '@opentelemetry/api'
import { pool } from '../db/client'
import { isDraining } from '../drain'
import { redis } from '../limits/redis'

/** Figures about what this node leans on. Reading them asks nobody. */
export function observeEngines(): void {
  const meter = metrics.getMeter('plinth')
  meter
    .createObservableGauge('db.client.connection.count', { description: 'Connections to PostgreSQL, used and idle' })
    .addCallback((result) => {
      result.observe(pool.idleCount, { 'db.client.connection.state': 'idle' })
      result.observe(pool.totalCount - pool.idleCount, { 'db.client.connection.state': 'used' })
    })
  meter
    .createObservableGauge('db.client.connection.max', { description: 'Connections that this node may have' })
    .addCallback((result) => result.observe(pool.options.max))
  meter
    .createObservableGauge('db.client.connection.pending_requests', { description: 'Who waits for a connection' })
    .addCallback((result) => result.observe(pool.waitingCount))
  meter
    .createObservableGauge('plinth.redis.up', {
      description: '1 while Redis answers; 0 while tries are counted in PostgreSQL in its place. Absent without Redis',
    })
    .addCallback((result) => {
      const client = redis()
      if (client) result.observe(client.status === 'ready' ? 1 : 0)
    })
  meter
    .createObservableGauge('plinth.draining', { description: '1 from SIGTERM on' })
    .addCallback((result) => result.observe(isDraining() ? 1 : 0))
}
