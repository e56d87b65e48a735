'use client'

import { ErrorPanel } from '@/core/ui/error-panel'

export default ErrorPanel
