import type { PublicPage } from '@/core/module'

export default [{ label: 'Blog', href: '/posts', group: 'site' }] satisfies PublicPage[]
