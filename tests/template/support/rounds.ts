/**
 * How often a generated or repeated case runs: `full` times, or `perChange` times in the run for every change (QUICK).
 * FC_RUNS=10000 overrides both.
 */
export const rounds = (full: number, perChange = Math.ceil(full / 4)): number =>
  Number(process.env.FC_RUNS ?? (process.env.QUICK ? perChange : full))

/**
 * For generated cases. Random each time; CI sets a fixed one, so that a change does not fail because of an older bug. FC_SEED
 * repeats a run.
 */
export const seed: number = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31))
