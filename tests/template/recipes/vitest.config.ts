import { join } from 'node:path'
import { defineConfig, mergeConfig } from 'vitest/config'
import base from '../../../vitest.config.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/** Runs the probes, which only pass in a copy where a recipe was followed. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [] } },
  defineConfig({ root, test: { include: ['tests/template/recipes/*.probe.ts'], testTimeout: 60_000, bail: 0 } }),
)
