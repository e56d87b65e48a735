import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../../scripts/root.ts'

/** A module is installed if its folder exists. */
export const hasModule = (name: string) => existsSync(join(root, 'src', 'app', `(${name})`))
