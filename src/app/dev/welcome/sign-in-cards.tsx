import { roleLabel } from '@/core/auth/roles'
import { seedUsers } from '@/core/db/seed-users'
import { Avatar } from '@/core/ui/surface'

/** Signs in as a seeded user with one click. */
export function SignInCards() {
  return (
    <section aria-labelledby="accounts" className="grid gap-4">
      <h2 id="accounts" className="font-semibold text-xl">
        Development accounts
      </h2>
      <form method="post" action="/dev/sign-in" className="grid grid-cols-1 gap-3 sm:grid-cols-3">
        <input type="hidden" name="callbackUrl" value="/dashboard" />
        {seedUsers.map(({ email, name, role }) => (
          <button
            key={email}
            type="submit"
            name="email"
            value={email}
            className="flex h-full items-center gap-3.5 rounded-lg bg-card px-4 py-3.5 text-start shadow-card hover:bg-muted"
          >
            <Avatar name={name} />
            <span className="min-w-0 flex-1">
              <span className="block font-medium text-sm">
                <span className="sr-only">Sign in as </span>
                {name}
              </span>
              <span className="wrap-anywhere block text-[0.8125rem] text-muted-foreground">{email}</span>
              <span className="block text-[0.8125rem] text-muted-foreground">{roleLabel(role)}</span>
            </span>
          </button>
        ))}
      </form>
      <p className="text-muted-foreground text-sm">
        One click signs you in. Their password:{' '}
        <code className="font-mono text-foreground">{process.env.DEV_PASSWORD ?? 'Set DEV_PASSWORD in .env'}</code>
      </p>
    </section>
  )
}
