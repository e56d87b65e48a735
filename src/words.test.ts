import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../scripts/root.ts'

/** Words that nothing in the template may use any more, with what to write instead. */
const words: [RegExp, string][] = [
  [/\bsomebody\b/gi, 'someone, a user'],
  [/\bwhoever\b/gi, 'anyone who, the user who'],
  [/\be-mails?\b/gi, 'email'],
  [/\bact(s|ed|ing)?\s+for\b/gi, 'impersonate'],
  [/\bwritten\s+down\b/gi, 'recorded'],
  [/inWords/gi, 'formatDuration, describeUserAgent'],
  [/\brefuses\b/gi, 'errors (of a handler), rejects'],
  [/looksAtCaller/g, 'dependsOnCaller'],
  [/leadsTo\b/g, 'redirect'],
  [/\bLetter\b|\b(a|the|this|last)\s+letter\s+(to|for|about)\b/g, 'email, EmailContent'],
  [/two[-_]steps?(?![a-z])|twoStep|second[- ]step/gi, 'two-factor, second factor'],
  [/\bacting(?![a-z])/gi, 'impersonating'],
  [/\bperson\b/gi, 'user'],
  [/\bfurthest\b/gi, 'the plain word for the place'],
  [/\bworkshop\b/gi, 'the template'],
  [/hostile/gi, 'security (suite)'],
  [/journey/gi, 'end-to-end test'],
  [/\bplanted\b/gi, 'mutation'],
  [/\b(un)?seal(s|ed|ing)?\b/gi, 'encrypt, decrypt; for the build: postbuild'],
  [/\btickets?\b|[a-z]Ticket/gi, 'email token, browser token'],
  [/\bgather(s|ed|ing)?\b/gi, 'exportUserData, collect'],
  [/\berase[ds]?\b/gi, 'deleteUserData, delete'],
  [/\bmend(s|ed|ing)?\b/gi, 'fix, normalize'],
  [/\b(come|comes|came|coming)\s+back\b/gi, 'sign in again, return'],
  [/\bways?\s+in\b(?!\s+which)/gi, 'sign-in method'],
  [
    /\w*(behaviou|colou|endeavou|favou|flavou|harbou|honou|humou|labou|neighbou|rumou)r\w*/gi,
    'the American spelling: -or',
  ],
  [
    /\b(licence|defence|offence|centre|catalogue|grey|artefact|towards|whilst|amongst|learnt)s?\b/gi,
    'American spelling',
  ],
  [/\w*(cancell|labell(?!edby)|modell|signall|travell)(ed|ing)\b/gi, 'the American spelling: one l'],
  [
    /\w*(author|custom|final|general|initial|maxim|minim|normal|optim|organ|recogn|sanit|serial|summar|synchron|util)is(e[ds]?|ing|ations?)\b/gi,
    'the American spelling: -ize',
  ],
  [/\banalys(e[ds]?|ing)\b/gi, 'analyze'],
  [/\blog(ged|ging|s)?[- ](in|out)\b/gi, 'sign in, sign out'],
  [/\bstep-up\b/gi, 'reauthentication'],
  [/\btak(e|es|en|ing)\s+leave\b/gi, 'sign out, leave'],
  [/(?<!for )\bconfirmation\b(?! links?\b)/gi, 'typedEmail, reauthentication'],
  [/\bconfirmed_?At\b|\bsession\.confirmed\b/gi, 'reauthenticatedAt, emailVerifiedAt'],
  [/\bunproved\b/gi, 'unverified'],
  [/\balarm/gi, 'reportCompromise'],
  [/(?<!\w |-)\bway:/g, 'method'],
  [/\bmails\b|\b(const|let)\s+mail\b|\bmail\)?\s+=>|['"`]mail(?=['"`.])/gi, 'email'],
  [/people(?! who can’t)/gi, 'users, recipients'],
]

/** Places that may use such a word. `line` is text of the line, or of the path when that has the word. */
const exceptions: { files: RegExp; line: RegExp; reason: string }[] = [
  { files: /^CHANGELOG\.md$/, line: /^\|/, reason: 'the table of old names' },
  { files: /^cli\/src\/codemods(\.test)?\.ts$/, line: /./, reason: 'old names, which upgrades replace' },
  { files: /^(src|docs)\//, line: /ticket\.(challenge|\$\{)/, reason: 'the name of a cookie: browsers have it' },
  { files: /^(deploy\/prometheus|docs)\//, line: /\bticket\b/, reason: 'an alert opens a ticket' },
  { files: /^src\/app\/\(account\)\//, line: /\/two-step\b/, reason: 'the former URL, which redirects' },
  { files: /./, line: /'two_step\.|`two_step\.|^ {2}two_step:/, reason: 'kinds of audit events: the log has them' },
  { files: /./, line: /'account\.\w*two_step/, reason: 'names of jobs: the queue may have some' },
  { files: /./, line: /ACCOUNT_TWO_STEP/, reason: 'a setting that apps have set' },
  { files: /./, line: /\/api\/auth\/acting\b|src\/app\/api\/auth\/acting/, reason: 'a URL that clients call' },
  { files: /./, line: /\bperson\.(\w|\$)|^ {2}person:/, reason: 'kinds of audit events: the log has them' },
  { files: /./, line: /['`]session\.confirmed['`]/, reason: 'a kind of audit events: the log has it' },
  { files: /./, line: /['`]confirmation\.failed['`]/, reason: 'a kind of audit events: the log has it' },
  { files: /./, line: /\bacting_admin\b/, reason: 'a detail of audit events: the log has it' },
  { files: /./, line: /\bdetails\b.*\bway: /, reason: 'a detail of audit events: the log has it' },
  { files: /^src\/core\//, line: /'unproved'|^ {2}unproved:/, reason: 'a reason in audit events: the log has it' },
  { files: /./, line: /['`]alarm\.raised['`]/, reason: 'a kind of audit events: the log has it' },
  { files: /./, line: /'alarm'/, reason: 'a purpose of links that were sent' },
  { files: /./, line: /['`]alarm_address['`]/, reason: 'the name of a limit: its counters have it' },
  { files: /./, line: /\bconfirmed_at\b/, reason: 'columns: the database has them' },
  { files: /^src\/app\/\(account\)\//, line: /\bconfirmedAt\b/, reason: 'when TOTP was confirmed with a code' },
  { files: /^src\/core\/auth\/user\/export\.ts$/, line: /\bconfirmedAt\b/, reason: 'a field of exports' },
  { files: /./, line: /['"`]mail\./, reason: 'names of jobs: the queue may have some' },
  { files: /^docs\/observe\.md$/, line: /`mail` has/, reason: 'a field of the log: queries have it' },
  { files: /./, line: /crypt\('mail'/, reason: 'the purpose of encrypted values: the queue may have some' },
  { files: /^src\/app\/dev\/inbox\//, line: /'mail'/, reason: 'a parameter of a URL' },
  { files: /invitations\/page\.tsx$/, line: /Invite people|People you invite/, reason: 'they have no account yet' },
  { files: /./, line: /ALLOW_SEEDED_PEOPLE/, reason: 'a setting that apps have set' },
  { files: /^cli\//, line: /\bworkshop\b/, reason: 'a field of released snapshots' },
  { files: /^LICENSE$/, line: /./, reason: 'not our words' },
  { files: /structured-data/, line: /'@type': 'Person'/, reason: 'a type of schema.org' },
]

const files = globSync(['*', '.{ci,github}/**/*', '.env.example', '{cli,deploy,docs,scripts,src,tests}/**/*'], {
  cwd: root,
  withFileTypes: true,
})
  .filter((entry) => entry.isFile())
  .map((entry) =>
    join(entry.parentPath, entry.name)
      .slice(root.length + 1)
      .replaceAll('\\', '/'),
  )
  .filter(
    (file) =>
      !/\/_migrations\/|^tests\/template\/cli\/frozen\/|^package-lock\.json$|\.tsbuildinfo$|^src\/words\.test\.ts$/.test(
        file,
      ),
  )

const usedExceptions = new Set<RegExp>()

/** Every use of a word from the list in this text, as `line: "word": what to write instead`. */
function findWords(file: string, text: string): string[] {
  return words.flatMap(([pattern, replacement]) =>
    [...text.matchAll(pattern)].flatMap(({ 0: word, index }) => {
      const before = text.slice(0, index).split('\n')
      const line = `${before.at(-1)}${text.slice(index).split('\n')[0]}`
      const exception = exceptions.find((one) => one.files.test(file) && one.line.test(line))
      if (exception) usedExceptions.add(exception.line)
      return exception ? [] : [`${before.length}: "${word}": write ${replacement}`]
    }),
  )
}

test('names, comments, docs and visible texts use the words of the vocabulary', () => {
  expect(files.length).toBeGreaterThan(300)
  const problems = files.flatMap((file) => {
    const content = readFileSync(join(root, file))
    const inText = content.includes(0) ? [] : findWords(file, content.toString())
    return [...findWords(file, file).map((problem) => problem.replace(/^\d+/, 'path')), ...inText].map(
      (problem) => `${file}:${problem}`,
    )
  })
  expect(problems).toEqual([])
  expect(
    exceptions.filter(({ line }) => !usedExceptions.has(line)),
    'exceptions that nothing needs any more',
  ).toEqual([])
})

test('the search finds a word in a name, a comment and a text, with its line', () => {
  expect(findWords('a.ts', 'const a = 1\n// Whoever reads this\nconst twoStepUrl = "E-mail"\n')).toEqual([
    '2: "Whoever": write anyone who, the user who',
    '3: "E-mail": write email',
    '3: "twoStep": write two-factor, second factor',
  ])
  expect(findWords('a.ts', 'Use letters and digits. The way in which it is recommended.')).toEqual([])
})
