import { SiteHeader } from '@/core/ui/site-header'
import { Controls } from './controls'
import { DataDisplay } from './data-display'
import { Foundations } from './foundations'
import { Overlays } from './overlays'
import { Pages } from './pages'

export const metadata = { title: 'Components' }

const sections = ['Foundations', 'Controls', 'Data', 'Overlays', 'Pages']

/** Every component of core/ui with a sample of its code, for review and for tests. Switch the theme at the top. */
export default function ComponentsPage() {
  return (
    <>
      <SiteHeader>
        {sections.map((title) => (
          <a key={title} href={`#${title.toLowerCase()}`} className="hover:underline">
            {title}
          </a>
        ))}
      </SiteHeader>
      <main id="main" className="mx-auto grid max-w-5xl grid-cols-1 gap-14 px-4 py-12 sm:px-6">
        <div className="grid gap-2">
          <h1 className="font-semibold text-3xl">Components</h1>
          <p className="text-muted-foreground">
            Every component in src/core/ui. They need no JavaScript unless they say so. Add more with npx shadcn add.
          </p>
        </div>
        <Foundations />
        <Controls />
        <DataDisplay />
        <Overlays />
        <Pages />
      </main>
    </>
  )
}
