import { CircleDot } from 'lucide-react'
import { createElement, Fragment, isValidElement, type ReactNode } from 'react'
import { moduleUis } from '@/module-uis'
import type { AuditSentence } from '../module-ui'
import { coreSentences } from './sentences'

const capitalize = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** The sentences of core and of all modules, by kind. */
export const sentences = new Map(
  [coreSentences, ...moduleUis.map(({ audit = {} }) => audit)].flatMap((table) => Object.entries(table)),
)

/** Parts of kinds that are displayed differently from how they are stored. */
const displayWords: Record<string, string> = {
  api_token: 'API token',
  person: 'user',
  signin: 'sign-in',
  two_step: 'two-factor',
}

/** How to tell an event. Kinds without a sentence, such as those of a removed module, are told by their own words. */
export function findSentence(kind: string): AuditSentence {
  const found = sentences.get(kind)
  if (found) return found
  const words = kind.split('.').map((part) => displayWords[part] ?? part.replaceAll('_', ' '))
  const name = capitalize(words.join(' '))
  return {
    name,
    area: 'Other',
    icon: CircleDot,
    say: ({ actor, target, isSelf }) => (
      <>
        {name}
        {actor && <> by {actor}</>}
        {target && !isSelf && <> for {target}</>}
      </>
    ),
  }
}

/** Capitalizes the first letter of a sentence if it is text. A name stays as its user has written it. */
export function capitalizeStart(node: ReactNode): ReactNode {
  if (typeof node === 'string') return capitalize(node.trimStart())
  if (Array.isArray(node)) {
    const start = node.findIndex((part) => part !== null && part !== undefined && part !== false && part !== '')
    return createElement(Fragment, null, ...node.map((part, index) => (index === start ? capitalizeStart(part) : part)))
  }
  if (isValidElement<{ children?: ReactNode }>(node) && node.type === Fragment)
    return capitalizeStart(node.props.children)
  return node
}
