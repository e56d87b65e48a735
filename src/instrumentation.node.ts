import { checkEnv, coreEnv } from '@/core/env'
import { modules } from '@/modules'

const problems = checkEnv([coreEnv, ...modules.flatMap(({ env }) => env ?? [])])
if (problems) {
  console.error(problems)
  process.exit(1)
}
