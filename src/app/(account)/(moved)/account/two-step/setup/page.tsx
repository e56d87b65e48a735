import { permanentRedirect } from 'next/navigation'
import { connection } from 'next/server'

/** The former URL of this page. Outside the account layout, which would redirect visitors to sign in first. */
export default async function FormerSetUpPage() {
  await connection()
  permanentRedirect('/account/two-factor/setup')
}
