import type { Snapshot } from './snapshot.ts'

export class Cancelled extends Error {}

/** Questions need somebody to answer them. */
export const canAsk = () => Boolean(process.stdin.isTTY && process.stdout.isTTY) && !process.env.CI

async function ask<Answer>(question: () => Promise<Answer | symbol>): Promise<Answer> {
  const { isCancel } = await import('@clack/prompts')
  const answer = await question()
  if (isCancel(answer)) throw new Cancelled()
  return answer as Answer
}

export async function askForFolder(): Promise<string> {
  const { text } = await import('@clack/prompts')
  return ask<string>(() =>
    text({
      message: 'Where shall the app be?',
      placeholder: 'my-app',
      defaultValue: 'my-app',
    }),
  )
}

export async function askForModules({ modules }: Snapshot): Promise<string[]> {
  const { multiselect } = await import('@clack/prompts')
  return ask<string[]>(() =>
    multiselect({
      message: 'Which modules? Add and remove them later, too.',
      options: modules.map(({ name, title, description }) => ({ value: name, label: title, hint: description })),
      initialValues: modules.map(({ name }) => name),
      required: false,
    }),
  )
}
