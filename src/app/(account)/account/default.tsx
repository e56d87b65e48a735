/** The page behind a dialog, when only the dialog is rendered: the browser keeps the one that it has. */
export default function PageBehindDialog() {
  return null
}
