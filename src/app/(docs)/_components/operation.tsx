import { ChevronRight } from 'lucide-react'
import { buttonVariants } from '@/core/ui/button'
import type { ApiResponse, Parameter } from '../openapi'
import { bodyOf, type Call, curlSample, fetchSample } from '../samples'
import { Code } from './code'
import { FieldList, Fields, typeOf } from './fields'
import { Method } from './method'
import { TryIt } from './try-it'

/** One call: closed it says what it does, open it says everything else, and can be tried. */
export function OperationEntry(call: Call) {
  const { method, path, operation, named } = call
  const { operationId, summary, description, parameters, requestBody, responses } = operation
  return (
    <details className="group rounded-lg border bg-card">
      <summary className="flex list-none flex-wrap items-center gap-x-3 gap-y-1 rounded-lg px-4 py-3 hover:bg-muted/60">
        <ChevronRight aria-hidden="true" className="size-4 text-muted-foreground group-open:rotate-90" />
        <Method name={method} />
        <h3 className="wrap-anywhere min-w-0 font-mono text-sm">{path}</h3>
        <span className="basis-full text-muted-foreground text-sm sm:ms-auto sm:basis-auto">{summary}</span>
      </summary>
      {/* The name is inside: browsers open what a link leads into. */}
      <div id={operationId} className="grid scroll-mt-32 grid-cols-1 gap-6 border-t px-4 py-5">
        <p className="text-sm">{withCode(description)}</p>
        {parameters.length > 0 && (
          <Part title="Parameters">
            <FieldList fields={parameters.map(asField)} />
          </Part>
        )}
        {Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => (
          <Part key={type} title={`Body, ${type}${requestBody?.required ? '' : ', may be left out'}`}>
            {schema && <Fields schema={schema} named={named} />}
          </Part>
        ))}
        <Part title="Answers">
          <dl className="grid gap-3">
            {Object.entries(responses).map(([status, response]) => (
              <div key={status} className="grid grid-cols-[3rem_1fr] gap-x-3 text-sm">
                <dt className="font-mono text-xs leading-6">{status}</dt>
                <dd className="grid min-w-0 gap-2">
                  <Response {...response} named={named} />
                </dd>
              </div>
            ))}
          </dl>
        </Part>
        <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
          <Code label="curl">{curlSample(call)}</Code>
          <Code label="fetch">{fetchSample(call)}</Code>
        </div>
        <TryIt
          method={method}
          path={path}
          parameters={parameters.map(({ name, in: place, required, schema }) => ({
            name,
            isInPath: place === 'path',
            isRequired: required,
            ...(schema.enum && { choices: schema.enum.map(String) }),
          }))}
          body={bodyOf(call)}
          buttonClassName={buttonVariants({ size: 'small' })}
        />
      </div>
    </details>
  )
}

const asField = ({ name, in: place, required, description, schema }: Parameter) => ({
  name,
  type: `${typeOf(schema)}${place === 'path' ? ', in the path' : ''}`,
  isRequired: required,
  description,
})

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div className="grid grid-cols-1 gap-2">
      <h4 className="font-medium text-sm">{title}</h4>
      {children}
    </div>
  )
}

function Response({ description, content = {}, named }: ApiResponse & Pick<Call, 'named'>) {
  const [[type, { schema }] = ['', {}]] = Object.entries(content)
  if (type === 'application/problem+json' || !type) return <p>{withCode(description)}</p>
  return (
    <>
      <p>
        {type}
        {schema && !schema.properties && <span className="font-mono text-xs"> {typeOf(schema)}</span>}
      </p>
      {schema && <Fields schema={schema} named={named} />}
    </>
  )
}

/** What stands between backticks, as code. */
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
