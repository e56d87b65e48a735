import { Send, Trash2, Undo2, X } from 'lucide-react'

const Separator = () => <span aria-hidden="true" className="mx-1 h-4.5 w-px bg-white/20" />

/** What can be done with the selected posts. Stands after the table, whose checkboxes it counts. */
export function SelectionBar({
  path,
  mayPublish,
  mayDelete,
}: {
  /** The list of posts. */
  path: string
  mayPublish: boolean
  mayDelete: boolean
}) {
  return (
    <section data-slot="selection-bar" data-when="selected" aria-label="Selected posts">
      <span data-selected-count="" className="ps-2.5 pe-2 font-medium tabular-nums" />
      <Separator />
      {mayPublish && (
        <>
          <button type="submit" formAction={`${path}/publish`}>
            <Send aria-hidden="true" size={15} strokeWidth={1.75} />
            Publish
          </button>
          <button type="submit" formAction={`${path}/unpublish`}>
            <Undo2 aria-hidden="true" size={15} strokeWidth={1.75} />
            Unpublish
          </button>
        </>
      )}
      {mayDelete && (
        <button type="submit" formAction={`${path}/delete`} data-danger="">
          <Trash2 aria-hidden="true" size={15} strokeWidth={1.75} />
          Delete
        </button>
      )}
      <Separator />
      <button type="reset" aria-label="Clear selection">
        <X aria-hidden="true" size={15} strokeWidth={1.75} />
      </button>
    </section>
  )
}
