import { redirect } from 'next/navigation'
import { getActor } from '@/core/auth/actor'
import { isAllowed } from '@/core/auth/policy'
import { AppShell } from '@/core/ui/app-shell'
import { Badge, Card, EmptyState } from '@/core/ui/surface'
import { modules } from '@/modules'

export const metadata = { title: 'Dashboard' }

const meaning = {
  viewer: 'You can read everything that is open to you.',
  editor: 'You can read, create and edit content.',
  admin: 'You can do everything, people and their roles included.',
}

export default async function DashboardPage() {
  const actor = await getActor()
  if (!actor) redirect('/signin')
  const navigation = modules.flatMap((module) => module.navigation ?? [])
  const open = navigation.filter(({ allow }) => isAllowed(actor.role, allow))
  return (
    <AppShell actor={actor} navigation={navigation}>
      <div className="grid gap-8">
        <div className="grid gap-2">
          <h1 className="font-semibold text-2xl">Hello, {actor.name}</h1>
          <p className="flex flex-wrap items-center gap-2 text-muted-foreground">
            <Badge>{actor.role}</Badge>
            {meaning[actor.role]}
          </p>
        </div>
        {open.length === 0 ? (
          <EmptyState title="There is nothing here for you yet">
            {process.env.NODE_ENV === 'development'
              ? 'Modules bring the pages of this app. Each is a folder in src/app; its module.ts names what appears here.'
              : 'Pages that you may open appear here as soon as there are any.'}
          </EmptyState>
        ) : (
          <ul className="grid gap-4 sm:grid-cols-2">
            {open.map(({ href, label, description }) => (
              <li key={href}>
                <Card className="relative h-full hover:border-ring">
                  <h2 className="font-semibold">
                    <a href={href} className="after:absolute after:inset-0">
                      {label}
                    </a>
                  </h2>
                  <p className="text-muted-foreground text-sm">{description}</p>
                </Card>
              </li>
            ))}
          </ul>
        )}
      </div>
    </AppShell>
  )
}
