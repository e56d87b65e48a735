import 'server-only'
import { metrics } from '@opentelemetry/api'
import { pool } from '../db/client'
import { redis } from '../limits/redis'
import { isDraining } from '../process/drain'

/** Gauges about PostgreSQL and Redis connections. Reading them sends no query. */
export function observeConnections(): void {
  const meter = metrics.getMeter('plinth')
  meter
    .createObservableGauge('db.client.connection.count', { description: 'Connections to PostgreSQL, used and idle' })
    .addCallback((result) => {
      result.observe(pool.idleCount, { 'db.client.connection.state': 'idle' })
      result.observe(pool.totalCount - pool.idleCount, { 'db.client.connection.state': 'used' })
    })
  meter
    .createObservableGauge('db.client.connection.max', { description: 'Maximum connections of this node' })
    .addCallback((result) => result.observe(pool.options.max))
  meter
    .createObservableGauge('db.client.connection.pending_requests', { description: 'Requests in the pool queue' })
    .addCallback((result) => result.observe(pool.waitingCount))
  meter
    .createObservableGauge('plinth.redis.up', {
      description: '1 while Redis is reachable; 0 while rate limits fall back to PostgreSQL. Absent without Redis',
    })
    .addCallback((result) => {
      const client = redis()
      if (client) result.observe(client.status === 'ready' ? 1 : 0)
    })
  meter
    .createObservableGauge('plinth.draining', { description: '1 after SIGTERM' })
    .addCallback((result) => result.observe(isDraining() ? 1 : 0))
}
