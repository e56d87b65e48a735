// Enough of a Dockerfile to do what ours says without an engine: each stage is a folder, and takes Node from this machine.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export interface Image {
  /** Where its file system begins. */
  folder: string
  workFolder: string
  env: NodeJS.ProcessEnv
  user: string
  command: string[]
}

/** Each instruction with what follows it, in order. */
const instructionsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => /^(\S+) (.*)$/.exec(line)?.slice(1) as [name: string, rest: string])

/** `COPY a b/ target`: a folder is copied with what is in it, as Docker does. */
function copy(from: string, workFolder: string, paths: string[]): void {
  const target = paths.at(-1) ?? '.'
  const place = join(workFolder, target)
  for (const path of paths.slice(0, -1)) {
    const source = join(from, path)
    const isFolder = statSync(source).isDirectory()
    const to = isFolder || !target.endsWith('/') ? place : join(place, basename(path))
    mkdirSync(isFolder ? to : dirname(to), { recursive: true })
    cpSync(source, to, { recursive: true, verbatimSymlinks: true })
  }
}

/** Makes the last stage; `base` is the environment that the image at the beginning would give. */
export function makeImage(text: string, context: string, place: string, base: object): Image {
  const stages: Image[] = []
  const named = new Map<string, Image>()
  for (const [name, rest] of instructionsOf(text)) {
    const stage = stages.at(-1) as Image
    if (name === 'FROM') {
      const folder = join(place, `stage-${stages.length}`)
      mkdirSync(folder)
      const fresh: Image = {
        folder,
        workFolder: folder,
        env: { ...base } as NodeJS.ProcessEnv,
        user: 'root',
        command: [],
      }
      stages.push(fresh)
      const alias = / AS (\S+)$/.exec(rest)?.[1]
      if (alias) named.set(alias, fresh)
    } else if (name === 'WORKDIR') {
      stage.workFolder = join(stage.folder, rest)
      mkdirSync(stage.workFolder, { recursive: true })
    } else if (name === 'ENV') {
      const [key = '', value = ''] = rest.split(/=(.*)/s)
      Object.assign(stage.env, { [key]: value })
    } else if (name === 'COPY') {
      const [, from, paths = rest] = /^--from=(\S+) (.*)$/.exec(rest) ?? []
      const source = from === undefined ? context : named.get(from)?.folder
      if (!source || !existsSync(source)) throw new Error(`COPY from an unknown stage: ${rest}`)
      copy(source, stage.workFolder, paths.split(' '))
    } else if (name === 'RUN') {
      execFileSync('sh', ['-c', rest], {
        cwd: stage.workFolder,
        env: stage.env,
        stdio: ['ignore', 'inherit', 'inherit'],
      })
    } else if (name === 'USER') stage.user = rest
    else if (name === 'CMD') stage.command = JSON.parse(rest)
    else if (name !== 'EXPOSE') throw new Error(`${name} is not known here`)
  }
  return stages.at(-1) as Image
}
