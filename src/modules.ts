import type { AppModule } from '@/core/module'

// Installed means: the folder is there. Nothing else lists the modules.
const found = import.meta.glob<{ default: AppModule }>('./app/*/module.ts', { eager: true })

export const modules: AppModule[] = Object.values(found).map((file) => file.default)
