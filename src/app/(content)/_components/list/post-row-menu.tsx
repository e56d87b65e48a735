import { Copy, ExternalLink, type LucideIcon, Send, SquarePen, Trash2, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { DisabledMenuItem, Menu, MenuButton, MenuSeparator, menuItemClass } from '@/core/ui/menu'
import { postPath } from '../../api-post'
import type { DraftRow } from '../../drafts'

export interface RowRights {
  mayPublish: boolean
  mayDelete: boolean
}

/** The id of the form that duplicates a post: one for all rows, beside the form of the selection. */
export const duplicateFormId = 'duplicate-post'

/** What can be done with a post. The items that change what readers see open a page that asks for confirmation. */
export function PostRowMenu({
  post,
  path,
  from,
  rights,
  children,
}: {
  post: DraftRow
  path: string
  from: string
  rights: RowRights
  children: ReactNode
}) {
  const query = `?ids=${post.id}&from=${encodeURIComponent(from)}`
  const hasDraft = post.publishedNumber !== post.draft
  return (
    <Menu
      id={`row-${post.id}`}
      label={`Actions for ${post.title}`}
      trigger={children}
      triggerClassName="relative z-1 grid size-7 place-items-center rounded-md text-muted-foreground hover:bg-hover hover:text-foreground max-sm:size-11"
      className="w-60"
    >
      <Item href={`${path}/${post.id}`} icon={SquarePen}>
        Edit
      </Item>
      {post.slug && (
        <Item href={postPath(post.slug)} icon={ExternalLink}>
          View post
        </Item>
      )}
      <MenuButton form={duplicateFormId} name="id" value={post.id} icon={Copy}>
        Duplicate
      </MenuButton>
      {rights.mayPublish && hasDraft && (
        <Item href={`${path}/publish${query}`} icon={Send} isDialog>
          Publish…
        </Item>
      )}
      {rights.mayPublish && post.slug && (
        <Item href={`${path}/unpublish${query}`} icon={Undo2} isDialog>
          Unpublish…
        </Item>
      )}
      <MenuSeparator />
      {rights.mayDelete ? (
        <Item href={`${path}/delete${query}`} icon={Trash2} isDialog isDanger>
          Delete…
        </Item>
      ) : (
        <DisabledMenuItem icon={Trash2} reason="Only its author or an admin can delete it">
          Delete
        </DisabledMenuItem>
      )}
    </Menu>
  )
}

/** A plain link: `MenuNavigation` makes it a client-side navigation. */
function Item({
  href,
  icon: Icon,
  isDialog = false,
  isDanger = false,
  children,
}: {
  href: string
  icon: LucideIcon
  isDialog?: boolean
  isDanger?: boolean
  children: ReactNode
}) {
  return (
    <a href={href} data-keep-scroll={isDialog ? '' : undefined} className={menuItemClass({ isDanger })}>
      <Icon aria-hidden="true" strokeWidth={1.75} />
      {children}
    </a>
  )
}
