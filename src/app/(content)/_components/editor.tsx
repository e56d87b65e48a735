'use client'

import { useRouter } from 'next/navigation'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useFormStatus } from 'react-dom'
import { ActionForm, Field, FormMessage, SubmitButton, TextField, useAnswer } from '@/core/ui/form'
import { savePost } from '../actions'
import { type Fields, type State, savedVersions, startAutosave } from './autosave'

interface Opened {
  id: string
  /** Who writes. */
  userId: string
  version: number
  fields: Fields
}

interface Props {
  post: Opened
  mayPublish: boolean
  /** When it is to be published, as the field shows it. */
  at: string
  classes: Record<'primary' | 'secondary' | 'outline' | 'danger' | 'warning', string>
}

/** Writes a post: saved by itself where scripts run, and with the button everywhere. */
export function Editor(props: Props) {
  return (
    <ActionForm action={savePost} className="grid grid-cols-1 gap-5">
      <Inside {...props} />
    </ActionForm>
  )
}

function Inside({ post, mayPublish, at, classes }: Props) {
  const answer = useAnswer()
  const router = useRouter()
  const { pending } = useFormStatus()
  const place = useRef<HTMLDivElement>(null)
  const work = useRef<ReturnType<typeof startAutosave>>(null)
  const [{ state, version }, setProgress] = useState<{ state: State; version: number }>({
    state: { is: 'untouched' },
    version: post.version,
  })
  const opened = useRef(post)

  useEffect(() => {
    const form = place.current?.closest('form')
    if (!form) return
    work.current = startAutosave(form, {
      ...opened.current,
      save: savePost,
      tell: (next, now) => setProgress({ state: next, version: now }),
    })
    // A page that came back from the history: what was saved since is on the server.
    if ((savedVersions.get(opened.current.id) ?? 0) > opened.current.version) router.refresh()
    return work.current.stop
  }, [router])
  useEffect(() => work.current?.serverHas(post), [post])
  useEffect(() => {
    if (answer?.ok === false && answer.error.code === 'conflict') work.current?.stand()
  }, [answer])

  const isConflict = state.is === 'conflict' || (answer?.ok === false && answer.error.code === 'conflict')
  const text = (name: keyof Fields) => ({ name, defaultValue: post.fields[name], readOnly: pending })
  return (
    <div ref={place} className="grid grid-cols-1 gap-5">
      <input type="hidden" name="id" value={post.id} />
      <input type="hidden" name="version" value={version} />
      {!isConflict && <FormMessage className={classes.danger} />}
      <Field label="Title" maxLength={200} required {...text('title')} />
      <TextField
        label="Text"
        hint="Markdown: # heading, **bold**, *italic*, [link](https://example.com), - list, > quote, ``` code"
        rows={22}
        className="[&_textarea]:font-mono [&_textarea]:leading-6"
        {...text('body')}
      />
      <TextField
        label="Summary"
        hint="For lists and search engines. Left empty, the first words are taken."
        rows={2}
        maxLength={300}
        {...text('summary')}
      />
      <div className="grid gap-5 sm:grid-cols-2">
        <Field
          label="Address"
          hint="Made from the title when empty. Old addresses lead to the new one."
          maxLength={80}
          {...text('slug')}
        />
        <Field label="Tags" hint="With commas between them." {...text('tags')} />
      </div>
      <div className="sticky bottom-0 z-10 flex flex-wrap items-end gap-3 border-t bg-background py-3">
        <p className="w-full text-muted-foreground text-sm sm:me-auto sm:w-auto">
          {/* Said aloud only when it matters: a pause while writing is none. */}
          <span role="status">{toSay(state)}</span>
          <span aria-hidden="true">{toSee(state)}</span>
        </p>
        {isConflict ? (
          <Conflict classes={classes} />
        ) : (
          <>
            <SubmitButton name="step" value="save" className={classes.outline}>
              Save
            </SubmitButton>
            {mayPublish && (
              <>
                <Later at={at} isOpen={answer?.ok === false && answer.error.fields?.at !== undefined}>
                  <SubmitButton name="step" value="schedule" className={classes.secondary}>
                    Schedule
                  </SubmitButton>
                </Later>
                <SubmitButton name="step" value="publish" className={classes.primary}>
                  Publish
                </SubmitButton>
              </>
            )}
          </>
        )}
      </div>
    </div>
  )
}

/** Both texts are kept, whatever is chosen. */
function Conflict({ classes }: Pick<Props, 'classes'>) {
  return (
    <div role="alert" tabIndex={-1} className={`grid w-full gap-3 ${classes.warning}`}>
      <p className="font-semibold">This post was changed elsewhere since you opened it.</p>
      <p>
        Your text is still in the fields, and the other one is saved. Choose which goes on; both stay among the
        versions.
      </p>
      <p className="flex flex-wrap gap-3 text-foreground">
        <SubmitButton name="resolve" value="mine" className={classes.primary}>
          Go on with mine
        </SubmitButton>
        <SubmitButton name="resolve" value="theirs" className={classes.outline}>
          Go on with the other
        </SubmitButton>
      </p>
    </div>
  )
}

function Later({ at, isOpen, children }: { at: string; isOpen: boolean; children: ReactNode }) {
  return (
    <details open={isOpen || undefined} className="relative">
      <summary className="flex h-10 cursor-pointer items-center rounded-md px-3 font-medium text-sm hover:bg-accent">
        Later …
      </summary>
      <div className="absolute end-0 bottom-full z-20 mb-2 grid w-72 gap-3 rounded-lg border bg-popover p-4 shadow-lg">
        <Field label="Publish at (UTC)" name="at" type="datetime-local" defaultValue={at} />
        {children}
      </div>
    </details>
  )
}

const time = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hour12: false })

const where = (isKept: boolean) => (isKept ? 'Kept in this browser' : 'Do not close this page')

function toSay(state: State): string {
  if (state.is === 'saved') return `Saved ${time.format(state.at)}`
  if (state.is === 'offline') return `Offline. ${where(state.isKept)}`
  if (state.is === 'refused') return `Not saved. ${where(state.isKept)}. ${state.why}`
  return ''
}

function toSee(state: State): string {
  if (state.is === 'waiting') return 'Not saved yet'
  return state.is === 'saving' ? 'Saving …' : ''
}
