/** The sign-in methods of a user, as far as they say how well the account is protected. */
export interface Protection {
  hasPassword: boolean
  isTwoFactorOn: boolean
  passkeyCount: number
  /** Names of the connected providers. */
  providers: string[]
}

const list = new Intl.ListFormat('en')

/** Says what protects the account, and what to add if a stolen password alone would open it. */
export function describeProtection({ hasPassword, isTwoFactorOn, passkeyCount, providers }: Protection): {
  text: string
  isSecured: boolean
} {
  const parts = [
    ...(hasPassword ? ['a password'] : []),
    ...(isTwoFactorOn ? ['two-factor authentication'] : []),
    ...(passkeyCount > 0 ? [passkeyCount === 1 ? 'a passkey' : `${passkeyCount} passkeys`] : []),
    ...providers.map((name) => `your ${name} account`),
  ]
  const isSecured = isTwoFactorOn || passkeyCount > 0
  const advice = isSecured ? '' : ' Add a passkey or turn on two-factor authentication.'
  return { text: `Your account is protected by ${list.format(parts)}.${advice}`, isSecured }
}
