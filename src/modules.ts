import type { AppModule } from '@/core/module'

// A module is installed if its folder exists. There is no other list of modules.
const found = import.meta.glob<{ default: AppModule }>('./app/*/module.ts', { eager: true })

export const modules: AppModule[] = Object.values(found).map((file) => file.default)
