import assert from 'node:assert/strict'
import { posix } from 'node:path'
import { test } from 'node:test'
import { pack } from '../../../cli/make-snapshot.ts'
import { treeFor } from '../../../cli/src/verify.ts'
import { moduleNames, present, pristine } from './test-app.ts'

const isPicture = (path: string) => /\.(png|webp)$/.test(path)
const isMigrationSnapshot = (path: string) => /\/_migrations\/meta\/\d+_snapshot\.json$/.test(path)
const isTest = (path: string) => /^tests\/|\.(test|e2e)\.ts$|\/e2e-[^/]+\.ts$/.test(path)

function measure(modules: string[]) {
  const tree = pristine(present, modules)
  const files = [...tree.keys()].filter((path) => !isPicture(path) && !isMigrationSnapshot(path))
  const linesOf = (path: string) => (tree.get(path)?.toString().split('\n').length ?? 1) - 1
  const folders = Map.groupBy(files, (path) =>
    posix
      .dirname(path)
      .split('/')
      .slice(0, /^(src\/(app|core)|tests\/app)\//.test(path) ? 3 : 2)
      .join('/'),
  )
  const tests = files.filter(isTest)
  return {
    files: files.length,
    linesOfTests: tests.reduce((sum, path) => sum + linesOf(path), 0),
    folders: [...folders].map(([folder, paths]) => `${folder}: ${paths.length}`),
  }
}

// Nearly all files are pages, components and functions of the product, one for each. Lower the bounds when there are fewer, and
// raise them only for what an app gets to use.
for (const [what, modules, bounds] of [
  ['all modules', moduleNames, { files: 1_030, linesOfTests: 8_000 }],
  ['no module', [], { files: 481, linesOfTests: 4_030 }],
] as const)
  test(`an app with ${what} has a bounded number of files and lines of tests`, (context) => {
    const { files, linesOfTests, folders } = measure([...modules])
    context.diagnostic(`${what}: ${files} files, ${linesOfTests} lines of tests`)
    context.diagnostic(folders.join(', '))
    assert.ok(files <= bounds.files, `${files} files, at most ${bounds.files}`)
    assert.ok(linesOfTests <= bounds.linesOfTests, `${linesOfTests} lines of tests, at most ${bounds.linesOfTests}`)
  })

test('nothing that only proves the template is in an app', () => {
  const paths = [...pristine(present, moduleNames).keys()]
  const found = paths.filter((path) =>
    /^(cli|\.ci|tests\/template)\/|asvs|round-trips|^src\/(words|size)\.test|CHANGELOG/.test(path),
  )
  assert.deepEqual(found, [])
})

test('what "npx plinth verify" adds to an app has every file that it imports, with and without modules', () => {
  for (const modules of [moduleNames, []]) {
    const tree = new Map([...pristine(present, modules), ...treeFor(pack().verification.files, modules)])
    assert.ok(tree.has('tests/template/security/run.ts') && tree.has('tests/template/faults/run.ts'))
    const missing = [...tree].flatMap(([path, bytes]) =>
      /\.tsx?$/.test(path)
        ? [...bytes.toString().matchAll(/^(?:import|export)\b[^'\n]* from '(\.[^']+)'$/gm)]
            .map(([, name = '']) => posix.join(posix.dirname(path), name))
            .filter((target) => !['', '.ts', '.tsx'].some((end) => tree.has(target + end)))
            .map((target) => `${path}: ${target}`)
        : [],
    )
    assert.deepEqual(missing, [])
  }
})

test('no text file of an app names a folder that it does not have', () => {
  for (const modules of [moduleNames, []]) {
    const found = [...pristine(present, modules)].flatMap(([path, bytes]) =>
      bytes.includes(0)
        ? []
        : (bytes.toString().match(/\b(tests\/template|docs\/(asvs|scale|images|round-trips)|cli\/src)\b/g) ?? []).map(
            (name) => `${path}: ${name}`,
          ),
    )
    assert.deepEqual(found, [])
  }
})

test('the workflow of an app runs the steps of "npm run ci", in about 30 lines', () => {
  const tree = pristine(present, moduleNames)
  const workflow = tree.get('.github/workflows/ci.yml')?.toString() ?? ''
  const { scripts } = JSON.parse(tree.get('package.json')?.toString() ?? '{}')
  const [install, ...steps] = [...workflow.matchAll(/^ +- run: (.+)$/gm)].map(([, command]) => command)
  assert.equal(install, 'npm ci')
  assert.equal(steps.join(' && '), scripts.ci)
  for (const step of steps) assert.ok(scripts[step?.replace('npm run ', '') ?? ''], step)
  assert.ok(workflow.split('\n').length <= 40)
})
