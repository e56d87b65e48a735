import { Braces } from 'lucide-react'
import { signedIn } from '@/core/auth/policy'
import { defineModuleUi } from '@/core/module-ui'

export default defineModuleUi({
  navigation: [
    {
      label: 'API reference',
      href: '/docs/api',
      icon: Braces,
      group: 'developers',
      order: 10,
      allow: signedIn,
      isPublic: true,
    },
  ],
})
