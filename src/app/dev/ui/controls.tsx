import { Ellipsis, Plus, Trash2 } from 'lucide-react'
import { Button, buttonVariants } from '@/core/ui/button'
import { CodeField } from '@/core/ui/code-field'
import { fieldErrorClass, hintClass } from '@/core/ui/control'
import { Checkbox, Input, Label, Select, Textarea } from '@/core/ui/input'
import { PictureField } from '@/core/ui/picture-field'
import { Reauthenticate } from '@/core/ui/reauthenticate'
import { Avatar } from '@/core/ui/surface'
import { ThemeSwitch } from '@/core/ui/theme-switch'
import { Example, Section } from './example'
import { FormExample, PasswordExample } from './form-example'

const variants = ['primary', 'secondary', 'outline', 'ghost', 'destructive', 'danger', 'link'] as const
const rowClass = 'flex flex-wrap items-center gap-3'

export function Controls() {
  return (
    <Section title="Controls">
      <Example
        name="Button"
        code={
          '<Button variant="outline" size="small">Cancel</Button>\n<Link href="/" className={buttonVariants({ variant: \'ghost\' })}>'
        }
      >
        <div className="grid gap-4">
          <div className={rowClass}>
            {variants.map((variant) => (
              <Button key={variant} variant={variant} className="capitalize">
                {variant}
              </Button>
            ))}
          </div>
          <div className={rowClass}>
            <Button size="small">Small</Button>
            <Button>Medium</Button>
            <Button size="large">Large</Button>
            <Button size="multiline" variant="outline">
              A label of any length
            </Button>
            <Button size="icon" variant="outline" aria-label="More actions" data-tooltip="">
              <Ellipsis aria-hidden="true" />
            </Button>
          </div>
          <div className={rowClass}>
            <Button>
              <Plus aria-hidden="true" />
              New post
            </Button>
            <Button variant="danger">
              <Trash2 aria-hidden="true" />
              Delete…
            </Button>
            <Button disabled>Disabled</Button>
            {/* As SubmitButton looks while its form is being submitted. */}
            <Button aria-disabled="true" data-pending="">
              Save
            </Button>
            <a href="#controls" className={buttonVariants({ variant: 'outline' })}>
              Looks like a button
            </a>
          </div>
        </div>
      </Example>
      <Example
        name="Form with field errors (JavaScript makes it faster)"
        code={
          '<ActionForm action={saveProfile} className="grid gap-4">\n  <FormMessage />\n  <Field label="Email" name="email" hint="…" />\n  <SelectField label="Notices" name="notices">…</SelectField>\n  <TextField label="Reason" name="reason" />\n  <SubmitButton>Save</SubmitButton>\n</ActionForm>'
        }
      >
        <FormExample />
      </Example>
      <Example
        name="Field with an error"
        code={'<Field label="Email" name="email" />  // the result of the action brings the error'}
      >
        <div className="grid max-w-sm gap-1.5">
          <Label htmlFor="example-invalid">Work email</Label>
          <Input id="example-invalid" defaultValue="ada" aria-invalid="true" aria-describedby="example-invalid-error" />
          <p id="example-invalid-error" className={fieldErrorClass}>
            Enter a valid email, like ada@example.com
          </p>
        </div>
      </Example>
      <Example
        name="PasswordField"
        code={'<PasswordField label="Password" name="password" autoComplete="current-password" />'}
      >
        <PasswordExample />
      </Example>
      <Example
        name="PictureField"
        code={
          '<PictureField name="picture" label="Photo">\n  <Avatar id={user.id} name={user.name} image={user.image} />\n</PictureField>'
        }
      >
        <PictureField name="example-picture" label="Photo">
          <Avatar id="7be021" name="Grace Hopper" className="size-16 text-lg" />
        </PictureField>
      </Example>
      <Example name="CodeField" code={'<CodeField hint="6 digits, from the email" />'}>
        <div className="max-w-sm">
          <CodeField hint="6 digits, from the email" />
        </div>
      </Example>
      <Example
        name="Input, Textarea, Select"
        code={'<Label htmlFor="role">Role</Label>\n<Select id="role" name="role">…</Select>'}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <div className="grid content-start gap-1.5">
            <Label htmlFor="example-name">Name</Label>
            <Input id="example-name" defaultValue="Ada Admin" aria-describedby="example-name-hint" />
            <p id="example-name-hint" className={hintClass}>
              Shown to other users.
            </p>
          </div>
          <div className="grid content-start gap-1.5">
            <Label htmlFor="example-role">Role</Label>
            <Select id="example-role" defaultValue="editor">
              <option value="viewer">Viewer</option>
              <option value="editor">Editor</option>
              <option value="admin">Admin</option>
            </Select>
          </div>
          <div className="grid content-start gap-1.5">
            <Label htmlFor="example-note">Note</Label>
            <Textarea id="example-note" placeholder="Add a note" />
          </div>
          <div className="grid content-start gap-1.5">
            <Label htmlFor="example-disabled">Disabled</Label>
            <Input id="example-disabled" defaultValue="Can’t be changed" disabled />
          </div>
        </div>
      </Example>
      <Example
        name="Checkbox and radio"
        code={
          '<Checkbox id="others" name="others" />\n<Label htmlFor="others">…</Label>\n<input type="radio" name="role" value="viewer" />'
        }
      >
        <div className="grid gap-5 sm:grid-cols-2">
          <div className="grid content-start gap-3">
            <div className="flex items-center gap-2.5">
              <Checkbox id="example-others" defaultChecked />
              <Label htmlFor="example-others">Sign out my other sessions</Label>
            </div>
            <div className="flex items-center gap-2.5">
              <Checkbox id="example-notices" />
              <Label htmlFor="example-notices">Email notifications</Label>
            </div>
            <div className="flex items-center gap-2.5">
              <Checkbox id="example-locked" disabled />
              <Label htmlFor="example-locked">Disabled</Label>
            </div>
          </div>
          <fieldset className="grid content-start gap-3">
            <legend className="mb-3 font-medium text-sm">Role</legend>
            {['Viewer', 'Editor', 'Admin'].map((role) => (
              <label key={role} className="flex items-center gap-2.5 text-sm">
                <input type="radio" name="example-radio" value={role} defaultChecked={role === 'Editor'} />
                {role}
              </label>
            ))}
          </fieldset>
        </div>
      </Example>
      <Example
        name="Reauthenticate (in the form of an action with isSensitive)"
        code={'<Reauthenticate state={await findReauthentication()} path="…" />'}
      >
        <div className="max-w-sm">
          <Reauthenticate
            state={{ email: 'ada@example.com', isReauthenticated: false, isInline: true, needsCode: true }}
            path="/dev/ui"
          />
        </div>
      </Example>
      <Example
        name="Form that is replaced by its result"
        code={
          '<ActionForm action={askForReset} done={<p role="status">Sent to <ResultText name="email" /></p>}>…\n<ResultInput name="email" />  // in a second form, to send it again'
        }
      >
        <p className="text-muted-foreground text-sm">
          After success, the content of “done” takes the place of the fields.
        </p>
      </Example>
      <Example name="ThemeSwitch" code="<ThemeSwitch />  // handled by the early script">
        <ThemeSwitch />
      </Example>
    </Section>
  )
}
