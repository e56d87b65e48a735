import { defineModuleUi } from '@/core/module-ui'
import { auditSentences } from './audit-sentences'

export default defineModuleUi({ audit: auditSentences })
