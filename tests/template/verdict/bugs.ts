import type { Bug } from '../support/insert-bug.ts'

export interface VerdictBug extends Bug {
  /** The step that fails: of two that run at the same time, the first to find it. */
  steps: string[]
  /** What its last 40 lines say. */
  says: RegExp
}

/** Bugs that the short run must find. */
export const bugs: VerdictBug[] = [
  {
    name: 'import',
    description: 'a module imports from another module',
    changes: {
      'src/app/(account)/revoke.ts': [
        ["import 'server-only'\n", "import 'server-only'\nimport '../(admin)/capitalize'\n"],
      ],
    },
    steps: ['lint'],
    says: /\(account\)\/revoke\.ts:\d+:\d+ lint\/style\/noRestrictedImports/,
  },
  {
    name: 'cycle',
    description: 'two files import each other',
    changes: {
      'src/core/auth/session/cookies.ts': [
        ["import 'server-only'\n", "import 'server-only'\nimport './browser-token'\n"],
      ],
    },
    steps: ['lint'],
    says: /(cookies|browser-token)\.ts:\d+:\d+ lint\/suspicious\/noImportCycles/,
  },
  {
    name: 'type',
    description: 'a value has the wrong type',
    changes: {
      'src/core/auth/password/hash.ts': [
        ['export const maxInputLength = 1024', "export const maxInputLength: number = '1024'"],
      ],
    },
    steps: ['types'],
    says: /src\/core\/auth\/password\/hash\.ts\(\d+,\d+\): error TS2322/,
  },
  {
    name: 'password',
    description: 'a wrong password is accepted',
    changes: {
      'src/core/auth/password/hash.ts': [
        [
          'isCorrect: isMatch && usableHash !== undefined',
          'isCorrect: (isMatch || normalized.length > 0) && usableHash !== undefined',
        ],
      ],
    },
    steps: ['unit'],
    // Many tests do, and the run stops at the first.
    says: /FAIL .*\.test\.ts > [\s\S]*❯ src\/.*\.test\.ts:\d+/,
  },
  {
    name: 'session',
    description: 'a session outlives its revocation',
    changes: {
      'src/core/auth/session/sessions.ts': [
        [
          '        eq(sessions.tokenHash, hash),\n        isNull(users.suspendedAt),\n',
          '        eq(sessions.tokenHash, hash),\n',
        ],
      ],
    },
    steps: ['unit'],
    says: /FAIL .*\.test\.ts > [\s\S]*❯ src\/.*\.test\.ts:\d+/,
  },
  {
    name: 'migration',
    description: 'a migration is missing: the schema has an index that the database has not',
    changes: {
      'src/core/db/schema.ts': [
        [
          "    uniqueIndex('users_email_key')",
          "    index('users_image_idx').on(table.image),\n    uniqueIndex('users_email_key')",
        ],
      ],
    },
    steps: ['unit'],
    says: /FAIL .*schema(-changes)?\.test\.ts/,
  },
  {
    name: 'page',
    description: 'a page throws',
    changes: {
      'src/app/(account)/account/profile/page.tsx': [
        [
          '  const image = session?.image\n',
          "  const image = session?.image\n  if (actor.id) throw new Error('inserted')\n",
        ],
      ],
    },
    steps: ['smoke', 'security'],
    says: /✘ .*\.e2e\.ts:\d+|FAIL H-\d+ .*\n.*GET \/account\/profile returned 500/,
  },
  {
    name: 'role',
    description: 'the matrix does not call as one of the roles',
    changes: {
      'tests/app/matrix/matrix.ts': [
        ["const callers = ['nobody', ...roles] as const", "const callers = ['nobody', 'viewer', 'admin'] as const"],
      ],
    },
    steps: ['matrix'],
    says: /FAIL.*users can have the role editor/,
  },
  {
    name: 'allow',
    description: 'an action allows more users than it should',
    changes: {
      'src/app/(admin)/actions.ts': [
        [
          "export const suspendUsers = defineAction({\n  allow: can('users.suspend'),",
          'export const suspendUsers = defineAction({\n  allow: signedIn,',
        ],
        [
          "import { isAllowed, roles } from '@/core/auth/policy'",
          "import { isAllowed, roles, signedIn } from '@/core/auth/policy'",
        ],
      ],
    },
    steps: ['security'],
    says: /FAIL H-401 .*who-may-call\.ts:\d+/,
  },
]
