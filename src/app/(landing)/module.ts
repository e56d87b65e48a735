import { defineModule } from '@/core/module'

export default defineModule({ name: 'landing', title: 'Landing page' })
