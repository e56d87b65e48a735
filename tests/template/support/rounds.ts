/**
 * How often a generated or repeated case runs: `weekly` times, or `perChange` times in the CI run of a change (QUICK).
 * FC_RUNS=10000 overrides both.
 */
export const rounds = (weekly: number, perChange = Math.ceil(weekly / 4)): number =>
  Number(process.env.FC_RUNS ?? (process.env.QUICK ? perChange : weekly))

/**
 * For generated cases. Random each time; CI sets a fixed one, so that a change does not fail because of an older bug. FC_SEED
 * repeats a run.
 */
export const seed: number = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31))
