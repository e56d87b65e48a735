import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { rounds, seed } from '../support/rounds.ts'
import {
  differences,
  firstChanges,
  fullTemplate,
  moduleNames,
  oldModuleNames,
  present,
  pristine,
  reducedTemplate,
  TestApp,
  upgraded,
} from './test-app.ts'

const someModules = fc.subarray(moduleNames)
const inSomeOrder = (names: string[]) => fc.shuffledSubarray(names, { minLength: names.length })
const runs = (count: number) => ({ numRuns: rounds(count), seed })

describe('without edits', () => {
  test('adding modules in any order equals creating the app with them', () => {
    fc.assert(
      fc.property(
        someModules.chain((some) =>
          fc.tuple(fc.constant(some), inSomeOrder(moduleNames.filter((name) => !some.includes(name)))),
        ),
        ([some, rest]) => {
          using app = new TestApp(fullTemplate, 'present', some)
          for (const name of rest) app.add(name)
          assert.deepEqual(differences(app.tree(), pristine(present, moduleNames)), [])
          assert.ok(app.isClean)
        },
      ),
      runs(12),
    )
  })

  test('removing undoes adding, byte for byte', () => {
    fc.assert(
      fc.property(someModules, fc.constantFrom(...moduleNames), (some, name) => {
        const others = some.filter((one) => one !== name)
        using app = new TestApp(fullTemplate, 'present', others)
        const before = app.tree()
        app.add(name)
        assert.notDeepEqual(differences(app.tree(), before), [])
        app.remove([name])
        assert.deepEqual(differences(app.tree(), before), [])
        assert.ok(app.isClean)
      }),
      runs(12),
    )
  })

  test('any sequence of add and remove equals creating the app with the remaining modules', () => {
    fc.assert(
      fc.property(someModules, fc.array(fc.constantFrom(...moduleNames), { maxLength: 6 }), (some, names) => {
        using app = new TestApp(fullTemplate, 'present', some)
        const there = new Set(some)
        for (const name of names) {
          if (there.delete(name)) app.remove([name])
          else {
            app.add(name)
            there.add(name)
          }
        }
        assert.deepEqual(differences(app.tree(), pristine(present, [...there])), [])
      }),
      runs(12),
    )
  })

  test('upgrading equals creating the app with the new version', () => {
    fc.assert(
      fc.property(fc.subarray(oldModuleNames), (some) => {
        using app = new TestApp(fullTemplate, 'frozen', some)
        app.upgrade()
        assert.deepEqual(app.conflicts, [])
        assert.deepEqual(differences(app.tree(), upgraded(some)), [])
        assert.ok(app.isClean)
      }),
      runs(8),
    )
  })
})

/** Kinds of edits that a user makes to their app. */
const kinds = [
  'a line in core',
  'a line in a module',
  'a line that an upgrade changes',
  'a script',
  'a package',
  'a setting',
  'styles',
  'a new module',
  'a file deleted',
  'a file renamed',
] as const

interface Edit {
  kind: (typeof kinds)[number]
  pick: number
  at: number
}

const anEdit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom(...kinds),
  pick: fc.nat(10_000),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
})

/** Makes the edit. Returns the file and the mark that must stay in it; without a mark the file must stay deleted. */
function applyEdit(app: TestApp, { kind, pick, at }: Edit): { path: string; mark?: string } | null {
  const mark = `mark-${crypto.randomUUID()}`
  const paths = [...app.tree().keys()]
  const choose = (pattern: RegExp) => {
    // Skip files that contain a mark: deleting one would delete the mark on purpose.
    const some = paths.filter((path) => pattern.test(path) && app.has(path) && !app.read(path).includes('mark-'))
    return some[pick % some.length] ?? ''
  }
  const insert = (path: string, line: string) => {
    if (!path) return null
    app.edit(path, (text) => {
      const lines = text.split('\n')
      lines.splice(Math.floor(at * (lines.length - 1)), 0, line)
      return lines.join('\n')
    })
    return { path, mark }
  }
  switch (kind) {
    case 'a line in core':
      return insert(choose(/^src\/core\/.*\.tsx?$/), `// ${mark}`)
    case 'a line in a module':
      return insert(choose(/^src\/app\/\(.*\.tsx?$/), `// ${mark}`)
    case 'a setting':
      return insert('.env.example', `# ${mark}`)
    case 'styles':
      return insert('src/app/globals.css', `/* ${mark} */`)
    case 'a line that an upgrade changes': {
      const path = choose(new RegExp(`^(${[...firstChanges.keys()].map((one) => RegExp.escape(one)).join('|')})$`))
      if (!path) return null
      const lines = app.read(path).split('\n')
      app.write(path, lines.with(firstChanges.get(path) ?? 0, `// ${mark}`).join('\n'))
      return { path, mark }
    }
    case 'a script':
    case 'a package': {
      const manifest = JSON.parse(app.read('package.json'))
      if (kind === 'a script') manifest.scripts[mark] = 'true'
      else {
        const dependencies = Object.entries({ ...manifest.dependencies, [mark]: '1.0.0' }).sort()
        manifest.dependencies = Object.fromEntries(dependencies)
      }
      app.write('package.json', `${JSON.stringify(manifest, null, 2)}\n`)
      return { path: 'package.json', mark }
    }
    case 'a new module': {
      const path = `src/app/(own-${mark.slice(5, 9)})/page.tsx`
      app.write(path, `// ${mark}\n`)
      return { path, mark }
    }
    case 'a file deleted': {
      const path = choose(/^(docs|src\/core)\//)
      app.git('rm', '--quiet', '--force', path)
      return { path }
    }
    case 'a file renamed': {
      const path = choose(/^src\/core\/.*\.ts$/)
      const renamed = path.replace(/\.ts$/, '-renamed.ts')
      app.git('mv', path, renamed)
      return insert(renamed, `// ${mark}`)
    }
  }
}

const aStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('edit' as const), edit: anEdit }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('change' as const), name: fc.constantFrom(...moduleNames) }) },
)

describe('with edits of every kind', () => {
  for (const version of ['present', 'frozen'] as const)
    test(`no edit is ever lost, ${version === 'frozen' ? 'with an upgrade in between' : 'at one version'}`, () => {
      let conflicts = 0
      let rejections = 0
      fc.assert(
        fc.property(
          someModules,
          fc.array(aStep, { minLength: 6, maxLength: 12, size: 'max' }),
          fc.boolean(),
          (some, steps, isAborted) => {
            using app = new TestApp(reducedTemplate, version, some)
            const edits: NonNullable<ReturnType<typeof applyEdit>>[] = []
            const edit = (one: Edit) => {
              const done = applyEdit(app, one)
              app.commit('Edit')
              if (done) edits.push(done)
            }
            const expectEdits = () => {
              for (const { path, mark } of edits)
                if (mark) assert.ok(app.has(path) && app.read(path).includes(mark), `${mark} is lost from ${path}`)
                else assert.ok(!app.has(path), `${path} exists again`)
            }
            const change = (work: () => void) => {
              const before = app.tree()
              const head = app.git('rev-parse', 'HEAD')
              try {
                work()
              } catch (error) {
                // Rejected because of the user's own files: nothing has changed.
                if (!/You changed these files/.test(String(error))) throw error
                rejections++
                assert.equal(app.git('rev-parse', 'HEAD'), head)
                assert.ok(app.isClean)
                return
              }
              expectEdits()
              if (app.conflicts.length === 0) return
              conflicts++
              if (isAborted) {
                app.abort()
                assert.deepEqual(differences(app.tree(), before), [])
                assert.equal(app.git('rev-parse', 'HEAD'), head)
                assert.ok(app.isClean)
                return
              }
              // Resolve the conflict by keeping both sides, or a file that the new version deletes or rewrites elsewhere.
              for (const path of app.conflicts) {
                if (/^<{7}/m.test(app.read(path)))
                  app.edit(path, (text) => text.replaceAll(/^(<{7}|={7}|>{7}|\|{7}).*\n/gm, ''))
                app.git('add', '--', path)
              }
              app.continue()
              expectEdits()
              assert.ok(app.isClean)
            }
            const half = Math.floor(steps.length / 2)
            for (const [index, step] of steps.entries()) {
              if (version === 'frozen' && index === half) change(() => app.upgrade())
              if (step.do === 'edit') edit(step.edit)
              else if (app.state.version === present.version)
                change(() => (app.state.modules.includes(step.name) ? app.remove([step.name]) : app.add(step.name)))
            }
          },
        ),
        runs(40),
      )
      console.log(`${conflicts} real conflicts, ${rejections} rejected commands`)
    })
})
