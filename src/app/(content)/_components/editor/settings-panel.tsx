import { appName } from '@/brand'
import { env } from '@/core/env'
import { getTimeFormat } from '@/core/time/get-time-format'
import { timeFormatFor } from '@/core/time/time-format'
import { buttonVariants } from '@/core/ui/button'
import type { Draft } from '../../drafts'
import { Cover } from '../article'
import { CoverField } from '../cover-field'
import { removeCoverForm } from './publish-menu'
import { Outline, ScheduleField, SearchPreview, SlugField, SummaryField, TagsField } from './settings-fields'

/** Everything about a post but its text. Beside the text on wide screens, and below it on others. */
export function SettingsPanel({
  post,
  mayPublish,
  hasImages,
}: {
  post: Draft
  mayPublish: boolean
  /** Images belong to the app itself, not to organizations. */
  hasImages: boolean
}) {
  return (
    <aside aria-label="Post settings" className="divide-y shadow-[0_0_0_1px_var(--border)]">
      <SlugField />
      {mayPublish && <Schedule at={post.scheduledAt} />}
      {hasImages && (
        <div className="grid grid-cols-1 gap-2 px-4.5 py-3.5">
          <CoverField postId={post.id}>
            {post.coverId && <Cover id={post.coverId} className="max-h-48 w-full" />}
          </CoverField>
          {post.coverId && (
            // Not a SubmitButton, which shows the state of the form around it: that of the text.
            <button
              type="submit"
              form={removeCoverForm}
              className={buttonVariants({ variant: 'outline', size: 'small', className: 'justify-self-start' })}
            >
              Remove cover
            </button>
          )}
        </div>
      )}
      <TagsField />
      <SummaryField />
      <SearchPreview appName={appName} host={new URL(env.AUTH_URL).host} />
      <Outline />
    </aside>
  )
}

/** The time in the zone of the author; below it in UTC, unless that is their zone. */
async function Schedule({ at }: { at: Date | null }) {
  const times = await getTimeFormat()
  const isUtc = times.timeZone === 'UTC'
  const hint = at
    ? `${times.dateTime(at)}${isUtc ? '' : ` (${timeFormatFor().dateTime(at)})`}`
    : 'In your time zone. You can change it in the settings.'
  return <ScheduleField at={at ? times.toLocal(at) : ''} timeZone={times.timeZone} hint={hint} />
}
