'use client'

import { ResultToast } from '@/core/ui/result-toast'
import { readResult } from '../results'

/** Shows the result of the last action on any page of the editors. */
export const ContentToast = () => <ResultToast read={readResult} />
