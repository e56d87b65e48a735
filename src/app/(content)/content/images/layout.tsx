/** Shows the dialogs of the library over it. */
export default function ImagesLayout({ children, dialog }: LayoutProps<'/content/images'>) {
  return (
    <>
      {children}
      {dialog}
    </>
  )
}
