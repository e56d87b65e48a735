import { seedPeople } from '@/core/db/people'

/** In development only: who one can sign in as. The build leaves this out of production. */
export function SeededPeople() {
  if (process.env.NODE_ENV !== 'development') return null
  return (
    <section aria-labelledby="seeded-people" className="grid gap-3 rounded-lg border border-dashed p-4 text-sm">
      <h2 id="seeded-people" className="font-semibold">
        In development you can be anybody
      </h2>
      <dl className="grid gap-2">
        {seedPeople.map(({ email, role }) => (
          <div key={email} className="flex justify-between gap-4">
            <dt className="text-muted-foreground">{role}</dt>
            <dd className="font-mono">{email}</dd>
          </div>
        ))}
        <div className="flex justify-between gap-4 border-t pt-2">
          <dt className="text-muted-foreground">password</dt>
          <dd className="font-mono">{process.env.DEV_PASSWORD ?? 'set DEV_PASSWORD in .env'}</dd>
        </div>
      </dl>
    </section>
  )
}
