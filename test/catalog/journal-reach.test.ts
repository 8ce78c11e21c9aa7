import { describe, expect, test } from 'vitest'
import { loginRecords } from '../../main/catalog/operations/login-records/index.ts'
import type { JournalFile } from '../../main/catalog/operations/logs/journal.ts'
import {
  auditFiles,
  journaldConfig,
  journalState,
  type LogEntry,
  logFiles,
} from '../../main/catalog/operations/logs/probes.ts'
import { timeNow } from '../../main/catalog/operations/time/probes.ts'
import { answer, fact } from '../support/answers.ts'
import { changed, over, stepText } from '../support/concluded.ts'

const DAY = 86_400
const NOW = 1_795_165_000
const moment = (days: number) => ({ seconds: NOW - days * DAY, stamp: null })
const file = (name: string, first: number, last: number, oldest: number, newest: number): JournalFile => ({
  path: `/var/log/journal/0d1e/${name}.journal`,
  chain: 'a',
  first,
  last,
  oldest: moment(oldest),
  newest: moment(newest),
})
const boot = (id: string, days: number) => ({
  index: 0,
  id,
  from: { seconds: null, stamp: { wallSeconds: NOW - days * DAY, zone: 'UTC' } },
  to: moment(0),
})

/**
 * journald rotates what it has open, and removes what was rotated. The journal of an account without a session is not open: until journald
 * archived those as well (server_archive_offline_user_journals), the one of an administrator who left stayed as it was for years.
 */
const SYSTEM = [file('system@a-0000', 900_001, 950_000, 10, 4), file('system', 950_001, 960_000, 4, 0)]
const LEFT = file('user-1000', 500, 4000, 700, 690)
const time = changed(timeNow, () => ({ seconds: NOW, zone: { minutes: 0, name: 'UTC' } }))
const journal = (files: readonly JournalFile[]) =>
  changed(journalState, ({ boots }) => ({
    files,
    boots: [boot('f'.repeat(32), 700), boot(boots.find(({ index }) => index === 0)?.id ?? '', 9)],
  }))

describe('a journal of an account that is older than the system’s own', () => {
  const retention = (files: readonly JournalFile[], audit: readonly LogEntry[] = []) =>
    over(
      'audit.log-retention',
      time,
      journal(files),
      changed(journaldConfig, () => ({ settings: new Map(), hasFolder: true })),
      changed(logFiles, (found) => ({ ...found, entries: [], setUpAt: NOW - 900 * DAY })),
      changed(auditFiles, () => ({ entries: audit })),
    )

  test('does not show how far back the system’s own reaches', () => {
    expect(retention([...SYSTEM, LEFT]).verdict).toBe('not-satisfied')
    expect(stepText(retention([...SYSTEM, LEFT]))).toContain(
      'The oldest record in the journal that could be measured is 10 days old.',
    )
    expect(retention([file('system@a-0000', 1, 950_000, 200, 4), ...SYSTEM.slice(1), LEFT]).verdict).toBe('satisfied')
    expect(retention([LEFT]).verdict).toBe('inconclusive')
  })

  // auditd of a quiet server: five files of 8 MiB reach back for months, where the journal is kept small.
  test('nor do records of the audit service', () => {
    const audit = [0, 20, 40, 60].map((days, at) => ({
      path: `/var/log/audit/audit.log${at === 0 ? '' : `.${at}`}`,
      mode: 0o600,
      owner: 'root',
      group: 'root',
      isFolder: false,
      changedAt: NOW - days * DAY,
    }))
    const next = (files: readonly JournalFile[]) => retention(files, audit)
    expect(next(SYSTEM).verdict).toBe('not-satisfied')
    expect(stepText(next(SYSTEM))).toContain('The oldest of the audit records that could be measured is 60 days old.')
    expect(next([LEFT]).verdict).toBe('inconclusive')
  })

  test('does not show since when a start must be in the journal', () => {
    const starts = (...days: readonly number[]) =>
      changed(loginRecords, (found) => ({
        ...found,
        starts: days.map((ago) => ({ wallSeconds: NOW - ago * DAY, zone: '' })),
      }))
    const continuity = (...days: readonly number[]) =>
      over('audit.log-continuity', time, journal([...SYSTEM, LEFT]), starts(...days))
    expect(stepText(continuity(9, 30))).not.toContain('contradicts: ')
    expect(stepText(continuity(9, 5))).toContain(
      'contradicts: 1 start of the system in the record of logins since the journal begins, and not in the journal.',
    )
  })
})

describe('settings of the journal', () => {
  const PLAIN = '# /etc/systemd/journald.conf\n[Journal]\n#Storage=auto\n'
  const read = (text: string) =>
    fact(journaldConfig.parse({ config: answer(PLAIN + text), folders: answer('/var/log\n/var/log/journal\n') }))

  // systemd.syntax(7): “Whitespace immediately before or after the "=" is ignored.”
  test.each([
    ['without blanks', 'Storage=volatile\n'],
    ['with blanks', 'Storage = volatile\n'],
    ['with a blank in front', '  Storage= volatile \n'],
  ])('%s', (_, text) => {
    expect(read(text).settings.get('Storage')).toBe('volatile')
    expect(
      over(
        'audit.log-retention',
        changed(journaldConfig, () => read(text)),
      ).verdict,
    ).toBe('not-satisfied')
  })

  test('in a comment', () => expect(read('# Storage = volatile\n; Storage=none\n').settings.size).toBe(0))
})

describe('logs behind a symbolic link', () => {
  const entries = (kind: string) =>
    fact(
      logFiles.parse({
        files: answer(
          `1795000000:755:root:root:directory|/var/log\n1795164000:777:root:root:${kind}|/var/log/journal\n1795164000:640:syslog:adm:regular file|/var/log/syslog\n`,
        ),
      }),
    )
  const over777 = (kind: string) =>
    over(
      'audit.log-permissions',
      changed(logFiles, () => entries(kind)),
    )

  // symlink(7): “the permissions of an ordinary symbolic link are not used in any operations; the permissions are always 0777”.
  test('its own mode is no access; what it leads to was not read', () => {
    expect(over777('directory').verdict).toBe('not-satisfied')
    expect(over777('symbolic link').verdict).toBe('inconclusive')
    expect(stepText(over777('symbolic link'))).toContain(
      'unclear: What is behind symbolic links was not read: “/var/log/journal”.',
    )
  })
})
