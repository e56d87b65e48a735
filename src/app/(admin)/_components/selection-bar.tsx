import { Ban, LogOut, ShieldHalf, X } from 'lucide-react'

const Separator = () => <span aria-hidden="true" className="mx-1 h-4.5 w-px bg-white/20" />

/** What can be done with the selected users. Stands after the table, whose checkboxes it counts. */
export function SelectionBar() {
  return (
    <section data-slot="selection-bar" data-when="selected" aria-label="Selected users">
      <span data-selected-count="" className="ps-2.5 pe-2 font-medium tabular-nums" />
      <Separator />
      <button type="submit" formAction="/admin/users/role">
        <ShieldHalf aria-hidden="true" size={15} strokeWidth={1.75} />
        Change role
      </button>
      <button type="submit" formAction="/admin/users/sign-out">
        <LogOut aria-hidden="true" size={15} strokeWidth={1.75} />
        Sign out
      </button>
      <button type="submit" formAction="/admin/users/suspend" data-danger="">
        <Ban aria-hidden="true" size={15} strokeWidth={1.75} />
        Suspend
      </button>
      <Separator />
      <button type="reset" aria-label="Clear selection">
        <X aria-hidden="true" size={15} strokeWidth={1.75} />
      </button>
    </section>
  )
}
