import { FingerprintPattern, Monitor } from 'lucide-react'
import { Button } from '@/core/ui/button'
import { Input, Label } from '@/core/ui/input'
import { IconTile, SettingCard, SettingRow, SettingRows } from '@/core/ui/settings-page'
import { Badge } from '@/core/ui/surface'
import { Example } from './example'

export function Settings() {
  return (
    <>
      <Example
        name="SettingCard"
        code={
          '<ActionForm action={updateProfile}>\n  <SettingCard title="Display name" hint="At most 80 characters." action={<SubmitButton>Save</SubmitButton>}>\n    <Field … />\n  </SettingCard>\n</ActionForm>'
        }
      >
        <SettingCard
          title="Display name"
          description="Shown to other users."
          hint="At most 80 characters."
          action={<Button size="small">Save</Button>}
        >
          <div className="grid max-w-sm gap-1.5">
            <Label htmlFor="example-display-name">Name</Label>
            <Input id="example-display-name" defaultValue="Ada Admin" />
          </div>
        </SettingCard>
      </Example>
      <Example
        name="SettingRows, SettingRow, IconTile"
        code={
          '<SettingRows>\n  <SettingRow icon={<Monitor />} title="Chrome on macOS" state="Active now" action={<Button>Sign out</Button>} />\n</SettingRows>\n<IconTile><Monitor /></IconTile>'
        }
      >
        <div className="grid gap-4">
          <SettingRows>
            <SettingRow
              icon={<Monitor aria-hidden="true" strokeWidth={1.75} />}
              title="Chrome on macOS"
              state="Active now"
              action={<Badge tone="success">This session</Badge>}
            />
            <SettingRow
              icon={<FingerprintPattern aria-hidden="true" strokeWidth={1.75} />}
              title="Passkey of Ada"
              state="Last used 2 hours ago"
              action={
                <Button variant="danger" size="small">
                  Remove…
                </Button>
              }
            />
          </SettingRows>
          <IconTile>
            <Monitor aria-hidden="true" strokeWidth={1.75} />
          </IconTile>
        </div>
      </Example>
    </>
  )
}
