'use client'

import { createContext, type ReactNode, type RefObject, use, useRef, useState } from 'react'
import { hintClass, inputClass, labelClass } from '@/core/ui/control'
import { Field, SelectField, TextField } from '@/core/ui/form'
import { useInBrowser } from '@/core/ui/use-in-browser'

// The token is in the field and nowhere else: not in the address, not in storage, gone with the page.
const Token = createContext<RefObject<HTMLInputElement | null> | null>(null)

/** Around the field for the token and every call that is made with it. */
export function WithToken({ children }: { children: ReactNode }) {
  return <Token value={useRef<HTMLInputElement>(null)}>{children}</Token>
}

export function TokenField() {
  return (
    <div className="grid gap-1.5 noscript:hidden">
      <label htmlFor="token" className={labelClass}>
        Token for the calls on this page
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
        It stays in this field and is gone with the page. While it is empty, calls are made as whoever is signed in
        here, by the cookie.
      </p>
    </div>
  )
}

interface Given {
  name: string
  isInPath: boolean
  isRequired: boolean
  choices?: string[]
}

interface Received {
  title: string
  headers: string
  body: string
}

/** Makes the call from the page, to this app, and shows what came back. */
export function TryIt({
  method,
  path,
  parameters,
  body,
  buttonClassName,
}: {
  method: string
  path: string
  parameters: Given[]
  /** Without a text to begin with, it is a file. */
  body: { type: string; text?: string } | undefined
  buttonClassName: string
}) {
  const token = use(Token)
  const [received, setReceived] = useState<Received | null>(null)
  const [isWaiting, setIsWaiting] = useState(false)
  // Before the page is awake the browser would send the form itself, and put what was typed into the address.
  const isAwake = useInBrowser(() => true, false)

  const send = async (form: FormData) => {
    setIsWaiting(true)
    const value = (name: string) => String(form.get(name) ?? '')
    const address = new URL(
      parameters.reduce((text, { name }) => text.replace(`{${name}}`, encodeURIComponent(value(name))), path),
      location.origin,
    )
    for (const { name, isInPath } of parameters) {
      if (!isInPath && value(name) !== '') address.searchParams.set(name, value(name))
    }
    const bearer = token?.current?.value.trim()
    const given = form.get('body')
    const sent = given instanceof File && given.size === 0 ? null : given
    try {
      setReceived(
        await call(address, {
          method,
          headers: {
            ...(bearer && { Authorization: `Bearer ${bearer}` }),
            ...(body && sent && { 'Content-Type': sent instanceof File ? sent.type : body.type }),
          },
          ...(body && sent && { body: sent }),
        }),
      )
    } catch {
      setReceived({ title: 'No answer', headers: '', body: 'The app could not be reached, or the browser refused.' })
    }
    setIsWaiting(false)
  }

  return (
    <form
      aria-label={`Try ${method} ${path}`}
      className="grid grid-cols-1 gap-4 rounded-md border border-dashed p-4 noscript:hidden"
      onSubmit={(event) => {
        event.preventDefault()
        void send(new FormData(event.currentTarget))
      }}
    >
      <h4 className="font-medium text-sm">Try it</h4>
      {parameters.length > 0 && (
        <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
          {parameters.map(({ name, isRequired, choices }) =>
            choices ? (
              <SelectField key={name} label={name} name={name} required={isRequired}>
                {!isRequired && <option value="">left out</option>}
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
        <button type="submit" disabled={!isAwake} aria-disabled={isWaiting || undefined} className={buttonClassName}>
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

const shown = ['content-type', 'content-disposition', 'cache-control', 'retry-after', 'allow', 'x-request-id']

async function call(address: URL, { headers, ...options }: RequestInit): Promise<Received> {
  const start = performance.now()
  const hasToken = headers !== undefined && 'Authorization' in headers
  const answer = await fetch(address, {
    ...options,
    ...(headers && { headers }),
    cache: 'no-store',
    redirect: 'manual',
    credentials: hasToken ? 'omit' : 'same-origin',
  })
  if (answer.type === 'opaqueredirect') {
    return { title: 'A redirect', headers: '', body: 'Browsers do not tell scripts where it leads. curl -i does.' }
  }
  const bytes = await answer.arrayBuffer()
  const time = Math.round(performance.now() - start)
  return {
    title: `${answer.status} ${answer.statusText}, ${time} ms`,
    headers: shown
      .flatMap((name) => (answer.headers.has(name) ? [`${name}: ${answer.headers.get(name)}`] : []))
      .join('\n'),
    body: readable(bytes, answer.headers.get('content-type') ?? ''),
  }
}

function readable(bytes: ArrayBuffer, type: string): string {
  if (bytes.byteLength === 0) return 'No body.'
  if (!/^text\/|json/.test(type)) return `${bytes.byteLength} bytes that are no text.`
  const text = new TextDecoder().decode(bytes)
  try {
    return type.includes('json') ? JSON.stringify(JSON.parse(text), null, 2) : text.slice(0, 20_000)
  } catch {
    return text
  }
}
