'use client'

import { useRouter } from 'next/navigation'
import { createContext, type ReactNode, type RefObject, use, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useFormStatus } from 'react-dom'
import { ActionForm, useResult } from '@/core/ui/form'
import { ScopeField } from '@/core/ui/scope-field'
import { savePost } from '../../actions'
import { Autosave, type State, savedVersions } from '../autosave'
import { areEqual, type Fields, readFields } from '../editor-fields'
import { useEditorKeys } from './use-editor-keys'
import type { View } from './view'

export interface EditorPost {
  id: string
  /** Slug of the organization that the post belongs to. */
  scope: string | undefined
  userId: string
  version: number
  fields: Fields
}

interface EditorState {
  post: EditorPost
  state: State
  /** The version that the text is based on. */
  version: number
  isConflict: boolean
  /** What is in the fields, after a pause in typing. */
  fields: Fields
  view: View
  setView: (view: View) => void
}

const EditorContext = createContext<EditorState | null>(null)

/** The state of the post editor, for the parts inside it. */
export function useEditor(): EditorState {
  const editor = use(EditorContext)
  if (!editor) throw new Error('not inside an EditorForm')
  return editor
}

/** The props of a field of the post. */
export function useText(name: keyof Fields) {
  const { pending } = useFormStatus()
  return { name, defaultValue: useEditor().post.fields[name], readOnly: pending }
}

/** The form of the post editor: autosaves with JavaScript, and saves with a button without it. */
export function EditorForm(props: { post: EditorPost; view: View; children: ReactNode }) {
  return (
    // autoComplete: a browser that goes back must not restore text that was typed before, which would count as new.
    <ActionForm action={savePost} autoComplete="off">
      <ScopeField slug={props.post.scope} />
      <EditorProvider {...props} />
    </ActionForm>
  )
}

function EditorProvider({ post, view: initialView, children }: { post: EditorPost; view: View; children: ReactNode }) {
  const result = useResult()
  const marker = useRef<HTMLInputElement>(null)
  const [view, setView] = useView(initialView)
  const [fields, readForm] = useFormFields(marker, post.fields)
  const { state, version } = useAutosave(marker, post, readForm)
  useEditorKeys(marker, setView)
  const isConflict = state.status === 'conflict' || (result?.ok === false && result.error.code === 'conflict')
  return (
    <EditorContext value={{ post, state, version, isConflict, fields, view, setView }}>
      <input ref={marker} type="hidden" name="id" value={post.id} />
      <input type="hidden" name="version" value={version} />
      {children}
    </EditorContext>
  )
}

type Marker = RefObject<HTMLInputElement | null>

function useAutosave(marker: Marker, post: EditorPost, onProgress: () => void) {
  const result = useResult()
  const router = useRouter()
  const autosave = useRef<Autosave>(null)
  const [progress, setProgress] = useState<{ state: State; version: number }>({
    state: { status: 'untouched' },
    version: post.version,
  })
  const initialPost = useRef(post)

  useEffect(() => {
    const form = marker.current?.form
    if (!form) return
    const { scope, ...opened } = initialPost.current
    const current = new Autosave(form, {
      ...opened,
      save: (input) => savePost(scope ? { ...input, scope } : input),
      onChange: (state, version) => {
        setProgress({ state, version })
        onProgress()
      },
    })
    autosave.current = current
    // It may have restored a text.
    onProgress()
    // Restored by the back button with an older version: load the current one from the server.
    if ((savedVersions.get(initialPost.current.id) ?? 0) > initialPost.current.version) router.refresh()
    return () => current.stop()
  }, [router, marker, onProgress])
  // Before the user can type into the new fields: that text would count as a conflict with them.
  useLayoutEffect(() => autosave.current?.onServerVersion(post), [post])
  useEffect(() => {
    if (result?.ok === false && result.error.code === 'conflict') autosave.current?.markConflict()
  }, [result])
  return progress
}

const pauseMs = 300

/** The fields as they are in the form, and a function that reads them again soon. */
function useFormFields(marker: Marker, initial: Fields): [Fields, () => void] {
  const [fields, setFields] = useState(initial)
  // One function for the whole life of the component: the autosave is created once.
  const [reader] = useState(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    return {
      cancel: () => clearTimeout(timer),
      readSoon: () => {
        clearTimeout(timer)
        timer = setTimeout(() => {
          const form = marker.current?.form
          if (form) setFields((before) => (areEqual(readFields(form), before) ? before : readFields(form)))
        }, pauseMs)
      },
    }
  })
  useEffect(() => {
    const form = marker.current?.form
    form?.addEventListener('input', reader.readSoon)
    return () => {
      form?.removeEventListener('input', reader.readSoon)
      reader.cancel()
    }
  }, [marker, reader])
  return [fields, reader.readSoon]
}

/** The view is in the URL, so that it stays after a reload. Without JavaScript it is chosen by links. */
function useView(initial: View): [View, (view: View) => void] {
  const [view, setView] = useState(initial)
  const [choose] = useState(() => (next: View) => {
    setView(next)
    window.history.replaceState(null, '', next === 'split' ? window.location.pathname : `?view=${next}`)
  })
  return [view, choose]
}
