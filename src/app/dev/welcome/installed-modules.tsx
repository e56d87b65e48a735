import { TitledCard } from '@/core/ui/surface'
import { modules } from '@/modules'
import { Command } from '../command'
import { EditorLink } from '../editor-link'

/** The installed modules, where to edit each, and how to remove it. */
export function InstalledModules() {
  return (
    <TitledCard
      title="Installed modules"
      footer={
        <>
          <span className="flex-1">Add another one</span>
          <Command>npx plinth add</Command>
        </>
      }
    >
      {modules.length === 0 ? (
        <p className="px-4.5 pt-1 pb-4 text-muted-foreground text-sm">None yet.</p>
      ) : (
        <ul className="divide-y px-4.5 pt-1 pb-2 text-sm">
          {modules.map(({ name, title }) => (
            <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
              <span className="min-w-0 flex-1 basis-48">
                <span className="block font-medium">{title}</span>
                <EditorLink path={`src/app/(${name})/module.ts`} />
              </span>
              <Command>{`npx plinth remove ${name}`}</Command>
            </li>
          ))}
        </ul>
      )}
    </TitledCard>
  )
}
