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
  fullTemplate,
  moduleNames,
  present,
  pristine,
  reducedTemplate,
  TestApp,
  upgraded,
} from './test-app.ts'

const scratch = mkdtempSync(join(tmpdir(), 'plinth-awkward-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

/** Core files that an upgrade changes. */
const coreChanges = [...firstChanges.keys()].filter((path) => path.startsWith('src/core/'))

/** The packed CLI, and a copy with the reduced template. */
const { archive, folder: packed } = packCli(join(scratch, 'packed'))
const reducedCli = join(scratch, 'small')
cpSync(packed, reducedCli, { recursive: true })
writeFileSync(join(reducedCli, 'dist', 'snapshot.json'), JSON.stringify(reducedTemplate.present))

function runCli(
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
  test('creates an app with less than 1.5 seconds of CPU time, and does not prompt without a terminal', () => {
    const bin = join(packed, 'dist', 'bin.mjs')
    // The shell tells the CPU time of its children, which other load on the machine hardly changes.
    const command = ['-c', '"$@" && times', 'sh', process.execPath, bin, 'made', '--no-install', '--modules', 'account']
    const { status, stdout } = spawnSync('sh', command, { cwd: scratch, encoding: 'utf8' })
    assert.equal(status, 0)
    assert.match(stdout, /npm run dev/)
    const times = [...(stdout.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)]
    assert.equal(times.length, 2)
    const seconds = times.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0)
    console.log(`created with ${seconds.toFixed(2)} s of CPU time`)
    assert.ok(seconds < 1.5, `${seconds} s`)
    assert.equal(execFileSync('git', ['status', '--porcelain'], { cwd: join(scratch, 'made'), encoding: 'utf8' }), '')
  })

  test('rejects a non-empty folder, an invalid package name, and an unknown module', () => {
    mkdirSync(join(scratch, 'full'))
    writeFileSync(join(scratch, 'full', 'mine.txt'), 'mine')
    for (const [args, message] of [
      [['full'], /isn’t empty/],
      [['9lives'], /isn’t a valid package name/],
      [['other', '--modules', 'nothing'], /Unknown module "nothing"\. Available modules: /],
      [['one', 'two'], /Expected one folder/],
      [['other', '--what'], /--help/],
      [['other', '--pm', 'cargo'], /package manager/],
    ] as const) {
      const { status, stderr } = runCli(scratch, [...args, '--no-install'])
      assert.equal(status, 1, args.join(' '))
      assert.match(stderr, message)
    }
    assert.equal(readFileSync(join(scratch, 'full', 'mine.txt'), 'utf8'), 'mine')
    assert.ok(!existsSync(join(scratch, 'other')))
  })

  test('reports with --dry-run what it would do, and with --json what it did', () => {
    const dry = runCli(scratch, ['dry', '--dry-run', '--json', '--modules', 'none'])
    assert.deepEqual(JSON.parse(dry.stdout).modules, [])
    assert.ok(!existsSync(join(scratch, 'dry')))
    const made = runCli(scratch, ['plain', '--no-install', '--no-git', '--json', '--pm', 'pnpm'])
    assert.deepEqual(JSON.parse(made.stdout).next, ['cd plain', 'pnpm install', 'pnpm run dev'])
    assert.ok(!existsSync(join(scratch, 'plain', '.git')))
    assert.ok(!existsSync(join(scratch, 'plain', 'package-lock.json')))
  })

  test('says so where git does not know the user, and commits', () => {
    const env = {
      HOME: join(scratch, 'nobody'),
      XDG_CONFIG_HOME: '',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
    }
    // Without this setting git makes up an identity from the name of the machine.
    const strict = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.useConfigOnly', GIT_CONFIG_VALUE_0: 'true' }
    const { status, stdout } = runCli(scratch, ['anonymous', '--no-install'], { env: { ...env, ...strict } })
    assert.equal(status, 0)
    assert.match(stdout, /git doesn’t know who you are/)
    const log = execFileSync('git', ['log', '--format=%an'], { cwd: join(scratch, 'anonymous'), encoding: 'utf8' })
    assert.equal(log.trim(), 'plinth')
  })

  test('says in words that the registry cannot be reached', () => {
    const env = {
      npm_config_registry: 'http://127.0.0.1:1',
      npm_config_fetch_retries: '0',
      npm_config_cache: join(scratch, 'cache'),
    }
    const { status, stdout, stderr } = runCli(scratch, ['offline', '--modules', 'none'], { env })
    assert.equal(status, 1)
    assert.match(stderr, /^Can’t reach the npm registry/)
    assert.match(stdout, /Run "npm install" in offline to retry/)
  })

  test('works without git, and says what that means', () => {
    const { status, stdout } = runCli(scratch, ['bare', '--no-install'], { env: { PATH: join(scratch, 'nothing') } })
    assert.equal(status, 0)
    assert.match(stdout, /git isn’t installed/)
    assert.ok(existsSync(join(scratch, 'bare', 'plinth.json')))
  })
})

describe('fails and changes nothing', () => {
  const expectFailure = (app: TestApp, message: RegExp, work: () => void = () => app.add('admin')) => {
    const look = () => [app.git('rev-parse', 'HEAD'), app.git('status', '--porcelain'), app.git('diff', 'HEAD')]
    const before = look()
    assert.throws(work, message)
    assert.deepEqual(look(), before)
    assert.ok(!app.isInProgress)
  }

  test('with uncommitted changes', () => {
    using app = new TestApp(reducedTemplate, 'present', ['account'])
    app.edit('README.md', (text) => `${text}mine\n`)
    expectFailure(app, /uncommitted changes:\n {2}README\.md/)
    assert.match(app.read('README.md'), /mine/)
  })

  test('if an untracked file is would be overwritten', () => {
    using app = new TestApp(reducedTemplate, 'present', [])
    app.write('src/app/(admin)/module.ts', 'mine')
    expectFailure(app, /would be overwritten/)
    assert.equal(app.read('src/app/(admin)/module.ts'), 'mine')
  })

  test('if the user has a folder of that name', () => {
    using app = new TestApp(reducedTemplate, 'present', [])
    app.write('src/app/(admin)/mine.ts', 'mine')
    app.commit('Mine')
    expectFailure(app, /your own folder/)
  })

  test('without git, before the first commit, during a merge, or without plinth.json', () => {
    using app = new TestApp(reducedTemplate, 'present', [])
    const begun = app.git('rev-parse', 'HEAD').trim()
    app.git('checkout', '--quiet', '-b', 'other')
    app.edit('README.md', (text) => `one\n${text}`)
    app.commit('One')
    app.git('checkout', '--quiet', 'main')
    app.edit('README.md', (text) => `two\n${text}`)
    app.commit('Two')
    spawnSync('git', ['merge', 'other'], { cwd: app.folder })
    expectFailure(app, /A merge is in progress/)
    app.git('merge', '--abort')
    app.git('update-ref', '-d', 'HEAD')
    assert.throws(() => app.add('admin'), /no commits yet/)
    app.git('update-ref', 'HEAD', begun)
    rmSync(join(app.folder, '.git'), { recursive: true })
    assert.throws(() => app.add('admin'), /git init/)
    rmSync(join(app.folder, 'plinth.json'))
    assert.throws(() => app.add('admin'), /no plinth\.json/)
  })

  test('if the module is already installed, not installed, or unknown', () => {
    using app = new TestApp(reducedTemplate, 'present', ['account'])
    expectFailure(app, /Already installed/, () => app.add('account'))
    expectFailure(app, /Not installed/, () => app.remove(['admin']))
    expectFailure(app, /Unknown module "x"/, () => app.add('x'))
  })

  test('if another module requires it', () => {
    const modules = reducedTemplate.present.modules.map((one) =>
      one.name === 'admin' ? { ...one, requires: ['account'] } : one,
    )
    using app = new TestApp({ ...reducedTemplate, present: { ...reducedTemplate.present, modules } }, 'present', [])
    app.add('admin')
    assert.deepEqual(app.state.modules, ['account', 'admin'])
    expectFailure(app, /Required by admin\. .*remove account admin/, () => app.remove(['account']))
    app.remove(['account', 'admin'])
    assert.deepEqual(app.state.modules, [])
  })

  test('if package.json is invalid', () => {
    using app = new TestApp(reducedTemplate, 'present', [])
    app.edit('package.json', (text) => text.replace('{', '{,'))
    app.commit('Oh')
    expectFailure(app, /isn’t valid JSON/)
  })

  test('if the user’s code imports the module, with file and line', () => {
    using app = new TestApp(reducedTemplate, 'present', ['account', 'admin'])
    app.write('src/app/shop/page.tsx', `import { a } from 'b'\nimport { can } from '@/app/(admin)/policy'\n`)
    app.write('src/app/shop/later.ts', `\n\nconst x = await import('../(admin)/list')\n`)
    app.commit('Import it')
    expectFailure(app, /src\/app\/shop\/later\.ts:3\n {2}src\/app\/shop\/page\.tsx:2/, () => app.remove(['admin']))
    app.remove(['account'])
  })

  test('if the user has changed files of the module, unless forced', () => {
    using app = new TestApp(reducedTemplate, 'present', ['admin'])
    app.edit('src/app/(admin)/module.ts', (text) => `${text}// mine\n`)
    app.write('src/app/(admin)/extra.ts', '// mine\n')
    app.commit('Mine')
    expectFailure(app, /extra\.ts\n {2}src\/app\/\(admin\)\/module\.ts/, () => app.remove(['admin']))
    app.remove(['admin'], { isForced: true })
    assert.ok(!app.has('src/app/(admin)'))
    assert.deepEqual(differences(app.tree(), pristine(reducedTemplate.present, [])), [])
    app.git('reset', '--quiet', '--keep', 'HEAD~1')
    assert.match(app.read('src/app/(admin)/extra.ts'), /mine/)
  })
})

describe('works', () => {
  test('in a shallow clone', () => {
    using app = new TestApp(reducedTemplate, 'present', ['account'])
    app.edit('README.md', (text) => `${text}mine\n`)
    app.commit('Mine')
    const folder = join(scratch, 'shallow')
    execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${app.folder}`, folder])
    assert.equal(runCli(folder, ['add', 'admin', '--no-install'], { program: reducedCli }).status, 0)
    assert.match(readFileSync(join(folder, 'README.md'), 'utf8'), /mine/)
    assert.ok(existsSync(join(folder, 'src/app/(admin)/module.ts')))
  })

  test('in a subfolder of a repository, and leaves other files alone', () => {
    using app = new TestApp(reducedTemplate, 'frozen', ['account'], { inside: 'apps/shop' })
    writeFileSync(join(app.top, 'README.md'), 'of all\n')
    mkdirSync(join(app.top, 'src/app/(admin)'), { recursive: true })
    writeFileSync(join(app.top, 'src/app/(admin)/module.ts'), 'another\n')
    execFileSync('git', ['add', '--all'], { cwd: app.top })
    app.commit('Others')
    app.upgrade()
    app.add('admin')
    app.remove(['account'])
    assert.deepEqual(differences(app.tree(), upgraded(['admin'], reducedTemplate.present)), [])
    assert.equal(readFileSync(join(app.top, 'README.md'), 'utf8'), 'of all\n')
    assert.equal(readFileSync(join(app.top, 'src/app/(admin)/module.ts'), 'utf8'), 'another\n')
    assert.ok(app.isClean)
  })

  test('with CRLF line endings', () => {
    using app = new TestApp(reducedTemplate, 'frozen', ['account'])
    app.write('.gitattributes', '* -text\n')
    for (const [path, bytes] of app.tree())
      if (!bytes.includes(0) && path !== '.gitattributes') app.write(path, bytes.toString().replaceAll('\n', '\r\n'))
    app.edit('src/app/globals.css', (text) => text.replace(/--radius-md[^;]*;/, '--radius-md: 0.9rem;'))
    app.commit('As on Windows')
    app.upgrade()
    assert.deepEqual(app.conflicts, [])
    app.add('admin')
    app.remove(['admin'])
    assert.deepEqual(app.conflicts, [])
    assert.match(app.read('src/app/globals.css'), /--radius-md: 0\.9rem;\r\n/)
    assert.ok(!/[^\r]\n/.test(app.read('package.json')))
  })

  test('with reformatted code, without conflicts', () => {
    using app = new TestApp(reducedTemplate, 'frozen', ['account'])
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

  test('with failing git hooks', () => {
    using app = new TestApp(reducedTemplate, 'present', [])
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
    assert.deepEqual(differences(app.tree(), pristine(reducedTemplate.present, ['admin'])), [])
  })

  test('without user.name and user.email in git', () => {
    using app = new TestApp(reducedTemplate, 'present', [])
    app.git('config', '--unset', 'user.name')
    app.git('config', '--unset', 'user.email')
    const env = { HOME: scratch, XDG_CONFIG_HOME: scratch, GIT_CONFIG_NOSYSTEM: '1', EMAIL: '' }
    app.git('config', 'user.useConfigOnly', 'true')
    assert.equal(runCli(app.folder, ['add', 'admin', '--no-install'], { env, program: reducedCli }).status, 0)
    assert.ok(app.has('src/app/(admin)/module.ts'))
  })

  test('with another package manager', () => {
    using app = new TestApp(fullTemplate, 'present', ['account'])
    app.git('rm', '--quiet', 'package-lock.json')
    app.write('pnpm-lock.yaml', "lockfileVersion: '9.0'\n")
    app.commit('pnpm')
    const { status, stdout } = runCli(app.folder, ['remove', 'account', '--no-install'])
    assert.equal(status, 0)
    assert.match(stdout, /Run "pnpm install"/)
    assert.match(stdout, /pnpm resolves indirect dependencies anew/)
    assert.ok(!app.has('package-lock.json'))
  })
})

describe('killed with SIGKILL', () => {
  /** Env with a git wrapper that kills its caller before, after or during the given git call. */
  function killingGit(how: 'before' | 'after' | 'during', call: number, delay = 0): Record<string, string> {
    const folder = mkdtempSync(join(scratch, 'git-'))
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    const count = join(folder, 'count')
    writeFileSync(count, '0')
    const killCommand = {
      before: 'kill -9 $PPID; exit 1',
      after: `"${real}" "$@"; kill -9 $PPID; exit 1`,
      during: `"${real}" "$@" & sleep ${delay}; kill -9 $! $PPID 2>/dev/null; exit 1`,
    }[how]
    writeFileSync(
      join(folder, 'git'),
      `#!/bin/sh\nn=$(($(cat "${count}") + 1)); echo $n > "${count}"\n[ $n = ${call} ] && { ${killCommand}; }\nexec "${real}" "$@"\n`,
    )
    chmodSync(join(folder, 'git'), 0o755)
    return { PATH: `${folder}:${process.env.PATH}`, COUNT: count }
  }

  for (const [what, version, args] of [
    ['adding', 'present', ['add', 'admin']],
    ['removing', 'present', ['remove', 'account']],
    ['upgrading', 'frozen', ['upgrade', '--to', present.version]],
  ] as const)
    test(`at every git call of ${what}, "abort" restores the app, or "continue" completes the command`, () => {
      using app = new TestApp(reducedTemplate, version, ['account'])
      app.edit('README.md', (text) => `${text}mine\n`)
      app.commit('Mine')
      const before = app.tree()
      const head = app.git('rev-parse', 'HEAD')
      const env = killingGit('before', 0)
      assert.equal(runCli(app.folder, [...args, '--no-install'], { env, program: reducedCli }).status, 0)
      const done = app.tree()
      app.git('reset', '--quiet', '--hard', 'HEAD~1')
      const calls = Number(readFileSync(env.COUNT ?? '', 'utf8'))
      assert.ok(calls > 10, `${calls} calls`)
      let undone = 0
      let finished = 0
      const killPoints = ['before', 'after', 'during'] as const
      const kills = Array.from({ length: calls }, (_, index) =>
        killPoints.map((how) => [how, index + 1, how === 'during' ? (index % 5) * 0.004 : 0] as const),
      ).flat()
      for (const [how, call, delay] of kills) {
        const { signal } = runCli(app.folder, [...args, '--no-install'], {
          env: killingGit(how, call, delay),
          program: reducedCli,
        })
        assert.equal(signal, 'SIGKILL', `${how} ${call}`)
        const where = `killed ${how} call ${call}`
        if (app.isInProgress) {
          // Half of the time try `continue` first.
          const isContinued =
            call % 2 === 0 && runCli(app.folder, ['continue', '--no-install'], { program: reducedCli }).status === 0
          if (isContinued) {
            finished++
            assert.deepEqual(differences(app.tree(), done), [], where)
            app.git('reset', '--quiet', '--keep', 'HEAD~1')
          } else {
            undone++
            assert.equal(runCli(app.folder, ['abort'], { program: reducedCli }).status, 0, where)
          }
        } else if (app.git('rev-parse', 'HEAD') !== head) {
          finished++
          assert.deepEqual(differences(app.tree(), done), [], where)
          app.git('reset', '--quiet', '--keep', 'HEAD~1')
        }
        assert.equal(app.git('rev-parse', 'HEAD'), head, where)
        assert.deepEqual(differences(app.tree(), before), [], where)
        assert.ok(app.isClean, `${where}: ${app.git('status', '--porcelain')}`)
        assert.ok(!app.isInProgress, where)
      }
      console.log(`${kills.length} kills; ${undone} undone, ${finished} finished`)
    })
})

describe('the user’s own git operations in between are preserved', () => {
  /** An app whose upgrade stopped at a conflict. */
  function appWithConflict(): TestApp {
    const app = new TestApp(reducedTemplate, 'frozen', ['account'])
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

  test('cherry-pick aborted with git, then new changes: abort and continue preserve them', () => {
    for (const isCommitted of [true, false]) {
      using app = appWithConflict()
      app.git('cherry-pick', '--abort')
      app.edit('README.md', (text) => `${text}later\n`)
      if (isCommitted) app.commit('Later')
      assert.throws(() => app.continue(), /can’t be continued/)
      app.abort()
      if (!isCommitted) app.git('stash', 'pop', '--quiet')
      assert.match(app.read('README.md'), /later/)
      app.commit('Later')
      assert.ok(!app.isInProgress)
    }
  })

  test('cherry-pick aborted with git, clean tree: the next command starts', () => {
    using app = appWithConflict()
    app.git('cherry-pick', '--abort')
    app.upgrade()
    assert.equal(app.conflicts.length, 1)
    app.abort()
    assert.ok(app.isClean)
  })

  test('cherry-pick completed with git: continue only cleans up, even with newer commits', () => {
    using app = appWithConflict()
    for (const path of app.conflicts) app.git('checkout', '--ours', '--', path)
    app.git('add', '--all')
    app.git('-c', 'core.editor=true', 'cherry-pick', '--continue')
    app.edit('README.md', (text) => `${text}later\n`)
    app.commit('Later')
    assert.throws(() => app.abort(), /newer commits on top/)
    app.continue()
    assert.equal(app.git('log', '-1', '--format=%s').trim(), 'Later')
    assert.equal(app.state.version, present.version)
    assert.ok(!app.isInProgress)
  })

  test('in progress in one app of a repository: commands in another app fail and change nothing', () => {
    using app = new TestApp(reducedTemplate, 'frozen', ['admin'], { inside: 'apps/one' })
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
      const { status, stderr } = runCli(
        join(app.top, 'apps', 'two'),
        [command, '--no-install', '--to', present.version],
        { program: reducedCli },
      )
      assert.equal(status, 1)
      assert.match(stderr, /in progress in apps\/one\//)
    }
    assert.ok(existsSync(join(app.top, 'apps/two/src/app/(admin)/module.ts')))
    app.abort()
    assert.ok(app.isClean)
  })

  test('a file that is assume-unchanged or ignored is not overwritten', () => {
    using overlooked = new TestApp(reducedTemplate, 'frozen', [])
    const [path = ''] = coreChanges
    overlooked.git('update-index', '--assume-unchanged', path)
    overlooked.edit(path, (text) => `// mine\n${text}`)
    assert.throws(() => overlooked.upgrade(), /git failed/)
    assert.match(overlooked.read(path), /^\/\/ mine/)
    assert.ok(!overlooked.isInProgress)

    using ignored = new TestApp(reducedTemplate, 'frozen', [])
    ignored.git('rm', '--quiet', '--cached', path)
    ignored.edit('.gitignore', (text) => `${text}${path}\n`)
    ignored.git('commit', '--quiet', '-am', 'Mine alone')
    ignored.write(path, '// mine\n')
    assert.throws(() => ignored.upgrade(), /would be overwritten/)
    assert.equal(ignored.read(path), '// mine\n')
  })

  test('a file deleted by the user stays deleted; a changed file that the template deleted is a conflict', () => {
    const [path = '', other = ''] = coreChanges
    const files = Object.fromEntries(Object.entries(reducedTemplate.present.files).filter(([one]) => one !== other))
    using app = new TestApp({ ...reducedTemplate, present: { ...reducedTemplate.present, files } }, 'frozen', [])
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
    assert.throws(() => app.continue(), /You changed files that Plinth deleted/)
    app.git('add', other)
    app.continue()
    assert.match(app.read(other), /^\/\/ mine/)
  })

  test('a commit that cannot be signed can be completed later', () => {
    using app = new TestApp(reducedTemplate, 'present', [])
    app.git('config', 'commit.gpgSign', 'true')
    app.git('config', 'gpg.program', 'false')
    assert.throws(() => app.add('admin'), /git couldn’t commit|git failed/)
    app.git('config', 'commit.gpgSign', 'false')
    if (app.isInProgress) app.continue()
    else app.add('admin')
    assert.deepEqual(differences(app.tree(), pristine(reducedTemplate.present, ['admin'])), [])
  })

  test('a conflict that git rerere could resolve is still reported', () => {
    using app = appWithConflict()
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

test('an invalid version is rejected before npm is called', () => {
  using app = new TestApp(reducedTemplate, 'present', [])
  for (const version of ['latest', 'v1.0.0', '1.0', 'https://example.com/x.tgz', 'npm:other@1.0.0', '1.0.0;true']) {
    const { status, stderr } = runCli(app.folder, ['upgrade', '--to', version], { program: reducedCli })
    assert.equal(status, 1)
    assert.match(stderr, /exact version/)
    app.write('plinth.json', JSON.stringify({ name: 'shop', version, modules: [] }))
    app.commit('A commit of a colleague')
    assert.match(runCli(app.folder, ['status'], { program: reducedCli }).stderr, /exact version/)
    app.git('reset', '--quiet', '--hard', 'HEAD~1')
  }
})

test('a mistyped command does not create an app inside an app', () => {
  using app = new TestApp(reducedTemplate, 'present', [])
  const { status, stderr } = runCli(app.folder, ['updrade'], { program: reducedCli })
  assert.equal(status, 1)
  assert.match(stderr, /Unknown command/)
  assert.ok(app.isClean)
})

test('upgrade finds the newest version and runs its CLI', async () => {
  const registry = await startRegistry([frozenArchive, archive])
  try {
    using app = new TestApp(fullTemplate, 'frozen', ['account'])
    app.edit('README.md', (text) => `${text}mine\n`)
    app.commit('Mine')
    const program = join(app.folder, 'node_modules', 'create-plinth')
    const env = { npm_config_registry: registry.url, npm_config_cache: join(scratch, 'npm-cache') }
    // Not spawnSync, because the registry runs in this process.
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

    // If the old version is not installed, it is downloaded from the registry.
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

test('a dry run lists the changes, and changes nothing', () => {
  using app = new TestApp(reducedTemplate, 'frozen', ['account'])
  app.edit('package.json', (text) => text.replace(/"create-plinth": "[^"]+"/, '"create-plinth": "0.0.1"'))
  app.commit('Mine')
  const before = app.tree()
  const { status, stdout } = runCli(app.folder, ['upgrade', '--to', present.version, '--dry-run', '--json'], {
    program: reducedCli,
  })
  assert.equal(status, 0)
  const result = JSON.parse(stdout)
  assert.ok(result.changed.includes('plinth.json'))
  assert.deepEqual(result.conflicts, ['package.json'])
  assert.deepEqual(differences(app.tree(), before), [])
  assert.ok(app.isClean)
  assert.ok(!app.isInProgress)
})

test('list and status report the modules, the version and the edited files', () => {
  using app = new TestApp(reducedTemplate, 'present', ['account'])
  app.edit('README.md', (text) => `${text}mine\n`)
  app.git('rm', '--quiet', 'AGENTS.md')
  app.commit('Mine')
  const status = JSON.parse(runCli(app.folder, ['status', '--json'], { program: reducedCli }).stdout)
  assert.deepEqual(status, {
    name: 'shop',
    version: present.version,
    modules: ['account'],
    inProgress: null,
    edited: ['README.md'],
    deleted: ['AGENTS.md'],
  })
  const { modules } = JSON.parse(runCli(app.folder, ['list', '--json'], { program: reducedCli }).stdout)
  assert.deepEqual(
    modules.map(({ name, isInstalled }: { name: string; isInstalled: boolean }) => [name, isInstalled]),
    moduleNames.map((name) => [name, name === 'account']),
  )
})
