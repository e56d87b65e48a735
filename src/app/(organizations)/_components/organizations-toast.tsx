'use client'

import { ResultToast } from '@/core/ui/result-toast'
import { readResult } from '../results'

/** Shows the result of the last action on any page of organizations. */
export const OrganizationsToast = () => <ResultToast read={readResult} />
