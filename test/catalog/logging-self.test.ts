import { describe, expect, test } from 'vitest'
import {
  auditCollectorSelfRecord,
  loginJournal,
  loginRecords,
  loginSession,
} from '../../main/catalog/operations/login-records/index.ts'
import {
  type JournalFile,
  missingEntries,
  readCtime,
  readStamp,
  readYearless,
  secondsOf,
} from '../../main/catalog/operations/logs/journal.ts'
import { journalState } from '../../main/catalog/operations/logs/probes.ts'
import { timeNow } from '../../main/catalog/operations/time/probes.ts'
import { deniedCommand } from '../../main/core/recording/command-allowlist.ts'
import { known, type Parsed } from '../../main/core/recording/probe.ts'
import { answer, fact, reason } from '../support/answers.ts'
import { texts, verdict } from '../support/concluded.ts'
import { concludeOn, fixtureOf } from '../support/evaluated.ts'

describe('the clock and stamps', () => {
  test.each([
    ['1795165920 +0000 UTC\n', 0, 'UTC'],
    ['1795165920 -0600 CST\n', -360, 'CST'],
    ['1795165920 +0545 +0545\n', 345, '+0545'],
    ['1795165920 -0030 -0030\n', -30, '-0030'],
  ])('%j', (text, minutes, name) => {
    expect(fact(timeNow.parse({ now: answer(text) }))).toEqual({ seconds: 1795165920, zone: { minutes, name } })
  })

  test('another form of date is no clock', () => {
    expect(timeNow.parse({ now: answer('%s +0000 UTC\n') }).ok).toBe(false)
    expect(timeNow.parse({ now: answer('1795165920 +0000 UTC\n', { exitCode: 1 }) }).ok).toBe(false)
  })

  test('a stamp counts in UTC, in the zone that the clock shows, and in no other', () => {
    const central = { minutes: -360, name: 'CST' }
    expect(secondsOf(readStamp('Fri 2026-11-20 09:12:00 UTC'), null)).toBe(1795165920)
    expect(secondsOf(readStamp('Fri 2026-11-20 03:12:00 CST'), central)).toBe(1795165920)
    expect(secondsOf(readStamp('Fri 2026-11-20 03:12:00 CST'), null)).toBeNull()
    expect(secondsOf(readStamp('Fri 2026-11-20 04:12:00 EST'), central)).toBeNull()
    expect(secondsOf(readCtime('Fri Nov 20 03:12:00 2026'), central)).toBe(1795165920)
    expect(readCtime('Fri Foo 20 03:12:00 2026')).toBeNull()
    expect(readStamp('n/a')).toBeNull()
  })

  test('a stamp without a year is the last such moment, across the turn of the year too', () => {
    const january = Date.UTC(2027, 0, 1, 0, 0, 5) / 1000
    expect(readYearless('Dec 31 23:59:58', january)?.wallSeconds).toBe(january - 7)
    expect(readYearless('Jan  1 00:00:04', january)?.wallSeconds).toBe(january - 1)
  })
})

describe('our own login', () => {
  const lines = `1795286834.651172 vm sshd[17333]: Accepted publickey for bwtest from 127.0.0.1 port 58940 ssh2: ED25519 SHA256:y8EwsZW5l0qwOjmuWC71fnpgIsfKmxJ8lhXGUqkf4qA
1795286835.000001 vm sshd-session[17334]: Accepted keyboard-interactive/pam for DOM\\user from 2001:db8::7 port 22022 ssh2
1795286836.000001 vm sshd[17335]: Accepted publickey for ca from 192.0.2.7 port 1024 ssh2: ED25519-CERT SHA256:y8EwsZW5l0qwOjmuWC71fnpgIsfKmxJ8lhXGUqkf4qA ID jdoe (serial 7) CA ED25519 SHA256:AAAAsZW5l0qwOjmuWC71fnpgIsfKmxJ8lhXGUqkf4qA
`

  test('lines of OpenSSH, with keys, certificates and other methods', () => {
    const { logins } = fact(loginJournal.parse({ accepted: answer(lines) }))
    expect(logins.map(({ at, user, address, port }) => [at, user, address, port])).toEqual([
      [1795286834, 'bwtest', '127.0.0.1', 58940],
      [1795286835, 'DOM\\user', '2001:db8::7', 22022],
      [1795286836, 'ca', '192.0.2.7', 1024],
    ])
    expect(logins.map(({ key }) => key)).toEqual([
      'SHA256:y8EwsZW5l0qwOjmuWC71fnpgIsfKmxJ8lhXGUqkf4qA',
      null,
      'SHA256:y8EwsZW5l0qwOjmuWC71fnpgIsfKmxJ8lhXGUqkf4qA',
    ])
  })

  test('no match is an empty answer with status 1; a complaint is none', () => {
    expect(fact(loginJournal.parse({ accepted: answer('', { exitCode: 1 }) })).logins).toEqual([])
    expect(
      loginJournal.parse({
        accepted: answer('', { exitCode: 1, errorText: 'Compiled without pattern matching support\n' }),
      }).ok,
    ).toBe(false)
    expect(loginJournal.parse({ accepted: answer('-- No entries --\n') }).ok).toBe(false)
  })

  test('SSH_CONNECTION of IPv4, IPv6 and a link-local address; without it there was no SSH', () => {
    const client = (origin: ReturnType<typeof answer>) =>
      fact(
        loginSession.parse({
          origin,
          user: answer('1001\n'),
          login: answer('/proc/self/loginuid:4294967295\n/proc/self/sessionid:4294967295\n'),
        }),
      )
    expect(client(answer('198.51.100.7 50412 192.0.2.11 22\n')).client).toEqual({
      address: '198.51.100.7',
      port: 50412,
    })
    expect(client(answer('fe80::1%eth0 50412 fe80::2%eth0 22\n')).client?.address).toBe('fe80::1')
    expect(client(answer('', { exitCode: 1 }))).toEqual({ client: null, serverPort: null, uid: 1001, loginUid: null })
  })

  test('it was found by a real sshd and journald; another port is another login', () => {
    expect(verdict('fx-log-live', 'audit.collector-self-record')).toBe('satisfied')
    expect(texts('fx-log-weak', 'audit.collector-self-record').join('\n')).toContain('does not have this login')
  })

  test('a journal that is not written to leaves it open', () => {
    const state = fact(fixtureOf('fx-log-weak').readings.get('journal.state') as Parsed<{ files: JournalFile[] }>)
    const files = state.files.map((file) => ({ ...file, newest: { seconds: 1795000000, stamp: null } }))
    const changed = [['journal.state', known({ ...state, files })]] as const
    expect(concludeOn(auditCollectorSelfRecord, 'fx-log-weak', changed).verdict).toBe('inconclusive')
  })

  test('of the environment one variable may be asked for, of the clock only its reading', () => {
    expect(deniedCommand(['printenv', 'SSH_CONNECTION'])).toBeNull()
    expect(deniedCommand(['printenv'])).not.toBeNull()
    expect(deniedCommand(['printenv', 'AWS_SECRET_ACCESS_KEY'])).not.toBeNull()
    expect(deniedCommand(['date', '-s', '@0'])).not.toBeNull()
    expect(deniedCommand(['journalctl', '-q', '--no-pager', '-o', 'short-unix', '-n', '9'])).not.toBeNull()
  })
})

describe('the journal’s own headers', () => {
  const block = (head: string, from: string): string =>
    `File path: /var/log/journal/x/system.journal\nSequential number ID: abc\nState: ONLINE\nHead sequential number: ${head}\nTail sequential number: 900\nHead realtime timestamp: ${from}\nTail realtime timestamp: Sat 2026-11-21 18:42:29 UTC (660cdb90cc606)\n`

  test('with and without hexadecimal numbers, and both lists of boots', () => {
    const older = ' 0 fbc3ecaaa9b448049ffb131b9d986228 Sat 2026-11-21 18:42:27 UTC—Sat 2026-11-21 18:42:29 UTC\n'
    const newer =
      'IDX BOOT ID                          FIRST ENTRY                 LAST ENTRY\n  0 fbc3ecaaa9b448049ffb131b9d986228 Sat 2026-11-21 18:42:27 UTC Sat 2026-11-21 18:42:29 UTC\n'
    const read = [
      [block('1 (1)', 'Sat 2026-11-21 18:42:27 UTC (660cdb8ee8f87)'), newer] as const,
      [block('1', 'Sat 2026-11-21 18:42:27 UTC'), older] as const,
    ].map(([header, boots]) => fact(journalState.parse({ header: answer(header), boots: answer(boots) })))
    expect(read.map(({ files }) => files[0]?.oldest.seconds)).toEqual([1795286547, null])
    expect(read.map(({ files }) => secondsOf(files[0]?.oldest.stamp ?? null, null))).toEqual([1795286547, 1795286547])
    expect(read.map(({ boots }) => [boots.length, boots[0]?.index])).toEqual([
      [1, 0],
      [1, 0],
    ])
  })

  test('an empty journal is a fact; an answer of another form is none', () => {
    const none = answer('', { errorText: 'No journal files were found.\n' })
    expect(fact(journalState.parse({ header: none, boots: none }))).toEqual({ files: [], boots: [] })
    expect(reason(journalState.parse({ header: answer('hello\n'), boots: answer('') }))).toContain(
      'an unexpected format',
    )
  })

  test('holes in the numbering: users’ files fill them, other chains are numbered on their own', () => {
    const file = (path: string, first: number, last: number, chain = 'a'): JournalFile => ({
      path: `/var/log/journal/x/${path}.journal`,
      chain,
      first,
      last,
      oldest: { seconds: null, stamp: null },
      newest: { seconds: null, stamp: null },
    })
    expect(missingEntries([file('system@1', 1, 10), file('system', 11, 20)])).toBe(0)
    expect(missingEntries([file('system@1', 1, 10), file('system', 13, 20)])).toBe(2)
    expect(missingEntries([file('system@1', 1, 10), file('system', 13, 20), file('user-1000', 5, 14)])).toBe(0)
    expect(missingEntries([file('system@1', 1, 10), file('system', 900, 950, 'b')])).toBe(0)
    expect(missingEntries([file('user-1000', 5, 6)])).toBe(0)
    expect(missingEntries([])).toBe(0)
  })

  test('the record of logins has moments and starts', () => {
    const text = `bwaudit  pts/0        198.51.100.7     Fri Nov 20 09:11:58 2026   still logged in
reboot   system boot  6.8.0-87-generic Mon Nov  2 03:11:20 2026   still running

wtmp begins Mon Nov  2 03:11:20 2026
`
    const read = fact(loginRecords.parse({ logins: answer(text) }))
    expect(read.logins.map(({ user, from, at }) => [user, from, at?.wallSeconds])).toEqual([
      ['bwaudit', '198.51.100.7', 1795165918],
    ])
    expect(read.starts.map(({ wallSeconds }) => wallSeconds)).toEqual([Date.UTC(2026, 10, 2, 3, 11, 20) / 1000])
  })
})
