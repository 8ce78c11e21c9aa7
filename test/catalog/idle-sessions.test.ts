import { describe, expect, test } from 'vitest'
import { sessionTimeout } from '../../main/catalog/access/session-timeout/index.ts'
import { packagesListDpkg } from '../../main/catalog/operations/packages/probes.ts'
import { answer } from '../support/answers.ts'
import { over } from '../support/concluded.ts'

const ID = 'access.session-timeout'
const NO_FOLDER = 'grep: /etc/systemd/logind.conf.d/*.conf: No such file or directory\n'

/** The check where no shell has a limit, and grep printed this of the settings of logind. */
const withLogind = (
  text: string,
  outcome: { exitCode?: number; errorText?: string } = {},
  systemd = '255.4-1ubuntu8.8',
) =>
  over(
    ID,
    [sessionTimeout, sessionTimeout.parse({ shell: answer('', { exitCode: 1 }), logind: answer(text, outcome) })],
    [packagesListDpkg, packagesListDpkg.parse({ packages: answer(`ii \tsystemd\t${systemd}\n`) })],
  ).verdict

const MAIN = '/etc/systemd/logind.conf:StopIdleSessionSec='

describe('idle sessions that logind stops', () => {
  // As the STIG for Red Hat 9 has it: the file itself, and no folder logind.conf.d. grep(1) ends with 2 then, and prints what it found.
  test('in the main file, without a folder for others', () => {
    expect(withLogind(`${MAIN}900\n`, { exitCode: 2, errorText: NO_FOLDER })).toBe('satisfied')
    expect(withLogind(`${MAIN}9000\n`, { exitCode: 2, errorText: NO_FOLDER })).toBe('not-satisfied')
    expect(withLogind('', { exitCode: 2, errorText: NO_FOLDER })).toBe('not-satisfied')
  })

  // systemd.time(7), PARSING TIME SPANS.
  test.each([
    ['900s', 'satisfied'],
    ['15min', 'satisfied'],
    ['15 minutes', 'satisfied'],
    ['1 hour', 'not-satisfied'],
    ['infinity', 'not-satisfied'],
  ])('%s', (value, expected) => expect(withLogind(`${MAIN}${value}\n`)).toBe(expected))

  // logind.conf(5): since systemd 252. Older ones ignore the line.
  test.each([
    ['249.11-0ubuntu3.16', 'not-satisfied'],
    ['247.3-7+deb11u5', 'not-satisfied'],
    ['252.38-1~deb12u1', 'satisfied'],
    ['257.7-1', 'satisfied'],
  ])('systemd %s', (systemd, expected) => expect(withLogind(`${MAIN}900\n`, {}, systemd)).toBe(expected))
})
