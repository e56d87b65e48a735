import { CalendarOff, ChevronDown, ExternalLink, Trash2, Undo2 } from 'lucide-react'
import type { Route } from 'next'
import Link from 'next/link'
import { buttonVariants } from '@/core/ui/button'
import { ActionForm, FormMessage } from '@/core/ui/form'
import { Menu, MenuButton, MenuSeparator, menuItemClass } from '@/core/ui/menu'
import { ScopeField } from '@/core/ui/scope-field'
import { removeCover, unpublishPost, unschedulePost } from '../../actions'
import { postPath } from '../../api-post'
import type { Draft } from '../../drafts'
import { PublishOptions } from './publish-options'
import { publishMenuId } from './view'

const forms = { unpublish: 'unpublish-post', unschedule: 'unschedule-post', removeCover: 'remove-cover' }
export const removeCoverForm = forms.removeCover

/** Publishes the post, and everything else that changes what readers see. */
export function PublishMenu({ post, path, mayDelete }: { post: Draft; path: Route; mayDelete: boolean }) {
  const { id, publishedSlug, scheduledAt, coverId } = post
  return (
    <Menu
      id={publishMenuId}
      label="Publish"
      isNamedByTrigger
      triggerClassName={buttonVariants()}
      trigger={
        <>
          Publish
          <ChevronDown aria-hidden="true" />
        </>
      }
      className="w-72"
    >
      <PublishOptions hasCover={coverId !== null} isPublished={publishedSlug !== null} />
      {(publishedSlug || scheduledAt || mayDelete) && <MenuSeparator />}
      {publishedSlug && (
        <>
          <a href={postPath(publishedSlug)} className={menuItemClass()}>
            <ExternalLink aria-hidden="true" strokeWidth={1.75} />
            Open on the blog
          </a>
          <MenuButton form={forms.unpublish} icon={Undo2}>
            Unpublish
          </MenuButton>
        </>
      )}
      {scheduledAt && (
        <MenuButton form={forms.unschedule} icon={CalendarOff}>
          Cancel schedule
        </MenuButton>
      )}
      {mayDelete && (
        <Link
          href={`${path}/delete?ids=${id}` as Route}
          prefetch={false}
          scroll={false}
          className={menuItemClass({ isDanger: true })}
        >
          <Trash2 aria-hidden="true" strokeWidth={1.75} />
          Delete…
        </Link>
      )}
    </Menu>
  )
}

/** The forms of buttons that are inside the form of the editor: a form cannot contain another one. */
export function EditorForms({ id, scope }: { id: string; scope: string | undefined }) {
  const message = <FormMessage className="mt-2" />
  const idField = (
    <>
      <input type="hidden" name="id" value={id} />
      <ScopeField slug={scope} />
    </>
  )
  return (
    <>
      <ActionForm id={forms.unpublish} action={unpublishPost}>
        {idField}
        {message}
      </ActionForm>
      <ActionForm id={forms.unschedule} action={unschedulePost}>
        {idField}
        {message}
      </ActionForm>
      <ActionForm id={forms.removeCover} action={removeCover}>
        {idField}
        {message}
      </ActionForm>
    </>
  )
}
