import { detectResources, envDetector, type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import { env } from '../env'

/** What every trace and figure of this process says about where it comes from. */
export function describeNode(): Resource {
  return resourceFromAttributes({ 'service.name': env.OTEL_SERVICE_NAME }).merge(
    detectResources({ detectors: [envDetector] }),
  )
}
