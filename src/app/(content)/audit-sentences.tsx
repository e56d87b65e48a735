import {
  CalendarClock,
  CalendarOff,
  Eye,
  EyeOff,
  FilePlus,
  ImageMinus,
  ImagePlus,
  ImageUp,
  Send,
  Trash2,
  Undo2,
} from 'lucide-react'
import type { AuditSentence } from '@/core/module-ui'
import type { TimeFormat } from '@/core/time/time-format'

const formatDate = (at: unknown, times: TimeFormat) => {
  const date = new Date(`${at}`)
  return Number.isNaN(date.getTime()) ? null : times.exact(date)
}

const version = (number: unknown) => (number === undefined ? '' : ` (version ${number})`)

/** Sentences for the audit events that this module records. */
export const auditSentences: Record<string, AuditSentence> = {
  'post.created': {
    name: 'Post created',
    area: 'Posts',
    icon: FilePlus,
    say: ({ actor, subject }) => (
      <>
        {actor} created {subject ?? 'a post'}
      </>
    ),
  },
  'post.published': {
    name: 'Post published',
    area: 'Posts',
    icon: Send,
    tone: 'success',
    say: ({ actor, subject, details: { number } }) =>
      actor ? (
        <>
          {actor} published {subject ?? 'a post'}
          {version(number)}
        </>
      ) : (
        <>
          {subject ?? 'a post'} was published as scheduled{version(number)}
        </>
      ),
  },
  'post.scheduled': {
    name: 'Post scheduled',
    area: 'Posts',
    icon: CalendarClock,
    say: ({ actor, subject, details: { number } }) => (
      <>
        {actor} scheduled {subject ?? 'a post'}
        {version(number)}
      </>
    ),
    note: ({ at }, times) => formatDate(at, times),
  },
  'post.unscheduled': {
    name: 'Post unscheduled',
    area: 'Posts',
    icon: CalendarOff,
    say: ({ actor, target, isSelf, subject }) =>
      actor && (isSelf || !target) ? (
        <>
          {actor} unscheduled {subject ?? 'a post'}
        </>
      ) : (
        <>
          {subject ?? 'a post'} was unscheduled because {target ?? 'the user who scheduled it'} can no longer publish
        </>
      ),
  },
  'post.unpublished': {
    name: 'Post unpublished',
    area: 'Posts',
    icon: Undo2,
    tone: 'warning',
    say: ({ actor, subject }) => (
      <>
        {actor} unpublished {subject ?? 'a post'}
      </>
    ),
  },
  'post.deleted': {
    name: 'Post deleted',
    area: 'Posts',
    icon: Trash2,
    tone: 'danger',
    say: ({ actor }) => <>{actor} deleted a post</>,
  },
  'image.uploaded': {
    name: 'Image uploaded',
    area: 'Posts',
    icon: ImagePlus,
    say: ({ actor }) => <>{actor} uploaded an image</>,
  },
  'image.replaced': {
    name: 'Image replaced',
    area: 'Posts',
    icon: ImageUp,
    say: ({ actor }) => <>{actor} replaced an image</>,
  },
  'image.deleted': {
    name: 'Image deleted',
    area: 'Posts',
    icon: ImageMinus,
    tone: 'danger',
    say: ({ actor }) => (actor ? <>{actor} deleted an image</> : <>an image that no post used was deleted</>),
  },
  'preview.created': {
    name: 'Preview link created',
    area: 'Posts',
    icon: Eye,
    say: ({ actor, subject }) => (
      <>
        {actor} created a preview link for {subject ?? 'a post'}
      </>
    ),
  },
  'preview.revoked': {
    name: 'Preview link revoked',
    area: 'Posts',
    icon: EyeOff,
    say: ({ actor, subject }) =>
      actor ? (
        <>
          {actor} revoked a preview link for {subject ?? 'a post'}
        </>
      ) : (
        <>a preview link for {subject ?? 'a post'} was revoked</>
      ),
  },
}
