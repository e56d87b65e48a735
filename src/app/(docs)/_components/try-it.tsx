'use client'

import { ChevronRight } from 'lucide-react'
import { createContext, type ReactNode, type RefObject, use, useEffect, useRef, useState } from 'react'
import { hintClass, inputClass, labelClass } from '@/core/ui/control'
import { Field, SelectField, TextField } from '@/core/ui/form'

// The token exists only in the input element: not in the URL, not in storage, gone with the page.
const Token = createContext<RefObject<HTMLInputElement | null> | null>(null)

/** Shares the token input with every form on the page. */
export function WithToken({ children }: { children: ReactNode }) {
  return <Token value={useRef<HTMLInputElement>(null)}>{children}</Token>
}

/** The token for requests from this page, and where to create one. */
export function TokenField({ createHref }: { createHref: string | undefined }) {
  return (
    <div className="grid gap-1.5 noscript:hidden">
      <label htmlFor="token" className={labelClass}>
        API token
      </label>
      <input
        id="token"
        ref={use(Token)}
        type="password"
        autoComplete="off"
        spellCheck={false}
        aria-describedby="token-hint"
        className={`${inputClass} max-w-md font-mono`}
      />
      <p id="token-hint" className={hintClass}>
        Stays on this page. Leave empty to use your current session.
      </p>
      {createHref && (
        <p data-when="signed-in" className="text-sm">
          <a href={createHref} className="underline underline-offset-4 hover:no-underline">
            Create token
          </a>
        </p>
      )}
    </div>
  )
}

interface ParameterField {
  name: string
  isInPath: boolean
  isRequired: boolean
  choices?: string[]
}

interface ReceivedResponse {
  title: string
  headers: string
  body: string
}

interface TryItProps {
  method: string
  path: string
  parameters: ParameterField[]
  /** Without `text` the body is a file. */
  body: { type: string; text?: string } | undefined
  needsAuthentication: boolean
  buttonClassName: string
}

/** The form to send a request. It is rendered when it is first opened: the page has one for every operation. */
export function TryIt({ summaryClassName, ...props }: TryItProps & { summaryClassName: string }) {
  const details = useRef<HTMLDetailsElement>(null)
  const [wasOpened, setWasOpened] = useState(false)
  // It may have been opened before hydration.
  useEffect(() => {
    if (details.current?.open) setWasOpened(true)
  }, [])
  return (
    <details ref={details} onToggle={() => setWasOpened(true)} className="group noscript:hidden">
      <summary className={summaryClassName}>
        <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-muted-foreground group-open:rotate-90" />
        Try it
      </summary>
      {wasOpened && <TryItForm {...props} />}
    </details>
  )
}

/** Sends the request from the browser to this app and shows the response. */
function TryItForm({ method, path, parameters, body, needsAuthentication, buttonClassName }: TryItProps) {
  const token = use(Token)
  const [received, setReceived] = useState<ReceivedResponse | null>(null)
  const [isWaiting, setIsWaiting] = useState(false)

  const send = async (form: FormData) => {
    setIsWaiting(true)
    const value = (name: string) => String(form.get(name) ?? '')
    const url = new URL(
      parameters.reduce((text, { name }) => text.replace(`{${name}}`, encodeURIComponent(value(name))), path),
      location.origin,
    )
    for (const { name, isInPath } of parameters) {
      if (!isInPath && value(name) !== '') url.searchParams.set(name, value(name))
    }
    const bearer = token?.current?.value.trim()
    const formBody = form.get('body')
    const sent = formBody instanceof File && formBody.size === 0 ? null : formBody
    try {
      setReceived(
        await call(url, {
          method,
          headers: {
            ...(bearer && { Authorization: `Bearer ${bearer}` }),
            ...(body && sent && { 'Content-Type': sent instanceof File ? sent.type : body.type }),
          },
          ...(body && sent && { body: sent }),
        }),
      )
    } catch {
      setReceived({ title: 'No response', headers: '', body: 'Could not reach the server.' })
    }
    setIsWaiting(false)
  }

  return (
    <form
      aria-label={`Try ${method} ${path}`}
      className="grid grid-cols-1 gap-4 px-4 pb-4"
      onSubmit={(event) => {
        event.preventDefault()
        void send(new FormData(event.currentTarget))
      }}
    >
      {needsAuthentication && (
        <p className={hintClass}>
          <span data-when="signed-in">Uses your session, or the API token if you enter one.</span>
          <span data-when="signed-out">You’re not signed in. Sign in, or enter an API token.</span>
        </p>
      )}
      {parameters.length > 0 && (
        <div className="grid gap-3 sm:grid-cols-2">
          {parameters.map(({ name, isRequired, choices }) =>
            choices ? (
              <SelectField key={name} label={name} name={name} required={isRequired}>
                {!isRequired && <option value="">Not set</option>}
                {choices.map((choice) => (
                  <option key={choice}>{choice}</option>
                ))}
              </SelectField>
            ) : (
              <Field key={name} label={name} name={name} required={isRequired} autoComplete="off" />
            ),
          )}
        </div>
      )}
      {body && body.text === undefined && <Field label="Body" name="body" type="file" accept={body.type} />}
      {body?.text !== undefined && (
        <TextField
          label="Body"
          name="body"
          defaultValue={body.text}
          rows={body.text.split('\n').length + 1}
          spellCheck={false}
          className="[&_textarea]:font-mono"
        />
      )}
      <div>
        <button type="submit" aria-disabled={isWaiting || undefined} className={buttonClassName}>
          Send
        </button>
      </div>
      <div role="status" className="grid grid-cols-1 gap-2">
        {received && (
          <>
            <p className="font-medium text-sm">{received.title}</p>
            <pre
              // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
              tabIndex={0}
              className="wrap-anywhere max-h-96 overflow-auto whitespace-pre-wrap rounded-md border bg-muted/60 p-3 font-mono text-xs leading-5"
            >
              {received.headers && <span className="text-muted-foreground">{`${received.headers}\n\n`}</span>}
              {received.body}
            </pre>
          </>
        )}
      </div>
    </form>
  )
}

const shownHeaders = ['content-type', 'content-disposition', 'cache-control', 'retry-after', 'allow', 'x-request-id']

async function call(url: URL, { headers, ...options }: RequestInit): Promise<ReceivedResponse> {
  const start = performance.now()
  const hasToken = headers !== undefined && 'Authorization' in headers
  const response = await fetch(url, {
    ...options,
    ...(headers && { headers }),
    cache: 'no-store',
    redirect: 'manual',
    credentials: hasToken ? 'omit' : 'same-origin',
  })
  if (response.type === 'opaqueredirect') {
    return { title: 'Redirect', headers: '', body: 'Browsers hide the target from scripts. Use curl -i to see it.' }
  }
  const bytes = await response.arrayBuffer()
  const time = Math.round(performance.now() - start)
  return {
    title: `${response.status} ${response.statusText}, ${time} ms`,
    headers: shownHeaders
      .flatMap((name) => (response.headers.has(name) ? [`${name}: ${response.headers.get(name)}`] : []))
      .join('\n'),
    body: formatBody(bytes, response.headers.get('content-type') ?? ''),
  }
}

function formatBody(bytes: ArrayBuffer, type: string): string {
  if (bytes.byteLength === 0) return 'No body'
  if (!/^text\/|json/.test(type)) return `${bytes.byteLength} bytes of binary data`
  const text = new TextDecoder().decode(bytes)
  try {
    return type.includes('json') ? JSON.stringify(JSON.parse(text), null, 2) : text.slice(0, 20_000)
  } catch {
    return text
  }
}
