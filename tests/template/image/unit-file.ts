/** What a systemd unit runs, and with which environment. */
export interface Unit {
  before: string[]
  start: string[]
  env: Record<string, string>
}

/** Reads deploy/app.service. The folder of the app and the path of Node are those of this machine. */
export function readUnit(text: string): Unit {
  const all = (name: string) => [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value)
  const commandOf = (name: string) => (all(name)[0] ?? '').replace('/usr/bin/node', 'node').split(' ')
  return {
    before: commandOf('ExecStartPre'),
    start: commandOf('ExecStart'),
    env: Object.fromEntries(all('Environment').map((pair) => pair.split('=') as [string, string])),
  }
}
