import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { packCli } from '../support/cli.ts'
import { startRegistry } from '../support/registry.ts'
import {
  differences,
  firstChanges,
  frozenArchive,
  moduleNames,
  present,
  pristine,
  TestApp,
  thinned,
  whole,
} from './world.ts'

const scratch = mkdtempSync(join(tmpdir(), 'plinth-awkward-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

/** Files of core that an upgrade changes. */
const coreChanges = [...firstChanges.keys()].filter((path) => path.startsWith('src/core/'))

/** The packed program, and one with fewer files in it. */
const { archive, folder: packed } = packCli(join(scratch, 'packed'))
const small = join(scratch, 'small')
cpSync(packed, small, { recursive: true })
writeFileSync(join(small, 'dist', 'snapshot.json'), JSON.stringify(thinned.present))

function plinth(
  folder: string,
  args: string[],
  { env = {}, program = packed }: { env?: Record<string, string>; program?: string } = {},
) {
  const { status, stdout, stderr, signal } = spawnSync(process.execPath, [join(program, 'dist', 'bin.mjs'), ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  return { status, stdout, stderr, signal }
}

describe('create', () => {
  test('makes an app in less than a second, without asking where nobody can answer', () => {
    const start = performance.now()
    const { status, stdout } = plinth(scratch, ['made', '--no-install', '--modules', 'account'])
    const took = performance.now() - start
    assert.equal(status, 0)
    assert.match(stdout, /npm run dev/)
    console.log(`made in ${took.toFixed(0)} ms`)
    assert.ok(took < 1000, `${took} ms`)
    assert.equal(execFileSync('git', ['status', '--porcelain'], { cwd: join(scratch, 'made'), encoding: 'utf8' }), '')
  })

  test('refuses a folder that is not empty, a name that npm would refuse, and a module that there is not', () => {
    mkdirSync(join(scratch, 'full'))
    writeFileSync(join(scratch, 'full', 'mine.txt'), 'mine')
    for (const [args, words] of [
      [['full'], /not empty/],
      [['9lives'], /name of a package/],
      [['other', '--modules', 'nothing'], /There is no module "nothing"\. There are: /],
      [['one', 'two'], /One folder/],
      [['other', '--what'], /--help/],
      [['other', '--pm', 'cargo'], /package manager/],
    ] as const) {
      const { status, stderr } = plinth(scratch, [...args, '--no-install'])
      assert.equal(status, 1, args.join(' '))
      assert.match(stderr, words)
    }
    assert.equal(readFileSync(join(scratch, 'full', 'mine.txt'), 'utf8'), 'mine')
    assert.ok(!existsSync(join(scratch, 'other')))
  })

  test('says with --dry-run what it would do, and with --json what it did', () => {
    const dry = plinth(scratch, ['dry', '--dry-run', '--json', '--modules', 'none'])
    assert.deepEqual(JSON.parse(dry.stdout).modules, [])
    assert.ok(!existsSync(join(scratch, 'dry')))
    const made = plinth(scratch, ['plain', '--no-install', '--no-git', '--json', '--pm', 'pnpm'])
    assert.deepEqual(JSON.parse(made.stdout).next, ['cd plain', 'pnpm install', 'pnpm run dev'])
    assert.ok(!existsSync(join(scratch, 'plain', '.git')))
    assert.ok(!existsSync(join(scratch, 'plain', 'package-lock.json')))
  })

  test('without git still makes an app', () => {
    const { status } = plinth(scratch, ['bare', '--no-install'], { env: { PATH: join(scratch, 'nothing') } })
    assert.equal(status, 0)
    assert.ok(existsSync(join(scratch, 'bare', 'plinth.json')))
  })
})

describe('is refused, with nothing changed,', () => {
  const expectRefusal = (app: TestApp, words: RegExp, work: () => void = () => app.add('admin')) => {
    const look = () => [app.git('rev-parse', 'HEAD'), app.git('status', '--porcelain'), app.git('diff', 'HEAD')]
    const before = look()
    assert.throws(work, words)
    assert.deepEqual(look(), before)
    assert.ok(!app.isUnderWay)
  }

  test('with changes that are not committed', () => {
    using app = new TestApp(thinned, 'present', ['account'])
    app.edit('README.md', (text) => `${text}mine\n`)
    expectRefusal(app, /not committed:\n {2}README\.md/)
    assert.match(app.read('README.md'), /mine/)
  })

  test('with a file in the way that git does not know', () => {
    using app = new TestApp(thinned, 'present', [])
    app.write('src/app/(admin)/module.ts', 'mine')
    expectRefusal(app, /in the way/)
    assert.equal(app.read('src/app/(admin)/module.ts'), 'mine')
  })

  test('with a folder of that name of somebody’s own', () => {
    using app = new TestApp(thinned, 'present', [])
    app.write('src/app/(admin)/mine.ts', 'mine')
    app.commit('Mine')
    expectRefusal(app, /of your own/)
  })

  test('outside of git, before the first commit, in the middle of a merge, or where no app is', () => {
    using app = new TestApp(thinned, 'present', [])
    const begun = app.git('rev-parse', 'HEAD').trim()
    app.git('checkout', '--quiet', '-b', 'other')
    app.edit('README.md', (text) => `one\n${text}`)
    app.commit('One')
    app.git('checkout', '--quiet', 'main')
    app.edit('README.md', (text) => `two\n${text}`)
    app.commit('Two')
    spawnSync('git', ['merge', 'other'], { cwd: app.folder })
    expectRefusal(app, /A merge is under way/)
    app.git('merge', '--abort')
    app.git('update-ref', '-d', 'HEAD')
    assert.throws(() => app.add('admin'), /no commit yet/)
    app.git('update-ref', 'HEAD', begun)
    rmSync(join(app.folder, '.git'), { recursive: true })
    assert.throws(() => app.add('admin'), /git init/)
    rmSync(join(app.folder, 'plinth.json'))
    assert.throws(() => app.add('admin'), /no plinth\.json/)
  })

  test('when it is there already, or not there', () => {
    using app = new TestApp(thinned, 'present', ['account'])
    expectRefusal(app, /there already/, () => app.add('account'))
    expectRefusal(app, /not there/, () => app.remove(['admin']))
    expectRefusal(app, /There is no module "x"/, () => app.add('x'))
  })

  test('when another module needs it', () => {
    const modules = thinned.present.modules.map((one) =>
      one.name === 'admin' ? { ...one, requires: ['account'] } : one,
    )
    using app = new TestApp({ ...thinned, present: { ...thinned.present, modules } }, 'present', [])
    app.add('admin')
    assert.deepEqual(app.state.modules, ['account', 'admin'])
    expectRefusal(app, /admin cannot be without it.*remove account admin/, () => app.remove(['account']))
    app.remove(['account', 'admin'])
    assert.deepEqual(app.state.modules, [])
  })

  test('when package.json cannot be read', () => {
    using app = new TestApp(thinned, 'present', [])
    app.edit('package.json', (text) => text.replace('{', '{,'))
    app.commit('Oh')
    expectRefusal(app, /not valid JSON/)
  })

  test('when somebody’s code imports it, with file and line', () => {
    using app = new TestApp(thinned, 'present', ['account', 'admin'])
    app.write('src/app/shop/page.tsx', `import { a } from 'b'\nimport { can } from '@/app/(admin)/policy'\n`)
    app.write('src/app/shop/later.ts', `\n\nconst x = await import('../(admin)/list')\n`)
    app.commit('Import it')
    expectRefusal(app, /src\/app\/shop\/later\.ts:3\n {2}src\/app\/shop\/page\.tsx:2/, () => app.remove(['admin']))
    app.remove(['account'])
  })

  test('when files of it are somebody’s work, unless they insist', () => {
    using app = new TestApp(thinned, 'present', ['admin'])
    app.edit('src/app/(admin)/module.ts', (text) => `${text}// mine\n`)
    app.write('src/app/(admin)/extra.ts', '// mine\n')
    app.commit('Mine')
    expectRefusal(app, /extra\.ts\n {2}src\/app\/\(admin\)\/module\.ts/, () => app.remove(['admin']))
    app.remove(['admin'], { isForced: true })
    assert.ok(!app.has('src/app/(admin)'))
    assert.deepEqual(differences(app.tree(), pristine(thinned.present, [])), [])
    app.git('reset', '--quiet', '--keep', 'HEAD~1')
    assert.match(app.read('src/app/(admin)/extra.ts'), /mine/)
  })
})

describe('works as ever', () => {
  test('in a clone without history', () => {
    using app = new TestApp(thinned, 'present', ['account'])
    app.edit('README.md', (text) => `${text}mine\n`)
    app.commit('Mine')
    const folder = join(scratch, 'shallow')
    execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${app.folder}`, folder])
    assert.equal(plinth(folder, ['add', 'admin', '--no-install'], { program: small }).status, 0)
    assert.match(readFileSync(join(folder, 'README.md'), 'utf8'), /mine/)
    assert.ok(existsSync(join(folder, 'src/app/(admin)/module.ts')))
  })

  test('in a folder of a larger repository, whose other files it leaves alone', () => {
    using app = new TestApp(thinned, 'frozen', ['account'], { inside: 'apps/shop' })
    writeFileSync(join(app.top, 'README.md'), 'of all\n')
    mkdirSync(join(app.top, 'src/app/(admin)'), { recursive: true })
    writeFileSync(join(app.top, 'src/app/(admin)/module.ts'), 'another\n')
    execFileSync('git', ['add', '--all'], { cwd: app.top })
    app.commit('Others')
    app.upgrade()
    app.add('admin')
    app.remove(['account'])
    assert.deepEqual(differences(app.tree(), pristine(thinned.present, ['admin'])), [])
    assert.equal(readFileSync(join(app.top, 'README.md'), 'utf8'), 'of all\n')
    assert.equal(readFileSync(join(app.top, 'src/app/(admin)/module.ts'), 'utf8'), 'another\n')
    assert.ok(app.isClean)
  })

  test('where lines end as on Windows', () => {
    using app = new TestApp(thinned, 'frozen', ['account'])
    app.write('.gitattributes', '* -text\n')
    for (const [path, bytes] of app.tree())
      if (!bytes.includes(0) && path !== '.gitattributes') app.write(path, bytes.toString().replaceAll('\n', '\r\n'))
    app.edit('src/app/globals.css', (text) => `/* mine */\r\n${text}`)
    app.commit('As on Windows')
    app.upgrade()
    assert.deepEqual(app.conflicts, [])
    app.add('admin')
    app.remove(['admin'])
    assert.deepEqual(app.conflicts, [])
    assert.match(app.read('src/app/globals.css'), /^\/\* mine \*\/\r\n/)
    assert.ok(!/[^\r]\n/.test(app.read('package.json')))
  })

  test('with another format of code, which is no conflict', () => {
    using app = new TestApp(thinned, 'frozen', ['account'])
    execFileSync('ln', ['-s', join(process.cwd(), 'node_modules', '.bin'), join(app.folder, 'node_modules', '.bin')])
    app.edit('biome.json', (text) => text.replace('"asNeeded"', '"always"').replace('"single"', '"double"'))
    execFileSync(join(process.cwd(), 'node_modules/.bin/biome'), ['format', '--write', '.'], {
      cwd: app.folder,
      stdio: 'ignore',
    })
    app.commit('I like semicolons')
    app.upgrade()
    assert.deepEqual(app.conflicts, [])
    app.add('admin')
    assert.deepEqual(app.conflicts, [])
    assert.match(app.read('src/app/(admin)/module.ts'), /";\n/)
    app.remove(['admin'])
    app.remove(['account'])
    assert.equal(app.state.version, present.version)
  })

  test('with hooks that fail', () => {
    using app = new TestApp(thinned, 'present', [])
    for (const hook of [
      'pre-commit',
      'prepare-commit-msg',
      'commit-msg',
      'post-checkout',
      'post-commit',
      'pre-merge-commit',
    ]) {
      const file = join(app.folder, '.git', 'hooks', hook)
      mkdirSync(join(app.folder, '.git', 'hooks'), { recursive: true })
      writeFileSync(file, '#!/bin/sh\nexit 1\n')
      chmodSync(file, 0o755)
    }
    app.add('admin')
    assert.deepEqual(differences(app.tree(), pristine(thinned.present, ['admin'])), [])
  })

  test('where nobody has told git who they are', () => {
    using app = new TestApp(thinned, 'present', [])
    app.git('config', '--unset', 'user.name')
    app.git('config', '--unset', 'user.email')
    const env = { HOME: scratch, XDG_CONFIG_HOME: scratch, GIT_CONFIG_NOSYSTEM: '1', EMAIL: '' }
    app.git('config', 'user.useConfigOnly', 'true')
    assert.equal(plinth(app.folder, ['add', 'admin', '--no-install'], { env, program: small }).status, 0)
    assert.ok(app.has('src/app/(admin)/module.ts'))
  })

  test('with a package that was made by another package manager', () => {
    using app = new TestApp(whole, 'present', ['account'])
    app.git('rm', '--quiet', 'package-lock.json')
    app.write('pnpm-lock.yaml', "lockfileVersion: '9.0'\n")
    app.commit('pnpm')
    const { status, stdout } = plinth(app.folder, ['remove', 'account', '--no-install'])
    assert.equal(status, 0)
    assert.match(stdout, /run "pnpm install"/)
    assert.ok(!app.has('package-lock.json'))
  })
})

describe('killed', () => {
  /** A git that kills who called it, or dies with them, at the given call. */
  function deadlyGit(how: 'before' | 'after' | 'during', call: number, delay = 0): Record<string, string> {
    const folder = mkdtempSync(join(scratch, 'git-'))
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    const count = join(folder, 'count')
    writeFileSync(count, '0')
    const deadly = {
      before: 'kill -9 $PPID; exit 1',
      after: `"${real}" "$@"; kill -9 $PPID; exit 1`,
      during: `"${real}" "$@" & sleep ${delay}; kill -9 $! $PPID 2>/dev/null; exit 1`,
    }[how]
    writeFileSync(
      join(folder, 'git'),
      `#!/bin/sh\nn=$(($(cat "${count}") + 1)); echo $n > "${count}"\n[ $n = ${call} ] && { ${deadly}; }\nexec "${real}" "$@"\n`,
    )
    chmodSync(join(folder, 'git'), 0o755)
    return { PATH: `${folder}:${process.env.PATH}`, COUNT: count }
  }

  for (const [what, version, args] of [
    ['adding', 'present', ['add', 'admin']],
    ['removing', 'present', ['remove', 'account']],
    ['upgrading', 'frozen', ['upgrade', '--to', present.version]],
  ] as const)
    test(`at every step of ${what}, everything is as before after "abort", or done after "continue"`, () => {
      using app = new TestApp(thinned, version, ['account'])
      app.edit('README.md', (text) => `${text}mine\n`)
      app.commit('Mine')
      const before = app.tree()
      const head = app.git('rev-parse', 'HEAD')
      const env = deadlyGit('before', 0)
      assert.equal(plinth(app.folder, [...args, '--no-install'], { env, program: small }).status, 0)
      const done = app.tree()
      app.git('reset', '--quiet', '--hard', 'HEAD~1')
      const calls = Number(readFileSync(env.COUNT ?? '', 'utf8'))
      assert.ok(calls > 10, `${calls} calls`)
      let undone = 0
      let finished = 0
      const ways = ['before', 'after', 'during'] as const
      // With QUICK each call in one of the ways, in turn.
      const kills = Array.from({ length: calls }, (_, index) =>
        ways
          .filter((_, way) => !process.env.QUICK || way === index % ways.length)
          .map((how) => [how, index + 1, how === 'during' ? (index % 5) * 0.004 : 0] as const),
      ).flat()
      for (const [how, call, delay] of kills) {
        const { signal } = plinth(app.folder, [...args, '--no-install'], {
          env: deadlyGit(how, call, delay),
          program: small,
        })
        assert.equal(signal, 'SIGKILL', `${how} ${call}`)
        const where = `killed ${how} call ${call}`
        if (app.isUnderWay) {
          // Half of the time somebody tries to go on first.
          const isGoneOn =
            call % 2 === 0 && plinth(app.folder, ['continue', '--no-install'], { program: small }).status === 0
          if (isGoneOn) {
            finished++
            assert.deepEqual(differences(app.tree(), done), [], where)
            app.git('reset', '--quiet', '--keep', 'HEAD~1')
          } else {
            undone++
            assert.equal(plinth(app.folder, ['abort'], { program: small }).status, 0, where)
          }
        } else if (app.git('rev-parse', 'HEAD') !== head) {
          finished++
          assert.deepEqual(differences(app.tree(), done), [], where)
          app.git('reset', '--quiet', '--keep', 'HEAD~1')
        }
        assert.equal(app.git('rev-parse', 'HEAD'), head, where)
        assert.deepEqual(differences(app.tree(), before), [], where)
        assert.ok(app.isClean, `${where}: ${app.git('status', '--porcelain')}`)
        assert.ok(!app.isUnderWay, where)
      }
      console.log(`${kills.length} kills; ${undone} undone, ${finished} finished`)
    })
})

describe('what somebody does with git meanwhile is never taken for ours', () => {
  /** An app whose upgrade has stopped at a conflict. */
  function stopped(): TestApp {
    const app = new TestApp(thinned, 'frozen', ['account'])
    const [path = ''] = coreChanges
    app.edit(path, (text) =>
      text
        .split('\n')
        .with(firstChanges.get(path) ?? 0, '// mine')
        .join('\n'),
    )
    app.commit('Mine')
    app.upgrade()
    assert.deepEqual(app.conflicts, [path])
    return app
  }

  test('undone with git, and worked on: abort and continue leave that work alone', () => {
    for (const isCommitted of [true, false]) {
      using app = stopped()
      app.git('cherry-pick', '--abort')
      app.edit('README.md', (text) => `${text}later\n`)
      if (isCommitted) app.commit('Later')
      assert.throws(() => app.continue(), /did not come far enough/)
      app.abort()
      if (!isCommitted) app.git('stash', 'pop', '--quiet')
      assert.match(app.read('README.md'), /later/)
      app.commit('Later')
      assert.ok(!app.isUnderWay)
    }
  })

  test('undone with git, and clean: the next command just begins', () => {
    using app = stopped()
    app.git('cherry-pick', '--abort')
    app.upgrade()
    assert.equal(app.conflicts.length, 1)
    app.abort()
    assert.ok(app.isClean)
  })

  test('finished with git: continue only tidies up, whatever came on top', () => {
    using app = stopped()
    for (const path of app.conflicts) app.git('checkout', '--ours', '--', path)
    app.git('add', '--all')
    app.git('-c', 'core.editor=true', 'cherry-pick', '--continue')
    app.edit('README.md', (text) => `${text}later\n`)
    app.commit('Later')
    assert.throws(() => app.abort(), /newer commits on top/)
    app.continue()
    assert.equal(app.git('log', '-1', '--format=%s').trim(), 'Later')
    assert.equal(app.state.version, present.version)
    assert.ok(!app.isUnderWay)
  })

  test('under way in one app of a repository, another one is left alone', () => {
    using app = new TestApp(thinned, 'frozen', ['admin'], { inside: 'apps/one' })
    cpSync(app.folder, join(app.top, 'apps', 'two'), { recursive: true })
    const [path = ''] = coreChanges
    app.edit(path, (text) =>
      text
        .split('\n')
        .with(firstChanges.get(path) ?? 0, '// mine')
        .join('\n'),
    )
    app.git('add', '--all', app.top)
    app.commit('Two')
    app.upgrade()
    for (const command of ['abort', 'continue', 'upgrade']) {
      const { status, stderr } = plinth(
        join(app.top, 'apps', 'two'),
        [command, '--no-install', '--to', present.version],
        { program: small },
      )
      assert.equal(status, 1)
      assert.match(stderr, /under way in apps\/one\//)
    }
    assert.ok(existsSync(join(app.top, 'apps/two/src/app/(admin)/module.ts')))
    app.abort()
    assert.ok(app.isClean)
  })

  test('a file that git was told to overlook, or to ignore, is not overwritten', () => {
    using overlooked = new TestApp(thinned, 'frozen', [])
    const [path = ''] = coreChanges
    overlooked.git('update-index', '--assume-unchanged', path)
    overlooked.edit(path, (text) => `// mine\n${text}`)
    assert.throws(() => overlooked.upgrade(), /git refuses/)
    assert.match(overlooked.read(path), /^\/\/ mine/)
    assert.ok(!overlooked.isUnderWay)

    using ignored = new TestApp(thinned, 'frozen', [])
    ignored.git('rm', '--quiet', '--cached', path)
    ignored.edit('.gitignore', (text) => `${text}${path}\n`)
    ignored.git('commit', '--quiet', '-am', 'Mine alone')
    ignored.write(path, '// mine\n')
    assert.throws(() => ignored.upgrade(), /in the way/)
    assert.equal(ignored.read(path), '// mine\n')
  })

  test('what they deleted stays deleted; what the template deleted and they changed is theirs to decide', () => {
    const [path = '', other = ''] = coreChanges
    const files = Object.fromEntries(Object.entries(thinned.present.files).filter(([one]) => one !== other))
    using app = new TestApp({ ...thinned, present: { ...thinned.present, files } }, 'frozen', [])
    app.git('rm', '--quiet', path)
    app.commit('Not mine')
    const begun = app.git('rev-parse', 'HEAD').trim()
    app.upgrade()
    assert.deepEqual(app.conflicts, [])
    assert.ok(!app.has(path) && !app.has(other))
    app.git('reset', '--quiet', '--hard', begun)
    app.edit(other, (text) => `// mine\n${text}`)
    app.commit('Mine')
    app.upgrade()
    assert.deepEqual(app.conflicts, [other])
    assert.throws(() => app.continue(), /You changed what Plinth deleted/)
    app.git('add', other)
    app.continue()
    assert.match(app.read(other), /^\/\/ mine/)
  })

  test('a commit that cannot be signed is waited for', () => {
    using app = new TestApp(thinned, 'present', [])
    app.git('config', 'commit.gpgSign', 'true')
    app.git('config', 'gpg.program', 'false')
    assert.throws(() => app.add('admin'), /git could not commit|git refuses/)
    app.git('config', 'commit.gpgSign', 'false')
    if (app.isUnderWay) app.continue()
    else app.add('admin')
    assert.deepEqual(differences(app.tree(), pristine(thinned.present, ['admin'])), [])
  })

  test('a conflict that git remembers how to solve is still asked about', () => {
    using app = stopped()
    app.git('config', 'rerere.enabled', 'true')
    app.git('config', 'rerere.autoUpdate', 'true')
    app.abort()
    for (const round of [1, 2]) {
      app.upgrade()
      assert.equal(app.conflicts.length, 1, `round ${round}`)
      for (const path of app.conflicts) app.write(path, app.read(path).replaceAll(/^(<{7}|={7}|>{7}).*\n/gm, ''))
      app.continue()
      app.git('reset', '--quiet', '--hard', 'HEAD~1')
    }
  })
})

test('a version that is none is refused before npm hears of it', () => {
  using app = new TestApp(thinned, 'present', [])
  for (const version of ['latest', 'v1.0.0', '1.0', 'https://example.com/x.tgz', 'npm:other@1.0.0', '1.0.0;true']) {
    const { status, stderr } = plinth(app.folder, ['upgrade', '--to', version], { program: small })
    assert.equal(status, 1)
    assert.match(stderr, /exact version/)
    app.write('plinth.json', JSON.stringify({ name: 'shop', version, modules: [] }))
    app.commit('Somebody else’s')
    assert.match(plinth(app.folder, ['status'], { program: small }).stderr, /exact version/)
    app.git('reset', '--quiet', '--hard', 'HEAD~1')
  }
})

test('a slip of the pen makes no app inside an app', () => {
  using app = new TestApp(thinned, 'present', [])
  const { status, stderr } = plinth(app.folder, ['updrade'], { program: small })
  assert.equal(status, 1)
  assert.match(stderr, /no command/)
  assert.ok(app.isClean)
})

test('an app finds the newest version by itself, and has that one do the work', async () => {
  const registry = await startRegistry([frozenArchive, archive])
  try {
    using app = new TestApp(whole, 'frozen', ['account'])
    app.edit('README.md', (text) => `${text}mine\n`)
    app.commit('Mine')
    const program = join(app.folder, 'node_modules', 'create-plinth')
    const env = { npm_config_registry: registry.url, npm_config_cache: join(scratch, 'npm-cache') }
    // Not spawnSync: the registry is in this process.
    const run = (args: string[]) =>
      new Promise<{ code: number | null; output: string }>((resolve) => {
        const child = spawn(process.execPath, [join(program, 'dist', 'bin.mjs'), ...args], {
          cwd: app.folder,
          env: { ...process.env, ...env },
        })
        let output = ''
        for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
        child.on('exit', (code) => resolve({ code, output }))
      })
    const dry = await run(['upgrade', '--dry-run'])
    assert.match(dry.output, /Would change \d+ files/)
    assert.equal(app.state.version, '0.1.0')
    const { code, output } = await run(['upgrade', '--no-install'])
    assert.equal(code, 0, output)
    assert.match(output, /upgrade --to .*: done/)
    assert.equal(app.state.version, present.version)
    assert.match(app.read('README.md'), /mine/)

    // Without its package beside it, the old version comes from the registry.
    app.git('reset', '--quiet', '--keep', 'HEAD~1')
    rmSync(program, { recursive: true })
    const again = await new Promise<number | null>((resolve) => {
      spawn(process.execPath, [join(packed, 'dist', 'bin.mjs'), 'upgrade', '--no-install', '--to', present.version], {
        cwd: app.folder,
        env: { ...process.env, ...env },
        stdio: 'ignore',
      }).on('exit', resolve)
    })
    assert.equal(again, 0)
    assert.equal(app.state.version, present.version)
  } finally {
    await registry.stop()
  }
})

test('a dry run names what would change, and changes nothing', () => {
  using app = new TestApp(thinned, 'frozen', ['account'])
  app.edit('package.json', (text) => text.replace(/"create-plinth": "[^"]+"/, '"create-plinth": "0.0.1"'))
  app.commit('Mine')
  const before = app.tree()
  const { status, stdout } = plinth(app.folder, ['upgrade', '--to', present.version, '--dry-run', '--json'], {
    program: small,
  })
  assert.equal(status, 0)
  const answer = JSON.parse(stdout)
  assert.ok(answer.changed.includes('plinth.json'))
  assert.deepEqual(answer.conflicts, ['package.json'])
  assert.deepEqual(differences(app.tree(), before), [])
  assert.ok(app.isClean)
  assert.ok(!app.isUnderWay)
})

test('the list and the status say where an app stands', () => {
  using app = new TestApp(thinned, 'present', ['account'])
  app.edit('README.md', (text) => `${text}mine\n`)
  app.git('rm', '--quiet', 'AGENTS.md')
  app.commit('Mine')
  const status = JSON.parse(plinth(app.folder, ['status', '--json'], { program: small }).stdout)
  assert.deepEqual(status, {
    name: 'shop',
    version: present.version,
    modules: ['account'],
    underWay: null,
    edited: ['README.md'],
    deleted: ['AGENTS.md'],
  })
  const { modules } = JSON.parse(plinth(app.folder, ['list', '--json'], { program: small }).stdout)
  assert.deepEqual(
    modules.map(({ name, isInstalled }: { name: string; isInstalled: boolean }) => [name, isInstalled]),
    moduleNames.map((name) => [name, name === 'account']),
  )
})
