import { signedIn } from '@/core/auth/policy'
import { defineModule } from '@/core/module'

export default defineModule({
  name: 'docs',
  title: 'API reference',
  navigation: [
    {
      label: 'API',
      href: '/docs/api',
      description: 'What programs can ask this app, and how',
      allow: signedIn,
    },
  ],
})
