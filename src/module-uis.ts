import type { ModuleUi } from '@/core/module-ui'

// Beside module.ts, because pages alone need it: a worker loads no icons and no components.
const found = import.meta.glob<{ default: ModuleUi }>('./app/*/ui.tsx', { eager: true })

export const moduleUis: ModuleUi[] = Object.values(found).map((file) => file.default)
