import { ChevronRight } from 'lucide-react'
import { type CSSProperties, Fragment } from 'react'
import { buttonVariants } from '@/core/ui/button'
import type { ApiResponse, Parameter } from '../openapi'
import { bodyOf, type Call, curlSample, fetchSample, needsAuthentication, responseSample } from '../samples'
import { Code } from './code'
import { countFields, FieldList, Fields, typeOf } from './fields'
import { Method } from './method'
import { TryIt } from './try-it'

/**
 * One operation: what it needs and returns, and beside it, on wide screens, samples and the form to try it. The browser lays it
 * out when it is scrolled to. Until then it is a little taller than it will be.
 */
export function Operation(call: Call) {
  const { method, path, operation, named } = call
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  const titleId = `${operationId}-title`
  return (
    <article
      id={operationId}
      aria-labelledby={titleId}
      data-slot="operation"
      className="grid grid-cols-1 gap-x-12 gap-y-4 border-t py-8 [contain-intrinsic-block-size:auto_calc(44rem+var(--fields)*3.5rem)] xl:grid-cols-2 xl:[contain-intrinsic-block-size:auto_calc(24rem+var(--fields)*2.5rem)]"
      style={
        // The margin leaves room for focus rings.
        { contentVisibility: 'auto', overflowClipMargin: '0.5rem', '--fields': countAllFields(call) } as CSSProperties
      }
    >
      <div className="grid min-w-0 grid-cols-1 content-start gap-5">
        <div className="grid gap-2">
          <h3 id={titleId} className="font-semibold text-lg">
            <a href={`#${operationId}`} className="hover:underline">
              {summary}
            </a>
          </h3>
          <p className="flex flex-wrap items-center gap-2">
            <Method name={method} />
            <code className="wrap-anywhere min-w-0 font-mono text-sm">{path}</code>
          </p>
          <p className="text-muted-foreground text-sm">{withCode(description)}</p>
        </div>
        {parameters.length > 0 && (
          <Section title="Parameters">
            <FieldList fields={parameters.map(asField)} />
          </Section>
        )}
        {Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => (
          <Section key={type} title={`Body, ${type}${requestBody?.required ? '' : ' (optional)'}`}>
            {schema && <Fields schema={schema} named={named} />}
          </Section>
        ))}
        <Responses responses={responses} named={named} />
      </div>
      <div className="sticky top-20 max-h-[calc(100dvh-6rem)] min-w-0 divide-y self-start overflow-y-auto rounded-lg bg-card shadow-card">
        <Samples {...call} />
        <TryIt
          method={method}
          path={path}
          parameters={parameters.map(({ name, in: parameterIn, required, schema }) => ({
            name,
            isInPath: parameterIn === 'path',
            isRequired: required,
            ...(schema.enum && { choices: schema.enum.map(String) }),
          }))}
          body={bodyOf(call)}
          needsAuthentication={needsAuthentication(call)}
          summaryClassName={summaryClass}
          buttonClassName={buttonVariants({ size: 'small' })}
        />
      </div>
    </article>
  )
}

function countAllFields({ operation: { parameters, requestBody, responses }, named }: Call): number {
  const contents = [requestBody, ...Object.values(responses)].flatMap((one) => Object.values(one?.content ?? {}))
  return contents.reduce((sum, { schema }) => sum + (schema ? countFields(schema, named) : 0), parameters.length)
}

const summaryClass =
  'flex min-h-9 list-none items-center gap-1.5 px-4 font-medium text-sm hover:bg-hover focus-visible:-outline-offset-2'

/** The samples of one operation. One at a time is open; the browser sees to that. */
function Samples(call: Call) {
  const response = responseSample(call)
  const samples = [
    { title: 'curl', code: curlSample(call) },
    { title: 'fetch', code: fetchSample(call) },
    ...(response ? [{ title: `Response ${response.status}`, code: response.text }] : []),
  ]
  return samples.map(({ title, code }, index) => (
    <details key={title} name={`samples-${call.operation.operationId}`} open={index === 0} className="group">
      <summary className={summaryClass}>
        <Chevron />
        {title}
      </summary>
      <div className="px-3 pb-3">
        <Code label={title} isLabelHidden>
          {code}
        </Code>
      </div>
    </details>
  ))
}

const Chevron = () => (
  <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-muted-foreground group-open:rotate-90" />
)

const asField = ({ name, in: parameterIn, required, description, schema }: Parameter) => ({
  name,
  type: `${typeOf(schema)}${parameterIn === 'path' ? ', in the path' : ''}`,
  isRequired: required,
  description,
})

function Section({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div className="grid grid-cols-1 gap-2">
      <h4 className="font-medium text-sm">{title}</h4>
      {children}
    </div>
  )
}

/** Successful responses, and the errors folded: they are much the same for every operation. */
function Responses({ responses, named }: Pick<Call['operation'], 'responses'> & Pick<Call, 'named'>) {
  const all = Object.entries(responses)
  const errors = all.filter(([status]) => Number(status) >= 400)
  return (
    <>
      <Section title="Responses">
        <ResponseList responses={all.filter(([status]) => Number(status) < 400)} named={named} />
      </Section>
      <details className="group">
        <summary className="mb-2 flex list-none items-center gap-1.5 font-medium text-sm">
          <Chevron />
          Errors
          <span className="font-mono text-muted-foreground text-xs">{errors.map(([status]) => status).join(', ')}</span>
        </summary>
        <ResponseList responses={errors} named={named} />
      </details>
    </>
  )
}

function ResponseList({ responses, named }: { responses: [string, ApiResponse][] } & Pick<Call, 'named'>) {
  return (
    <dl className="grid grid-cols-[3rem_minmax(0,1fr)] gap-3 text-sm">
      {responses.map(([status, response]) => (
        <Fragment key={status}>
          <dt className="font-mono text-xs leading-6">{status}</dt>
          <Response {...response} named={named} />
        </Fragment>
      ))}
    </dl>
  )
}

function Response({ description, content = {}, named }: ApiResponse & Pick<Call, 'named'>) {
  const [[type, { schema }] = ['', {}]] = Object.entries(content)
  if (type === 'application/problem+json' || !type) return <dd>{withCode(description)}</dd>
  return (
    <dd className="grid grid-cols-1 gap-2">
      <p>
        {type}
        {schema && !schema.properties && <span className="font-mono text-xs"> {typeOf(schema)}</span>}
      </p>
      {schema && <Fields schema={schema} named={named} />}
    </dd>
  )
}

/** Renders text between backticks as code. */
function withCode(text: string) {
  return text.split('`').map((part, index) =>
    index % 2 === 1 ? (
      <code key={part} className="rounded bg-muted px-1 py-0.5 font-mono text-xs">
        {part}
      </code>
    ) : (
      part
    ),
  )
}
