import { describe, expect, test } from 'vitest'
import { coredumpSettings } from '../../main/catalog/data-protection/dumps/coredump.ts'
import { parseCorePattern } from '../../main/catalog/data-protection/dumps/dumps.ts'
import { known, unknown } from '../../main/core/recording/probe.ts'
import { answer, fact, reason } from '../support/answers.ts'
import { checkOf, concludeOn } from '../support/evaluated.ts'

// systemd-analyze cat-config systemd/coredump.conf: Red Hat 9, as installed and after the CIS Benchmark.
const STOCK =
  '# /etc/systemd/coredump.conf\n#  This file is part of systemd.\n\n[Coredump]\n#Storage=external\n#Compress=yes\n#ProcessSizeMax=2G\n'
const dropIn = (...lines: readonly string[]): string =>
  `${STOCK}\n# /etc/systemd/coredump.conf.d/60-coredump.conf\n${lines.join('\n')}\n`
const HARDENED = dropIn('[Coredump]', 'Storage=none', 'ProcessSizeMax=0')

describe('settings of systemd-coredump', () => {
  test.each([
    ['as installed', STOCK, false],
    ['as the CIS Benchmark has it', HARDENED, true],
    ['with blanks', dropIn('[Coredump]', 'Storage = none', '  ProcessSizeMax = 0 '), true],
    ['nothing kept, and still written for the stack', dropIn('[Coredump]', 'Storage=none'), false],
    ['no size alone', dropIn('[Coredump]', 'ProcessSizeMax=0'), false],
    [
      'undone by a later file',
      `${HARDENED}# /etc/systemd/coredump.conf.d/70-debug.conf\n[Coredump]\nStorage=external\n`,
      false,
    ],
    ['in comments', dropIn('[Coredump]', '#Storage=none', ';ProcessSizeMax=0'), false],
  ])('%s', (_, text, writesNothing) => {
    expect(fact(coredumpSettings.parse({ config: answer(text) }))).toEqual({ writesNothing })
  })

  test.each([
    ['outside any section, which systemd ignores', answer(dropIn('Storage=none', 'ProcessSizeMax=0'))],
    ['in another section', answer(dropIn('[Journal]', 'Storage=none'))],
    ['no answer', answer('', { exitCode: 1, errorText: 'Failed to load\n' })],
  ])('%s', (_, config) => expect(reason(coredumpSettings.parse({ config }))).toMatch(/systemd-coredump/))
})

describe('memory dumps on a server whose root file system is not encrypted', () => {
  const ID = 'encryption.at-rest.crash-dumps'
  const over = (settings: ReturnType<typeof coredumpSettings.parse>, handler = '/usr/lib/systemd/systemd-coredump') =>
    concludeOn(checkOf(ID), 'demo-metal-04', [
      ['memory.core-pattern', parseCorePattern(`|${handler} %P %u %g %s %t %c %h\n`)],
      ['memory.coredump-settings', settings],
      ['memory.kdump', known({ loaded: false, targets: [], configured: false })],
    ]).verdict
  const hardened = coredumpSettings.parse({ config: answer(HARDENED) })

  test('a handler that writes nothing needs no encryption', () => {
    expect(over(hardened)).toBe('satisfied')
    expect(over(coredumpSettings.parse({ config: answer(STOCK) }))).toBe('not-satisfied')
    expect(over(unknown('this was not collected'))).toBe('not-satisfied')
    // The settings are those of systemd-coredump alone.
    expect(over(hardened, '/usr/share/apport/apport')).toBe('not-satisfied')
  })

  // proc_sys_kernel(5), core_pattern; the limit for the size of dumps is 0 by default (include/asm-generic/resource.h).
  test.each([
    ['the kernel’s own pattern, as Debian leaves it', 'core', 'inconclusive'],
    ['a name in the working directory', 'core.%e.%p', 'inconclusive'],
    ['a folder that was chosen', '/var/crash/core.%p', 'not-satisfied'],
  ])('%s', (_, pattern, expected) => {
    const readings = [
      ['memory.core-pattern', parseCorePattern(`${pattern}\n`)],
      ['memory.kdump', known({ loaded: false, targets: [], configured: false })],
    ] as const
    expect(concludeOn(checkOf(ID), 'demo-metal-04', readings).verdict).toBe(expected)
  })
})
