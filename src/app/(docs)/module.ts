import { defineModule } from '@/core/module'

export default defineModule({
  name: 'docs',
  title: 'API reference',
})
