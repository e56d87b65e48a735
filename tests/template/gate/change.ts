/** A change that users make to their app, and what "npm run check" must say to it. */
export interface Change {
  title: string
  /** Files to write, by path: the content, or a function of the existing content. */
  files: Record<string, string | ((before: string) => string)>
  /** Runs after the files are written, for example to generate a migration. */
  prepare?: (folder: string) => void
}

/** A change that the check must find. */
export interface Fault extends Change {
  /** The expected output of the check. */
  expected: RegExp
}

/** A module without pages, for changes that need one. */
export const moduleFiles = (name: string, { module = '' } = {}): Change['files'] => ({
  [`src/app/(${name})/module.ts`]: `import { defineModule } from '@/core/module'\n\nexport default defineModule({ name: '${name}', title: '${name}'${module && `, ${module}`} })\n`,
  [`src/app/(${name})/module.json`]: `{\n  "name": "${name}",\n  "title": "${name}",\n  "description": "An example.",\n  "requires": [],\n  "npm": [],\n  "env": [],\n  "tables": []\n}\n`,
  [`src/app/(${name})/README.md`]: `# ${name}\n`,
})
