// Interprets our Dockerfile without a container engine: each stage is a folder and uses the Node of this machine.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

export interface Image {
  /** The root of its file system. */
  folder: string
  workFolder: string
  env: NodeJS.ProcessEnv
  user: string
  command: string[]
}

/** The instructions with their arguments, in order. */
const instructionsOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => /^(\S+) (.*)$/.exec(line)?.slice(1) as [name: string, rest: string])

/** `COPY a b/ target`: copies the content of a folder, like Docker. */
function copy(from: string, workFolder: string, paths: string[]): void {
  const target = paths.at(-1) ?? '.'
  const destination = join(workFolder, target)
  for (const path of paths.slice(0, -1)) {
    const source = join(from, path)
    const isFolder = statSync(source).isDirectory()
    const to = isFolder || !target.endsWith('/') ? destination : join(destination, basename(path))
    mkdirSync(isFolder ? to : dirname(to), { recursive: true })
    cpSync(source, to, { recursive: true, verbatimSymlinks: true })
  }
}

/** Builds all stages and returns the last one; `base` is the environment of the base image. */
export function makeImage(text: string, context: string, parentFolder: string, base: object): Image {
  const stages: Image[] = []
  const named = new Map<string, Image>()
  for (const [name, rest] of instructionsOf(text)) {
    const stage = stages.at(-1) as Image
    if (name === 'FROM') {
      const folder = join(parentFolder, `stage-${stages.length}`)
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
    else if (name !== 'EXPOSE') throw new Error(`unsupported Dockerfile instruction: ${name}`)
  }
  return stages.at(-1) as Image
}
