import type { PublicPage } from '@/core/module'

// Beside module.ts, because static pages link to them: through module.ts, a page would load the client components of modules.
const found = import.meta.glob<{ default: PublicPage[] }>('./app/*/public-pages.ts', { eager: true })

export const publicPages: PublicPage[] = Object.values(found).flatMap((file) => file.default)
