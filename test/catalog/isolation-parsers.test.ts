import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { containersOf, parseProcesses } from '../../main/catalog/base/processes.ts'
import { listedFolders, longListing, sysfsFound } from '../../main/catalog/base/read-listing.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { parseCpuInfo } from '../../main/catalog/hardware/processors/features.ts'
import type { Answer, Probe } from '../../main/core/recording/probe.ts'
import { fixtureAnswers } from '../support/fixtures.ts'

const { probes } = catalog

const answer = (bytes: Uint8Array, exitCode: number, error: Uint8Array): Answer => ({
  exitCode,
  text: new TextDecoder().decode(bytes),
  errorText: new TextDecoder().decode(error),
  bytes,
  seconds: { node: null, collectingComputer: null },
})

const parseWith = (probe: Probe<unknown>, answers: readonly Answer[]): void => {
  const names = Object.keys(probe.commands)
  const reading = probe.parse(
    Object.fromEntries(names.map((name, index) => [name, answers[index % answers.length] as Answer])),
  )
  if (!reading.ok) expect(reading.reason).not.toBe('')
}

/** Real bytes with a piece cut out and another put in: closer to what parsers look for than noise. */
const damaged = (probe: Probe<unknown>): fc.Arbitrary<Answer> => {
  const known = [...fixtureAnswers('demo-gpu-01'), ...fixtureAnswers('demo-guest-03')]
    .filter(([key]) => key.startsWith(`${probe.id}/`))
    .map(([, { stdout }]) => stdout.subarray(0, 6000))
  return fc
    .record({
      base: fc.constantFrom(...(known.length > 0 ? known : [new Uint8Array()])),
      at: fc.nat(6000),
      cut: fc.nat(400),
      put: fc.uint8Array({ maxLength: 60 }),
      exit: fc.constantFrom(0, 0, 0, 1, 2),
    })
    .map(({ base, at, cut, put, exit }) =>
      answer(Uint8Array.from([...base.subarray(0, at), ...put, ...base.subarray(at + cut)]), exit, new Uint8Array()),
    )
}

describe('parsers take any bytes', () => {
  test.each(probes.map((probe) => [probe.id, probe] as const))('%s', (_, probe) => {
    const noise = fc
      .tuple(fc.uint8Array({ maxLength: 400 }), fc.constantFrom(0, 1, 2, 255), fc.uint8Array({ maxLength: 80 }))
      .map(([bytes, exit, error]) => answer(bytes, exit, error))
    const words = fc
      .tuple(fc.string({ unit: 'binary', maxLength: 300 }), fc.constantFrom(0, 1, 2))
      .map(([text, exit]) => answer(new TextEncoder().encode(text), exit, new Uint8Array()))
    fc.assert(
      fc.property(fc.array(fc.oneof(noise, words, damaged(probe)), { minLength: 1, maxLength: 4 }), (answers) =>
        parseWith(probe, answers),
      ),
      { numRuns: 150 },
    )
  })
})

describe('listings', () => {
  test('folders of ls -1, with one that is empty', () => {
    expect([...listedFolders('/a:\n\n/b/c:\nx\ny\n')]).toEqual([
      ['/a', []],
      ['/b/c', ['x', 'y']],
    ])
  })

  test('lines of ls -l: links, folders, sizes, device numbers', () => {
    expect(
      longListing([
        'total 0',
        '-r-------- 1 root root 3923 Nov 21 06:59 DSDT',
        'drwxr-xr-x 2 root root    0 Nov 21 06:59 data',
        'lrwxrwxrwx 1 root root 0 Nov 21 06:59 pid -> pid:[4026531836]',
        'crw-rw---- 1 root kvm 10, 232 Nov 21 06:59 kvm',
      ]),
    ).toEqual([
      { name: 'DSDT', size: 3923, isFolder: false, target: null },
      { name: 'data', size: 0, isFolder: true, target: null },
      { name: 'pid', size: 0, isFolder: false, target: 'pid:[4026531836]' },
      { name: 'kvm', size: 10, isFolder: false, target: null },
    ])
  })

  test('paths that hold colons', () => {
    expect(sysfsFound('/sys/bus/pci/devices/0000:00:1f.0/uevent:PCI_ID=8086:1B81\n', ['uevent'])).toEqual([
      { path: '/sys/bus/pci/devices/0000:00:1f.0/uevent', line: 'PCI_ID=8086:1B81' },
    ])
  })
})

describe('processors and processes', () => {
  test('a power-management flag counts only where every processor shows it', () => {
    const block = (number: number, flags: string): string =>
      `processor\t: ${number}\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nflags\t\t: ${flags}\n\n`
    const reading = parseCpuInfo(block(0, 'acpi tm est') + block(1, 'acpi est hypervisor'))
    expect(reading.ok && reading.fact).toMatchObject({
      powerBits: ['acpi', 'est'],
      hypervisorBit: true,
      logicalCpus: 2,
    })
  })

  test('containers by control group, with the owner of rootless ones', () => {
    const rows = [
      '    PID USER                             COMMAND         CGROUP',
      '      1 root                             systemd         0::/init.scope',
      '      2 root                             kthreadd        -',
      `     90 root                             Web Content     0::/system.slice/docker-${'a'.repeat(64)}.scope`,
      `     91 jlin                             python3         0::/user.slice/user-1001.slice/user@1001.service/user.slice/libpod-${'b'.repeat(64)}.scope/container`,
      `     92 jlin                             conmon          0::/user.slice/user-1001.slice/user@1001.service/user.slice/libpod-conmon-${'b'.repeat(64)}.scope`,
    ]
    const reading = parseProcesses(`${rows.join('\n')}\n`)
    expect(reading.ok && reading.fact.isComplete).toBe(true)
    expect(reading.ok && containersOf(reading.fact).map(({ manager, ownerId }) => [manager, ownerId])).toEqual([
      ['Docker', null],
      ['Podman', 1001],
    ])
  })
})
