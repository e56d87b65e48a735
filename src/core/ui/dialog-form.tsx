import type { Route } from 'next'
import Link from 'next/link'
import type { ComponentProps, ReactNode } from 'react'
import { buttonVariants } from './button'
import { ActionForm, FormMessage, SubmitButton } from './form'
import { type Crumb, Page } from './page'
import { findReauthentication, mustReauthenticateElsewhere, Reauthenticate } from './reauthenticate'
import { RouteDialog } from './route-dialog'
import { Card } from './surface'

interface DialogFormProps<Data> {
  /** A dialog over the page that it was opened from, or the same form as a page of its own. */
  frame: 'dialog' | 'page'
  /** What it does to what: "Suspend Alan Turing?" */
  title: string
  /** The path of the dialog with its query, to return to. */
  path: string
  /** The page that Cancel leads to. */
  cancelHref: Route
  crumbs?: Crumb[]
  /** What will happen: at most three sentences. */
  consequences?: string[]
  action: ComponentProps<typeof ActionForm<Data>>['action']
  /** Hidden fields; a list sends its name once for each value. */
  fields?: Record<string, string | string[]>
  /** Names of hidden fields whose errors the form shows as a whole. */
  fieldNames?: string[]
  /** The label of the button: the verb of the title. */
  submit: string
  isDangerous?: boolean
  /** The action has `isSensitive`: the form asks users to confirm that it’s them. */
  isSensitive?: boolean
  /** Why it is not possible, instead of the form. */
  reason?: string | undefined
  /** For an action that returns a result instead of a redirect: what to show then, instead of the form. */
  done?: { title: string; content: ReactNode }
  children?: ReactNode
}

const titleId = 'dialog-title'
const textId = 'dialog-text'

/**
 * The form of an act that asks before it happens. With JavaScript and from within the app it is a dialog: an intercepting route
 * renders it with `frame="dialog"`. Otherwise it is a page of its own, at the same URL.
 * @public For the pages of modules.
 */
export function DialogForm<Data>(props: DialogFormProps<Data>) {
  const { frame, title, crumbs = [], consequences = [], reason } = props
  if (frame === 'dialog') {
    const hasText = reason !== undefined || consequences.length > 0
    return (
      <RouteDialog labelledBy={titleId} {...(hasText && { describedBy: textId })}>
        <Content {...props} />
      </RouteDialog>
    )
  }
  return (
    // The heading is in the card.
    <Page title={title} crumbs={crumbs} heading={false} isNarrow>
      <Card className="max-w-lg p-0">
        <Content {...props} />
      </Card>
    </Page>
  )
}

/** Tab reaches Cancel first, but it stands at the end, beside the button that submits. */
const gridClass =
  "wrap-anywhere grid grid-cols-[minmax(0,1fr)_auto_auto] gap-x-2 gap-y-4 p-5 [grid-template-areas:'head_head_head'_'body_body_body'_'._cancel_submit']"

async function Content<Data>(props: DialogFormProps<Data>) {
  const { title, frame, path, cancelHref, consequences = [], action, fields = {}, reason } = props
  const Heading = frame === 'page' ? 'h1' : 'h2'
  const start = (
    <>
      <Heading id={titleId} className="font-semibold text-base leading-6 [grid-area:head]">
        {title}
      </Heading>
      <Link
        href={cancelHref}
        prefetch={false}
        data-dialog-close=""
        data-dialog-focus=""
        className={buttonVariants({ variant: 'outline', className: '[grid-area:cancel]' })}
      >
        {reason ? 'Close' : 'Cancel'}
      </Link>
    </>
  )
  if (reason) {
    return (
      <div className={gridClass}>
        {start}
        <p id={textId} className="text-muted-foreground text-sm [grid-area:body]">
          {reason}
        </p>
      </div>
    )
  }
  const reauthentication = props.isSensitive ? await findReauthentication() : null
  return (
    <ActionForm
      action={action}
      className={gridClass}
      done={props.done && <Done {...props.done} frame={frame} cancelHref={cancelHref} />}
    >
      {start}
      <div className="grid grid-cols-1 gap-4 [grid-area:body]">
        {consequences.length > 0 && (
          <ul id={textId} className="grid list-disc gap-1 ps-4 text-muted-foreground text-sm">
            {consequences.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        )}
        <FormMessage fieldNames={props.fieldNames ?? []} />
        {Object.entries(fields).flatMap(([name, value]) =>
          [value].flat().map((one) => <input key={`${name} ${one}`} type="hidden" name={name} value={one} />),
        )}
        {props.children}
        {reauthentication && <Reauthenticate state={reauthentication} path={path} />}
      </div>
      {!mustReauthenticateElsewhere(reauthentication) && (
        <SubmitButton variant={props.isDangerous ? 'destructive' : 'primary'} className="[grid-area:submit]">
          {props.submit}
        </SubmitButton>
      )}
    </ActionForm>
  )
}

function Done({
  title,
  content,
  frame,
  cancelHref,
}: { title: string; content: ReactNode } & Pick<DialogFormProps<unknown>, 'frame' | 'cancelHref'>) {
  const Heading = frame === 'page' ? 'h1' : 'h2'
  return (
    <>
      <Heading id={titleId} className="font-semibold text-base leading-6 [grid-area:head]">
        {title}
      </Heading>
      <div className="grid grid-cols-1 gap-4 [grid-area:body]">{content}</div>
      <Link
        href={cancelHref}
        prefetch={false}
        data-dialog-close=""
        className={buttonVariants({ className: '[grid-area:submit]' })}
      >
        Done
      </Link>
    </>
  )
}
