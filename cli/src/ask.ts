import type { Snapshot } from './snapshot.ts'

export class Canceled extends Error {}

/** Whether the terminal is interactive. */
export const isInteractive = () => Boolean(process.stdin.isTTY && process.stdout.isTTY) && !process.env.CI

async function ask<Value>(question: () => Promise<Value | symbol>): Promise<Value> {
  const { isCancel } = await import('@clack/prompts')
  const value = await question()
  if (isCancel(value)) throw new Canceled()
  return value as Value
}

export async function askForFolder(): Promise<string> {
  const { text } = await import('@clack/prompts')
  return ask<string>(() =>
    text({
      message: 'Where should we create your app?',
      placeholder: 'my-app',
      defaultValue: 'my-app',
    }),
  )
}

export async function askForModules({ modules }: Snapshot): Promise<string[]> {
  const { multiselect } = await import('@clack/prompts')
  return ask<string[]>(() =>
    multiselect({
      message: 'Which modules do you want? (You can change this later.)',
      options: modules.map(({ name, title, description }) => ({ value: name, label: title, hint: description })),
      initialValues: modules.map(({ name }) => name),
      required: false,
    }),
  )
}
