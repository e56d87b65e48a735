'use client'

import { ErrorPanel } from '@/core/ui/error-panel'

// Here too, below the layout: the app shell stays when a page fails.
export default ErrorPanel
