import 'server-only'
import { modules } from '@/modules'

/** Which of these users have a second factor; null if no module provides one. */
export async function findSecondFactors(userIds: string[]): Promise<Set<string> | null> {
  const providers = modules.flatMap(({ hasSecondFactor }) => hasSecondFactor ?? [])
  if (providers.length === 0) return null
  const found = await Promise.all(providers.map((find) => find(userIds)))
  return new Set(found.flatMap((ids) => [...ids]))
}
