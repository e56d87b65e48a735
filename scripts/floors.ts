// The oldest versions that may be installed, and why: below each of them something is known that these tests cannot make
// harmless. `npm run lockfile` refuses what is older. Whoever hears of an advisory raises the floor with the version.
export const floors: Record<string, { least: string; because: string }> = {
  next: {
    least: '16.4.3',
    because: 'code that runs on a request, guards that are gone around, answers kept for others',
  },
  react: { least: '19.3.1', because: 'what a browser sends to an action could run code, or stop the process' },
  'react-dom': { least: '19.3.1', because: 'it must be of the same version as react' },
  'next-auth': { least: '5.0.0-beta.32', because: 'a wrong configuration counted as somebody who is signed in' },
  '@auth/core': {
    least: '0.41.3',
    because: 'addresses were looked at before they were normalised, cookies of one provider worked for another',
  },
  zod: { least: '4.6.7', because: 'a long list used up the memory' },
  'drizzle-orm': { least: '0.45.2', because: 'names of columns could bring SQL along' },
  nodemailer: { least: '10.0.0', because: 'an address could bring commands and recipients along' },
}

/** Numbers by their value; a version with a word behind it comes before the one without. */
export function isOlder(version: string, other: string): boolean {
  const parts = (text: string) => {
    const [numbers = '', word] = text.split(/-(.*)/s)
    return [...numbers.split('.'), ...(word === undefined ? ['~'] : word.split('.'))]
  }
  const [left, right] = [parts(version), parts(other)]
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [one = '', two = ''] = [left[index], right[index]]
    if (one === two) continue
    const areNumbers = /^\d+$/.test(one) && /^\d+$/.test(two)
    return areNumbers ? Number(one) < Number(two) : one < two
  }
  return false
}

export function floorProblem(name: string, version: string, where: string): string[] {
  const floor = floors[name]
  if (!floor || !isOlder(version, floor.least)) return []
  return [`${where} is ${version}, and must not be older than ${floor.least}: ${floor.because}`]
}
