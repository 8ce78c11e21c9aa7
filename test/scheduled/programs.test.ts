import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { notifyCommand, notifySyslog, syslogLine } from '../../main/adapters/notify/index.ts'
import { NOTICE } from '../support/notice.ts'

let folder = ''
const at = (name: string): string => join(folder, name)
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bw-notify-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const SH = existsSync('/bin/sh')
describe.skipIf(!SH)('a command (skipped where /bin/sh is absent)', () => {
  const sh = (script: string, limit?: number) =>
    notifyCommand({ kind: 'command', argv: ['/bin/sh', '-c', script] }, NOTICE, limit)
  test('reads the notice on its stdin', async () => {
    expect((await sh(`cat > '${at('told')}'`)).ok).toBe(true)
    expect(JSON.parse(readFileSync(at('told'), 'utf8'))).toEqual(NOTICE)
  })
  test('gets its words as they are, without a shell', async () => {
    const out = at('words')
    const argv: [string, ...string[]] = [
      process.execPath,
      '-e',
      'require("fs").writeFileSync(process.argv[1], process.argv[2])',
      out,
      '$(id) `id` ; "',
    ]
    expect((await notifyCommand({ kind: 'command', argv }, NOTICE)).ok).toBe(true)
    expect(readFileSync(out, 'utf8')).toBe('$(id) `id` ; "')
  })
  test('need not read', async () => expect((await sh('exec <&-; exit 0')).ok).toBe(true))
  test.each([
    ['echo "no route\u0007" >&2; exit 7', 'ended with exit code 7: no route\\u{7}'],
    ['kill -TERM $$', 'ended by SIGTERM'],
  ])('that fails is reported: %s', async (script, why) =>
    expect(await sh(script)).toMatchObject({
      ok: false,
      error: { code: 'notice.undelivered', detail: `/bin/sh: ${why}` },
    }),
  )
  test('that is not there is reported', async () =>
    expect(await notifyCommand({ kind: 'command', argv: [at('nothing')] }, NOTICE)).toMatchObject({
      ok: false,
      error: { detail: expect.stringContaining('ENOENT') },
    }))
  test('that does not end is ended, with what it started', async () => {
    const outcome = await sh(`(sleep 2; touch '${at('survived')}') & sleep 60`, 300)
    expect(outcome).toMatchObject({
      ok: false,
      error: { detail: expect.stringContaining('not finished after 0.3 s') },
    })
    await sleep(2200)
    expect(existsSync(at('survived'))).toBe(false)
  })
})

describe.skipIf(!SH)('the system’s log (skipped where /bin/sh is absent)', () => {
  test('gets one line through logger', async () => {
    const logger = at('logger')
    writeFileSync(logger, `#!/bin/sh\nfor word; do printf '%s\\n' "$word"; done > '${at('logged')}'\n`, { mode: 0o755 })
    expect((await notifySyslog(NOTICE, logger)).ok).toBe(true)
    expect(readFileSync(at('logged'), 'utf8').split('\n')).toEqual([
      '-t',
      'barewitness',
      '--id',
      '-p',
      'auth.notice',
      '--',
      `nightly 20260302t0200z-1f3a: ${NOTICE.summary} ${NOTICE.changes[0]}`,
      '',
    ])
  })
  test('without a logger is reported', async () => expect((await notifySyslog(NOTICE, at('nothing'))).ok).toBe(false))
  test('gets no control characters, and no more than it takes', () => {
    const line = syslogLine({
      ...NOTICE,
      changes: ['a\nb\u001b[31m', ...Array.from({ length: 90 }, () => 'ö'.repeat(20))],
    })
    expect(line).not.toMatch(/[\u0000-\u001f\u007f]|\ufffd/)
    expect(line).toContain('a\\u{a}b')
    expect(Buffer.byteLength(line)).toBeLessThan(910)
  })
})
