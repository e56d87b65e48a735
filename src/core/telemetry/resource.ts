import { detectResources, envDetector, type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import { env } from '../env'

/** The OpenTelemetry resource of this process, attached to every trace and metric. */
export function telemetryResource(): Resource {
  return resourceFromAttributes({ 'service.name': env.OTEL_SERVICE_NAME }).merge(
    detectResources({ detectors: [envDetector] }),
  )
}
