import { redirect } from 'next/navigation'
import { getSession } from '@/core/auth/session/actor'
import { locales } from '@/core/time/locales'
import { timeFormatFor } from '@/core/time/time-format'
import { listTimeZones } from '@/core/time/time-zones'
import { ActionForm, FormMessage, SelectField, SubmitButton } from '@/core/ui/form'
import { SettingCard, SettingsPage } from '@/core/ui/settings-page'
import { ThemeSwitch } from '@/core/ui/theme-switch'
import { BrowserDefaults } from '../../_components/browser-defaults'
import { savePreferences } from '../../actions'

export const metadata = { title: 'Preferences' }

export default async function PreferencesPage() {
  const session = await getSession()
  if (!session) redirect('/signin?callbackUrl=/account/preferences')
  const { timeZone, locale } = session.preferences
  return (
    <SettingsPage
      title="Preferences"
      lead="How you see dates and times, here and in our emails, and how the app looks."
    >
      <ActionForm action={savePreferences}>
        <SettingCard
          title="Date and time"
          hint={`It’s now ${timeFormatFor(session.preferences).dateTime(new Date())}.`}
          action={<SubmitButton>Save</SubmitButton>}
        >
          <FormMessage done="Saved" />
          <SelectField label="Time zone" name="timeZone" defaultValue={timeZone ?? ''}>
            <option value="">Not set (UTC)</option>
            {listTimeZones(timeZone).map(([region, names]) => (
              <optgroup key={region} label={region}>
                {names.map((name) => (
                  <option key={name} value={name}>
                    {describeTimeZone(name)}
                  </option>
                ))}
              </optgroup>
            ))}
          </SelectField>
          <SelectField
            label="Language and region"
            name="locale"
            defaultValue={locale ?? ''}
            hint="The region decides how dates look."
          >
            <option value="">Not set (English)</option>
            {Object.entries(locales).map(([tag, name]) => (
              <option key={tag} value={tag}>
                {name}
              </option>
            ))}
          </SelectField>
          {timeZone === null && <BrowserDefaults />}
        </SettingCard>
      </ActionForm>
      <SettingCard title="Theme" description="Stored in this browser.">
        <div data-slot="theme-row">
          <ThemeSwitch />
        </div>
        <noscript>
          <p className="text-sm">The app follows your system. Choosing a theme needs JavaScript.</p>
        </noscript>
      </SettingCard>
    </SettingsPage>
  )
}

/** "America/Argentina/Buenos_Aires" is "Buenos Aires, Argentina" below its region. */
const describeTimeZone = (name: string) =>
  name.includes('/') ? name.split('/').slice(1).toReversed().join(', ').replaceAll('_', ' ') : name
