import { SiteHeader } from '@/core/ui/site-header'
import { Showcase } from './showcase'

export const metadata = { title: 'Interface' }

/** Every component of core/ui, to look at and to test. Switch the theme at the top. */
export default function InterfacePage() {
  return (
    <>
      <SiteHeader />
      <main id="main" className="mx-auto grid max-w-4xl gap-12 px-4 py-12 sm:px-6">
        <div className="grid gap-2">
          <h1 className="font-semibold text-3xl">Interface</h1>
          <p className="text-muted-foreground">
            Every component of src/core/ui. Add more the way you are used to: components.json follows shadcn’s
            conventions.
          </p>
        </div>
        <Showcase />
      </main>
    </>
  )
}
