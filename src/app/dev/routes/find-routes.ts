import { readdirSync } from 'node:fs'
import { join } from 'node:path'

export interface AppRoute {
  url: string
  kind: 'page' | 'route'
  /** The module that it belongs to; core if there is none. */
  owner: string
  /** The path in the project. */
  file: string
  isDevelopment: boolean
}

/** Every page and every route handler of the app, by URL. What a parallel slot shows has no URL of its own. */
export function findRoutes(root = process.cwd()): AppRoute[] {
  return readdirSync(join(root, 'src', 'app'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .flatMap((path): AppRoute[] => {
      const match = /^(?:(.*)\/)?(page|route)(\.dev)?\.tsx?$/.exec(path)
      if (!match || path.includes('@')) return []
      const [, folder = '', kind, development] = match
      const segments = folder.split('/').filter((segment) => segment !== '' && !/^\(.*\)$/.test(segment))
      return [
        {
          url: `/${segments.join('/')}`,
          kind: kind === 'page' ? 'page' : 'route',
          owner: /^\(([\w-]+)\)/.exec(folder)?.[1] ?? 'core',
          file: `src/app/${path}`,
          isDevelopment: development !== undefined,
        },
      ]
    })
    .sort((a, b) => (a.url < b.url ? -1 : a.url > b.url ? 1 : 0))
}
