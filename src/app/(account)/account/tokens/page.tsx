import type { Route } from 'next'
import { redirect } from 'next/navigation'
import { getSession } from '@/core/auth/actor'
import { env } from '@/core/env'
import { buttonVariants } from '@/core/ui/button'
import { Copyable } from '@/core/ui/copyable'
import { ActionForm, AnswerText, Field, FormMessage, SelectField, SubmitButton } from '@/core/ui/form'
import { Moment } from '@/core/ui/moment'
import { Heading } from '@/core/ui/section'
import { alertVariants, Badge, EmptyState } from '@/core/ui/surface'
import { createApiToken, revokeApiToken } from '../../actions'
import { lifetimes, listTokens, rolesUpTo } from '../../tokens'

export const metadata = { title: 'API tokens' }

export default async function TokensPage() {
  const session = await getSession()
  if (!session) redirect('/signin')
  const tokens = await listTokens(session.user.id)
  return (
    <>
      <Heading title="API tokens">
        For programs that act for you. A token can do what its role allows, and never more than you. It outlives a
        change of your password: revoke it to end it.
      </Heading>
      <section aria-labelledby="new" className="grid gap-5">
        <h2 id="new" className="font-semibold text-lg">
          A new token
        </h2>
        {session.isConfirmed ? (
          <ActionForm action={createApiToken} className="grid gap-5" done={<NewToken />}>
            <FormMessage className={alertVariants({ tone: 'danger' })} />
            <Field
              label="Name"
              name="name"
              autoComplete="off"
              required
              hint="What it is for, so that you know it later."
            />
            <div className="grid gap-5 sm:grid-cols-2">
              <SelectField label="Role" name="role" defaultValue="viewer">
                {rolesUpTo(session.user.role).map((role) => (
                  <option key={role} value={role}>
                    {role}
                  </option>
                ))}
              </SelectField>
              <SelectField label="Expires in" name="days" defaultValue={30}>
                {lifetimes.map((days) => (
                  <option key={days} value={days}>
                    {days} days
                  </option>
                ))}
              </SelectField>
            </div>
            <SubmitButton className={buttonVariants({ className: 'justify-self-start' })}>Make token</SubmitButton>
          </ActionForm>
        ) : (
          <a
            href={'/confirm?callbackUrl=/account/tokens' satisfies Route}
            className={buttonVariants({ className: 'justify-self-start' })}
          >
            Confirm that it is you to make one
          </a>
        )}
      </section>
      <section aria-labelledby="yours" className="grid gap-5">
        <h2 id="yours" className="font-semibold text-lg">
          Your tokens
        </h2>
        {tokens.length === 0 ? (
          <EmptyState title="No tokens" action={<Example />}>
            Make one for a script, a scheduled task or another app, and send it with every request:
          </EmptyState>
        ) : (
          <ul className="grid gap-3">
            {tokens.map((token) => (
              <Token key={token.id} {...token} />
            ))}
          </ul>
        )}
      </section>
    </>
  )
}

function Token({
  id,
  name,
  role,
  createdAt,
  expiresAt,
  lastUsedAt,
  isExpired,
}: Awaited<ReturnType<typeof listTokens>>[number]) {
  return (
    <li className="flex items-center justify-between gap-4 rounded-lg border bg-card p-4">
      <div className="grid min-w-0 gap-0.5 text-sm">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          <span className="wrap-anywhere">{name}</span>
          <Badge>{role}</Badge>
          {isExpired && <Badge tone="danger">expired</Badge>}
        </p>
        <p className="text-muted-foreground">
          made <Moment at={createdAt} />, {isExpired ? 'expired' : 'expires'} <Moment at={expiresAt} />
        </p>
        <p className="text-muted-foreground">last used {lastUsedAt ? <Moment at={lastUsedAt} /> : 'never'}</p>
      </div>
      <ActionForm action={revokeApiToken} className="grid gap-2">
        <FormMessage className={alertVariants({ tone: 'danger' })} />
        <input type="hidden" name="id" value={id} />
        <SubmitButton className={buttonVariants({ variant: 'outline', size: 'small' })}>
          Revoke<span className="sr-only"> {name}</span>
        </SubmitButton>
      </ActionForm>
    </li>
  )
}

function NewToken() {
  return (
    <div className="grid gap-4 rounded-lg border bg-card p-4">
      <p role="status" tabIndex={-1} className={alertVariants({ tone: 'success' })}>
        Here is your token. Copy it now: it is shown only this once.
      </p>
      <Copyable
        className="w-full select-all break-all rounded-md bg-muted px-3 py-2 font-mono text-sm"
        buttonClassName={buttonVariants({ variant: 'outline', size: 'small' })}
      >
        <AnswerText name="token" />
      </Copyable>
      <Example />
      <a href="/account/tokens" className="justify-self-start text-sm underline underline-offset-4">
        Make another
      </a>
    </div>
  )
}

function Example() {
  return (
    <pre className="wrap-anywhere whitespace-pre-wrap rounded-md bg-muted px-3 py-2 text-start font-mono text-xs">
      {`curl -H "Authorization: Bearer $TOKEN" ${env.AUTH_URL}/api/auth/session`}
    </pre>
  )
}
