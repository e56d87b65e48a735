import {
  Bold,
  Code,
  Heading2,
  Heading3,
  ImagePlus,
  Italic,
  Link2,
  List,
  ListOrdered,
  type LucideIcon,
  Table2,
  TextQuote,
} from 'lucide-react'
import { Fragment } from 'react'
import { imageButton } from './image-button'
import type { Format } from './markdown-edit'

const groups: { format: Format; label: string; icon: LucideIcon }[][] = [
  [
    { format: 'h2', label: 'Heading', icon: Heading2 },
    { format: 'h3', label: 'Subheading', icon: Heading3 },
    { format: 'bold', label: 'Bold', icon: Bold },
    { format: 'italic', label: 'Italic', icon: Italic },
  ],
  [
    { format: 'link', label: 'Link', icon: Link2 },
    { format: 'bullets', label: 'Bulleted list', icon: List },
    { format: 'numbers', label: 'Numbered list', icon: ListOrdered },
    { format: 'quote', label: 'Quote', icon: TextQuote },
    { format: 'code', label: 'Code', icon: Code },
    { format: 'table', label: 'Table', icon: Table2 },
  ],
]

/**
 * The buttons that insert Markdown. Rendered on the server, so that their icons cost no JavaScript: writing-pane.tsx handles
 * the clicks, and moves the focus between them; image-field.tsx handles the last one. Hidden without JavaScript.
 */
export function Toolbar({ hasImages }: { hasImages: boolean }) {
  return (
    <div
      role="toolbar"
      aria-label="Formatting"
      aria-orientation="horizontal"
      className="flex flex-wrap items-center gap-px border-b bg-background px-4 py-1.5 noscript:hidden sm:sticky sm:top-13 sm:z-5 lg:top-14"
    >
      {groups.map((group, groupIndex) => (
        <Fragment key={group[0]?.format}>
          {groupIndex > 0 && <span aria-hidden="true" className="mx-1 h-4.5 w-px bg-border" />}
          {group.map(({ format, label, icon }, index) => (
            <ToolbarButton
              key={format}
              label={label}
              icon={icon}
              isFirst={groupIndex === 0 && index === 0}
              attributes={{ 'data-format': format }}
            />
          ))}
        </Fragment>
      ))}
      {hasImages && <ToolbarButton label="Image" icon={ImagePlus} attributes={{ [imageButton]: '' }} />}
    </div>
  )
}

function ToolbarButton({
  label,
  icon: Icon,
  isFirst = false,
  attributes,
}: {
  label: string
  icon: LucideIcon
  /** One stop for Tab; the arrow keys move between the buttons. */
  isFirst?: boolean
  attributes: Record<`data-${string}`, string>
}) {
  return (
    <button
      type="button"
      data-tooltip=""
      aria-label={label}
      tabIndex={isFirst ? 0 : -1}
      className="grid size-7 place-items-center rounded-sm text-muted-foreground hover:bg-hover hover:text-foreground max-sm:size-11"
      {...attributes}
    >
      <Icon aria-hidden="true" className="size-4" strokeWidth={1.75} />
    </button>
  )
}
