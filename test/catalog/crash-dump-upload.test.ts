import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  coreDumpPattern,
  kernelDumps,
  parseCorePattern,
  parseKdump,
} from '../../main/catalog/data-protection/dumps/dumps.ts'
import { crashReporters } from '../../main/catalog/data-protection/dumps/index.ts'
import { type Mounts, storageMounts } from '../../main/catalog/data-protection/mounts/probes.ts'
import { answer, fact, reason } from '../support/answers.ts'
import { changed, over, stepText } from '../support/concluded.ts'

const ID = 'network.crash-dump-upload'
const core = (pattern: string) => [coreDumpPattern, parseCorePattern(`${pattern}\n`)] as const
const kdump = (loaded: string, ...config: readonly string[]) =>
  [kernelDumps, parseKdump(answer(`${loaded}\n`), config.map((line) => `/etc/kdump.conf:${line}\n`).join(''))] as const

const units = (states: Readonly<Record<string, readonly [active: string, file: string]>>): string =>
  ['whoopsie.service', 'whoopsie.path', 'abrtd.service']
    .map((id) => {
      const [active, file] = states[id] ?? ['inactive', '']
      return `Id=${id}\nLoadState=loaded\nActiveState=${active}\nUnitFileState=${file}\n`
    })
    .join('\n')
const NO_MARK = answer('/proc\n', {
  exitCode: 2,
  errorText: "ls: cannot access '/var/lib/apport/autoreport': No such file or directory\n",
})
const NO_ABRT = answer('', { exitCode: 2, errorText: 'grep: /etc/abrt/abrt.conf: No such file or directory\n' })
const reporters = (
  states: Parameters<typeof units>[0],
  { marks = NO_MARK, abrt = NO_ABRT }: { readonly marks?: typeof NO_MARK; readonly abrt?: typeof NO_ABRT } = {},
) => [crashReporters, crashReporters.parse({ units: answer(units(states)), marks, abrt })] as const

const MARKED = answer('/proc\n/var/lib/apport/autoreport\n')
const setting = (value: string) => answer(`/etc/abrt/abrt.conf:AutoreportingEnabled = ${value}\n`)
const withMount = (point: string, fsType: string) =>
  changed(storageMounts, ({ mounts }: Mounts) => ({
    mounts: [
      ...mounts,
      {
        id: '9001',
        parent: mounts.find((one) => one.point === '/')?.id ?? '',
        device: '0:99',
        root: '/',
        point,
        fsType,
        source: 'x:/y',
        options: [],
      },
    ],
  }))

describe('where program dumps go', () => {
  test.each([
    ['|/usr/share/apport/apport -p%p -s%s -c%c', 'satisfied'],
    ['|/usr/lib/systemd/systemd-coredump %P %u %g %s %t %c %h', 'satisfied'],
    ['|/lib/systemd/systemd-coredump %P %u', 'satisfied'],
    ['|/usr/libexec/abrt-hook-ccpp %s %c %p', 'satisfied'],
    ['|/bin/false', 'satisfied'],
    ['|/usr/bin/true', 'satisfied'],
    ['|/opt/vendor/collect-core %p', 'inconclusive'],
    ['|/tmp/systemd-coredump', 'inconclusive'],
    ['|/opt/lib/systemd/systemd-coredump', 'inconclusive'],
    ['|/bin/sh -c "curl -T - https://example.org"', 'inconclusive'],
    ['|', 'inconclusive'],
    ['core', 'satisfied'],
    ['/var/crash/core.%e.%p', 'satisfied'],
    ['/dev/null', 'satisfied'],
  ])('%s: %s', (pattern, verdict) => expect(over(ID, core(pattern)).verdict).toBe(verdict))

  test.each([
    ['/mnt/dumps/core.%p', '/mnt/dumps', 'nfs4', 'not-satisfied'],
    ['/mnt/dumps/core.%p', '/mnt/dumps', 'fuse.unheard-of', 'inconclusive'],
    ['/var/crash/core.%p', '/mnt/dumps', 'nfs4', 'satisfied'],
    ['core', '/mnt/dumps', 'nfs4', 'inconclusive'],
    ['/mnt/../mnt/dumps/core', '/mnt/dumps', 'nfs4', 'inconclusive'],
  ])('%s with %s of %s: %s', (pattern, point, fsType, verdict) =>
    expect(over(ID, core(pattern), withMount(point, fsType)).verdict).toBe(verdict),
  )
})

describe('where kernel dumps go', () => {
  test.each([
    [kdump('0', 'ssh kdump@logs.example'), 'satisfied'],
    [kdump('1', 'ssh kdump@logs.example'), 'not-satisfied'],
    [kdump('1', 'nfs store.example:/export'), 'not-satisfied'],
    [kdump('1', 'path /var/crash'), 'satisfied'],
    [kdump('1', 'ext4 /dev/sdb1'), 'satisfied'],
    [kdump('1'), 'inconclusive'],
  ])('%# %s', (reading, verdict) => expect(over(ID, reading).verdict).toBe(verdict))

  // kdump-tools starts the system with its mounts for the dump; kdump of Red Hat takes the mount that holds the path.
  test.each([
    ['path /mnt/dumps', 'nfs4', 'not-satisfied'],
    ['path /mnt/dumps/kernel', 'ceph', 'not-satisfied'],
    ['path /mnt/dumps', 'fuse.unheard-of', 'inconclusive'],
    ['path /var/crash', 'nfs4', 'satisfied'],
    ['path /mnt/../mnt/dumps', 'nfs4', 'inconclusive'],
  ])('%s with a mount of %s: %s', (line, fsType, verdict) =>
    expect(over(ID, core('|/bin/false'), kdump('1', line), withMount('/mnt/dumps', fsType)).verdict).toBe(verdict),
  )
})

describe('services that send crash reports', () => {
  test.each([
    [reporters({}), 'satisfied'],
    [reporters({ 'whoopsie.service': ['active', 'enabled'] }), 'inconclusive'],
    [reporters({ 'whoopsie.service': ['active', 'enabled'] }, { marks: MARKED }), 'not-satisfied'],
    [reporters({ 'whoopsie.path': ['inactive', 'enabled'] }, { marks: MARKED }), 'not-satisfied'],
    [reporters({ 'whoopsie.service': ['inactive', 'disabled'] }, { marks: MARKED }), 'satisfied'],
    [reporters({ 'abrtd.service': ['active', 'enabled'] }), 'satisfied'],
    [reporters({ 'abrtd.service': ['active', 'enabled'] }, { abrt: setting('yes') }), 'not-satisfied'],
    [reporters({ 'abrtd.service': ['active', 'enabled'] }, { abrt: setting('no') }), 'satisfied'],
    [reporters({ 'abrtd.service': ['inactive', 'disabled'] }, { abrt: setting('yes') }), 'satisfied'],
  ])('%# %s', (reading, verdict) => expect(over(ID, reading).verdict).toBe(verdict))

  test.each([
    ['no service manager', { units: answer('', { exitCode: 1 }), marks: NO_MARK, abrt: NO_ABRT }, 'service manager'],
    ['units missing', { units: answer('Id=whoopsie.service\n'), marks: NO_MARK, abrt: NO_ABRT }, 'other units'],
    [
      'the mark out of sight',
      {
        units: answer(units({})),
        marks: answer('/proc\n', { exitCode: 2, errorText: 'ls: cannot access: Permission denied\n' }),
        abrt: NO_ABRT,
      },
      'apport',
    ],
    [
      'the file out of reach',
      {
        units: answer(units({})),
        marks: NO_MARK,
        abrt: answer('', { exitCode: 2, errorText: 'grep: /etc/abrt/abrt.conf: Permission denied\n' }),
      },
      'abrt.conf',
    ],
  ])('are not read with %s', (_name, answers, words) => {
    const reading = crashReporters.parse(answers)
    expect(reason(reading)).toContain(words)
    expect(over(ID, [crashReporters, reading]).verdict).toBe('inconclusive')
  })

  test('a line of abrt.conf later in the file wins', () => {
    const abrt = answer('/etc/abrt/abrt.conf:AutoreportingEnabled = yes\n/etc/abrt/abrt.conf:AutoreportingEnabled=no\n')
    expect(fact(crashReporters.parse({ units: answer(units({})), marks: NO_MARK, abrt })).abrtSends).toBe('no')
  })

  test('any bytes are read or refused', () =>
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.string(),
        fc.integer({ min: 0, max: 255 }),
        (one, two, three, exitCode) => {
          const reading = crashReporters.parse({
            units: answer(one, { exitCode }),
            marks: answer(two, { exitCode, errorText: three }),
            abrt: answer(three, { exitCode, errorText: two }),
          })
          expect(typeof reading.ok).toBe('boolean')
        },
      ),
    ))
})

test('what was found is stated', () =>
  expect(stepText(over(ID, kdump('1', 'ssh kdump@logs.example')))).toContain(
    'contradicts: A crash kernel is loaded and sends a dump of all memory to another system (“ssh”).',
  ))

describe('a kernel whose settings are not visible', () => {
  const ABSENT = { exitCode: 1, errorText: 'cat: /sys/kernel/kexec_crash_loaded: No such file or directory\n' }
  const none = [kernelDumps, parseKdump(answer('', ABSENT), '')] as const
  const without = changed(storageMounts, ({ mounts }: Mounts) => ({
    mounts: mounts.filter(({ point }) => point !== '/sys' && !point.startsWith('/sys/')),
  }))

  test.each([ID, 'encryption.at-rest.crash-dumps'])(
    '%s: the file is absent where the kernel has no crash dumps',
    (id) => expect(stepText(over(id, none))).toContain('supports: The kernel has no support for crash dumps.'),
  )

  // Two checks read the same bytes; neither may take a folder without sysfs for a kernel without crash dumps.
  test.each([ID, 'encryption.at-rest.crash-dumps'])('%s: without sysfs its absence shows nothing', (id) => {
    const conclusion = over(id, none, without)
    expect(conclusion.verdict).not.toBe('satisfied')
    expect(stepText(conclusion)).toContain('unclear: The kernel’s own settings are not visible here.')
  })
})
