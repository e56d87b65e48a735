import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const labels: Record<string, string> = { ui: 'Components' }

/** The pages of this folder, which exist in development only. The start page is not one of them: its URL is /welcome. */
export function findDevPages(root = process.cwd()): { href: string; label: string }[] {
  const folder = join(root, 'src', 'app', 'dev')
  return readdirSync(folder)
    .filter((name) => name !== 'welcome' && existsSync(join(folder, name, 'page.dev.tsx')))
    .sort()
    .map((name) => ({ href: `/dev/${name}`, label: labels[name] ?? name.charAt(0).toUpperCase() + name.slice(1) }))
}
