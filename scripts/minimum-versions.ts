// The minimum versions of packages with known vulnerabilities, and why. `npm run lockfile` rejects older versions. Raise
// the minimum here when you update a package because of an advisory.
export const minimumVersions: Record<string, { minimum: string; reason: string }> = {
  next: {
    minimum: '16.4.3',
    reason: 'remote code execution, authorization bypass, cache poisoning',
  },
  react: { minimum: '19.3.1', reason: 'remote code execution and denial of service through server actions' },
  'react-dom': { minimum: '19.3.1', reason: 'it must have the same version as react' },
  'next-auth': { minimum: '5.0.0-beta.32', reason: 'a configuration error counted as a signed-in user' },
  '@auth/core': {
    minimum: '0.41.3',
    reason: 'emails were checked before they were normalized, cookies of one provider worked for another',
  },
  zod: { minimum: '4.6.7', reason: 'a long array exhausted the memory' },
  'drizzle-orm': { minimum: '0.45.2', reason: 'SQL injection through column names' },
  sharp: {
    minimum: '0.35.5',
    reason: 'its native libraries decode untrusted images, and no older version was tested here',
  },
  nodemailer: { minimum: '10.0.0', reason: 'injection of SMTP commands and recipients through an email address' },
}

/** Compares versions numerically; a prerelease (`-beta.1`) is older than its release. */
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

export function minimumVersionProblem(name: string, version: string, where: string): string[] {
  const entry = minimumVersions[name]
  if (!entry || !isOlder(version, entry.minimum)) return []
  return [`${where} is ${version}, but must be at least ${entry.minimum}: ${entry.reason}`]
}
