const roundSteps = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]

/** Values for the axis of a chart of whole numbers, from 0 to at least `max`: three or four, at equal round steps. */
export function niceTicks(max: number): number[] {
  const power = 10 ** Math.floor(Math.log10(Math.max(max / 3, 1)))
  const step = roundSteps.map((one) => one * power).find((one) => Number.isInteger(one) && one * 3 >= max) ?? 10 * power
  const count = Math.max(2, Math.ceil(max / step))
  return Array.from({ length: count + 1 }, (_, index) => index * step)
}
