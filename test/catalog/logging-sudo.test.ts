import { describe, expect, test } from 'vitest'
import { sudoLog } from '../../main/catalog/access/sudo/probes.ts'
import { sudoReconciliation } from '../../main/catalog/access/sudo/rights.ts'
import { type LoggedCommand, reconcileSudo } from '../../main/core/collector/sudoers.ts'
import { known } from '../../main/core/recording/probe.ts'
import { sudoSection } from '../../main/present/report/scope/evidence.ts'
import { documentText } from '../../main/present/report.ts'
import { answer, fact, reason } from '../support/answers.ts'
import { probes } from '../support/evaluated.ts'
import { FIXTURE_TIME, fixtureAnswers, fixtureRecording } from '../support/fixtures.ts'
import { KEEP_FIXTURES, keepAnswer } from '../support/keep-fixtures.ts'

/** As sudo 1.9 writes it: arguments with blanks in quotation marks, lines wrapped at 80 characters with four spaces. */
function sudoWrites(argv: readonly string[], when: string, user: string): string {
  const words = argv.slice(1).map((word) => (/\s/.test(word) ? `'${word}'` : word))
  const text = `${when} : ${user} : PWD=/home/${user} ; USER=root ; COMMAND=/usr/bin/${argv[0]} ${words.join(' ')}`
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= 80) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(last === undefined ? word : `    ${word}`)
  }
  return lines.map((line) => `${line}\n`).join('')
}

describe('the log of sudo', () => {
  // Written by sudo 1.9.13 on Debian 12, and for the first line in the form of 1.8 with a terminal.
  const text = `Nov 21 18:40:22 : bwtest : TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND=/sbin/auditctl -s
Nov 21 18:40:23 : bwtest : PWD=/ ; USER=root ; COMMAND=/usr/bin/stat -c '%a %U
    %G %F %n' /var/log /var/log/audit/audit.log
Nov 21 18:11:15 : bwaudit : a password is required ; PWD=/tmp ; USER=root ;
    COMMAND=/usr/bin/taskset -c 0 dd if=/dev/cpu/0/cpuid of=/dev/null bs=1M
    count=1
`

  test('wrapped lines, terminals, refusals', () => {
    const { entries } = fact(sudoLog.parse({ entries: answer(text) }))
    expect(entries?.map(({ user, refused, command }) => [user, refused, command])).toEqual([
      ['bwtest', null, '/sbin/auditctl -s'],
      ['bwtest', null, "/usr/bin/stat -c '%a %U %G %F %n' /var/log /var/log/audit/audit.log"],
      ['bwaudit', 'a password is required', '/usr/bin/taskset -c 0 dd if=/dev/cpu/0/cpuid of=/dev/null bs=1M count=1'],
    ])
  })

  test('no such file is a fact; other text is none', () => {
    const absent = answer('', {
      exitCode: 1,
      errorText: "tail: cannot open 'x' for reading: No such file or directory\n",
    })
    expect(fact(sudoLog.parse({ entries: absent })).entries).toBeNull()
    expect(reason(sudoLog.parse({ entries: answer('{"sudo":{}}\n') }))).toContain('an unexpected format')
    expect(fact(sudoLog.parse({ entries: answer('') })).entries).toEqual([])
  })
})

describe('beside our recording', () => {
  test('a real sudo logged each command of a real collection, one line for each', () => {
    const { rows, earlier, askedLater, ofOthers } = fact(sudoReconciliation(fixtureRecording('fx-log-live', probes)))
    expect(rows.length).toBeGreaterThan(10)
    expect(rows.filter(({ state }) => state !== 'both')).toEqual([])
    expect([earlier, askedLater, ofOthers]).toEqual([0, 0, 0])
  })

  // After a root command was added or changed: KEEP_FIXTURES=1 npx vitest run --project unit test/catalog/logging-sudo.test.ts
  test('the demo node’s log has each of its root commands', () => {
    const { recording, captures } = fixtureRecording('demo-gpu-01', probes)
    // Where none of its paths exists, a command is not given to sudo.
    const asked = captures.filter(
      ({ meta }) => meta.privilege === 'sudo' && meta.exitCode !== 127 && meta.status !== 'no-path',
    )
    const earlier = sudoWrites(['auditctl', '-s'], 'Nov 13 09:02:11', 'bwaudit')
    const log = earlier + asked.map(({ meta }) => sudoWrites(meta.argv, 'Nov 20 09:12:00', 'bwaudit')).join('')
    if (KEEP_FIXTURES) keepAnswer('demo-gpu-01', `${sudoLog.id}/entries`, log)
    else expect(fixtureAnswers('demo-gpu-01').get(`${sudoLog.id}/entries`)?.stdout).toEqual(Buffer.from(log))
    const withLog = captures.map((one) =>
      one.meta.probe === sudoLog.id ? { ...one, stdout: new TextEncoder().encode(log) } : one,
    )
    const outcome = fact(sudoReconciliation({ recording, captures: withLog }))
    expect(outcome.rows.filter(({ state }) => state !== 'both')).toEqual([])
    expect([outcome.rows.length, outcome.earlier]).toEqual([asked.length, 1])
  })

  const live = fixtureRecording('fx-log-live', probes)
  const window = { from: 1000, to: 1010, readAt: FIXTURE_TIME }
  const capture = (argv: readonly string[], rest: object = {}) => ({
    meta: {
      ...(live.captures[0]?.meta ?? ({} as never)),
      argv,
      privilege: 'sudo' as const,
      status: 'done' as const,
      exitCode: 0,
      startedAt: FIXTURE_TIME,
      ...rest,
    },
  })
  const logged = (command: string, rest: Partial<LoggedCommand> = {}): LoggedCommand => ({
    at: 1005,
    user: 'bwtest',
    refused: null,
    command,
    ...rest,
  })
  const states = (captures: readonly ReturnType<typeof capture>[], entries: readonly LoggedCommand[]) =>
    reconcileSudo({ recording: live.recording, captures }, entries, window)

  test('what is on one side only is reported', () => {
    const { rows } = states(
      [capture(['auditctl', '-s']), capture(['sshd', '-T'])],
      [logged('/sbin/sshd -T'), logged('/usr/bin/cat /etc/hostname')],
    )
    expect(rows.map(({ state, command }) => [state, command])).toEqual([
      ['only-logged', '/usr/bin/cat /etc/hostname'],
      ['only-asked', 'auditctl -s'],
      ['both', 'sshd -T'],
    ])
  })

  test('a pattern of ours that the redactor took out of the log is still recognized as ours', () => {
    const { rows } = states(
      [capture(['grep', '-e', '^GRUB2_PASSWORD=grub[.]pbkdf2', '/boot/grub2/user.cfg'])],
      [logged('/usr/bin/grep -e ^GRUB2_PASSWORD=[redacted:password] /boot/grub2/user.cfg')],
    )
    expect(rows.map(({ state }) => state)).toEqual(['both'])
  })

  test('one line answers for one question: the second of two needs its own', () => {
    const twice = [capture(['auditctl', '-s']), capture(['auditctl', '-s'])]
    expect(states(twice, [logged('/sbin/auditctl -s')]).rows.map(({ state }) => state)).toEqual(['only-asked', 'both'])
  })

  test('absent tools, lost answers, other logins and other times stay out; a refusal is kept', () => {
    const outcome = states(
      [
        capture(['chronyc'], { exitCode: 127 }),
        capture(['lost'], { status: 'lost', exitCode: null }),
        capture(['later'], { startedAt: '2027-01-01T00:00:00.000Z' }),
        capture(['sshd', '-T'], { exitCode: 1 }),
      ],
      [
        logged('/sbin/sshd -T', { refused: 'a password is required' }),
        logged('/bin/su', { user: 'mortiz' }),
        logged('/sbin/sshd -T', { at: 10 }),
      ],
    )
    expect(outcome.rows.map(({ state, refused }) => [state, refused])).toEqual([['both', 'a password is required']])
    expect([outcome.askedLater, outcome.earlier, outcome.ofOthers]).toEqual([1, 1, 1])
  })

  test('without sudo or its file there is nothing to lay beside', () => {
    expect(reason(sudoReconciliation(fixtureRecording('fx-log-script', probes)))).toContain('sudo')
    expect(reason(sudoReconciliation(fixtureRecording('demo-metal-04', probes)))).toContain('keeps no log file')
  })

  test('blocks for the report: counts, and a table of what has no counterpart', () => {
    const apart = states([capture(['auditctl', '-s'])], [logged('/usr/bin/cat \u001b[31m/x')])
    const blocks = sudoSection(new Map([['node', known(apart)]]), true)
    const shown = documentText({
      title: '',
      language: 'en',
      subject: '',
      producer: '',
      demo: false,
      runningHead: '',
      runningFoot: '',
      sections: [{ id: 'sudo', title: 'sudo', blocks }],
    }).join('\n')
    expect(shown).toContain('0 commands recorded and logged by sudo, one line each; 2 without a counterpart.')
    expect(shown).toContain('Logged by sudo, not in the recording')
    expect(shown).not.toContain('\u001b')
  })
})
