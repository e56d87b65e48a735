import type { PublicPage } from '@/core/module'

export default [{ label: 'API reference', href: '/docs/api', group: 'developers' }] satisfies PublicPage[]
