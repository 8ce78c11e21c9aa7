import { describe, expect, test } from 'vitest'
import { known, type Parsed } from '../../main/core/recording/probe.ts'
import { checkOf, concludeOn } from '../support/evaluated.ts'
import { FIXTURE_TIME } from '../support/fixtures.ts'

const NODE = 'demo-gpu-01'
const NOW = Date.parse(FIXTURE_TIME) / 1000

/** Files in /var/log by name, with the days since each was last written to. */
const over = (days: Readonly<Record<string, number>>, setUp = 400): string => {
  const entries = Object.entries(days).map(([name, age]) => ({
    path: `/var/log/${name}`,
    mode: 0o600,
    owner: 'root',
    group: 'root',
    isFolder: false,
    changedAt: NOW - age * 86_400,
  }))
  const readings: [string, Parsed<unknown>][] = [
    ['journald.config', known({ settings: new Map(), hasFolder: false })],
    ['journal.state', known({ files: [], boots: [] })],
    ['log.audit-files', known({ entries: [] })],
    ['log.files', known({ entries, isPartial: false, setUpAt: NOW - setUp * 86_400 })],
    ['time.now', known({ seconds: NOW, zone: { minutes: 0, name: 'UTC' } })],
  ]
  return concludeOn(checkOf('audit.log-retention'), NODE, readings).verdict
}

describe('how far back text log files reach that were rotated', () => {
  // logrotate.conf of Red Hat: weekly, rotate 4, dateext. On the third day after a rotation, four copies reach back 31 days.
  const weekly = { messages: 0, secure: 0, 'messages-1': 3, 'messages-2': 10, 'messages-3': 17, 'messages-4': 24 }
  const dated = Object.fromEntries(
    Object.entries(weekly).map(([name, age]) => [name.replace(/-(\d)$/, '-2026110$1'), age]),
  )

  test.each([
    ['weekly, four copies, as Red Hat rotates', dated, 'inconclusive'],
    ['weekly, five copies', { ...dated, 'messages-20261101.gz': 31 }, 'satisfied'],
    ['weekly, two copies', { messages: 0, 'messages-20261120': 3, 'messages-20261113': 10 }, 'not-satisfied'],
    [
      'daily, seven copies',
      Object.fromEntries([0, 1, 2, 3, 4, 5, 6, 7].map((at) => [at === 0 ? 'messages' : `messages.${at}`, at])),
      'not-satisfied',
    ],
    // /etc/logrotate.d/syslog of SUSE: by size (4 MiB), 99 copies. A quiet server has no copy for months, or one.
    ['by size, not rotated yet', { messages: 0 }, 'inconclusive'],
    ['by size, rotated once', { messages: 0, 'messages-20261120.xz': 3 }, 'inconclusive'],
  ])('%s: %s', (_, files, verdict) => expect(over(files)).toBe(verdict))
})
