import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { acpiHeaders, bootMemory } from '../../main/catalog/hardware/machine/acpi.ts'
import { dmiEntries } from '../../main/catalog/hardware/machine/dmi.ts'
import { memorySpd } from '../../main/catalog/hardware/machine/memory.ts'
import { kernelMessages } from '../../main/catalog/single-tenancy/virtualization/index.ts'
import { deniedCommand } from '../../main/core/recording/command-allowlist.ts'
import type { Answer, Parsed, Probe } from '../../main/core/recording/probe.ts'

const answer = (text: string, exitCode = 0, errorText = ''): Answer => ({
  exitCode,
  text,
  errorText,
  bytes: new TextEncoder().encode(text),
  seconds: { node: null, collectingComputer: null },
})
const fact = <F>(reading: Parsed<F>): F => {
  if (!reading.ok) throw new Error(reading.reason)
  return reading.fact
}

const gone = (...paths: readonly string[]): string =>
  paths.map((path) => `ls: cannot access '${path}': No such file or directory\n`).join('')

describe('any bytes', () => {
  const probes = [acpiHeaders, bootMemory, dmiEntries, kernelMessages, memorySpd] as readonly Probe<unknown>[]
  test.each(probes.map((probe) => [probe.id, probe] as const))('%s never throws', (_, probe) => {
    const answers = fc
      .tuple(fc.uint8Array({ maxLength: 400 }), fc.constantFrom(0, 1, 2, 255), fc.string({ maxLength: 60 }))
      .map(([bytes, exitCode, errorText]) => ({
        exitCode,
        errorText,
        bytes,
        text: new TextDecoder().decode(bytes),
        seconds: { node: null, collectingComputer: null },
      }))
    fc.assert(
      fc.property(fc.array(answers, { minLength: 2, maxLength: 2 }), (given) => {
        const reading = probe.parse(
          Object.fromEntries(Object.keys(probe.commands).map((name, index) => [name, given[index] as Answer])),
        )
        if (!reading.ok) expect(reading.reason).not.toBe('')
      }),
      { numRuns: 200 },
    )
  })
})

describe('boot.memory', () => {
  const map = (rows: readonly (readonly [string, string, string])[]): Answer =>
    answer(
      rows
        .map(([start, end, type], index) => {
          const at = `/sys/firmware/memmap/${index}/`
          return `${at}start:${start}\n${at}end:${end}\n${at}type:${type}\n`
        })
        .join(''),
    )
  const folders = (ids: number, efi = ''): Answer =>
    answer(
      `/sys/firmware:\nacpi\ndmi\nmemmap\n\n${efi}/sys/firmware/memmap:\n${[...Array(ids).keys()].join('\n')}\n`,
      efi === '' ? 2 : 0,
      efi === '' ? gone('/sys/firmware/efi') : '',
    )

  // A Firecracker guest with 24 GiB, Linux 6.18.
  const FIRECRACKER = map([
    ['0x0', '0x9fbff', 'System RAM'],
    ['0x9fc00', '0xfffff', 'Reserved'],
    ['0x100000', '0xbfffffff', 'System RAM'],
    ['0xeec00000', '0xfebfffff', 'Reserved'],
    ['0x100000000', '0x63fffffff', 'System RAM'],
  ])

  test('a guest’s map: what is memory is summed, what is reserved is not', () => {
    expect(fact(bootMemory.parse({ folders: folders(5), ranges: FIRECRACKER }))).toEqual({
      isUefi: false,
      map: { ranges: 5, memoryBytes: 0x9fc00 + 0xbff00000 + 0x540000000, hasAcpiStorage: false },
    })
  })

  test('ACPI’s ranges count as memory, and UEFI is seen by its folder', () => {
    const ranges = map([
      ['0x0', '0xfffff', 'System RAM'],
      ['0x100000', '0x1fffff', 'ACPI Tables'],
      ['0x200000', '0x2fffff', 'ACPI Non-volatile Storage'],
    ])
    expect(fact(bootMemory.parse({ folders: folders(3, '/sys/firmware/efi:\nefivars\nruntime\n\n'), ranges }))).toEqual(
      { isUefi: true, map: { ranges: 3, memoryBytes: 0x300000, hasAcpiStorage: true } },
    )
  })

  test('ARM has no map; a container sees no firmware; half a map is none', () => {
    const arm = answer(
      '/sys/firmware:\nacpi\ndevicetree\nefi\n\n/sys/firmware/efi:\nruntime\n',
      2,
      gone('/sys/firmware/memmap'),
    )
    const noMatch = answer('', 2, 'grep: /sys/firmware/memmap/*/start: No such file or directory\n')
    expect(fact(bootMemory.parse({ folders: arm, ranges: noMatch }))).toEqual({ isUefi: true, map: null })
    const container = answer('/sys/firmware:\n', 2, gone('/sys/firmware/efi', '/sys/firmware/memmap'))
    expect(bootMemory.parse({ folders: container, ranges: noMatch }).ok).toBe(false)
    expect(bootMemory.parse({ folders: folders(6), ranges: FIRECRACKER }).ok).toBe(false)
    const refused = answer('', 2, 'grep: /sys/firmware/memmap/0/start: Permission denied\n')
    expect(bootMemory.parse({ folders: folders(5), ranges: refused }).ok).toBe(false)
  })
})

describe('kernel.messages', () => {
  // Linux 6.18 in a Firecracker guest.
  const GUEST = `Linux version 6.18.44 (builder@host) (gcc (GCC) 15.3.0, GNU ld (GNU Binutils) 2.46) #1 SMP PREEMPT_DYNAMIC @0
[Firmware Bug]: TSC doesn't count with P0 frequency!
BIOS-e820: [mem 0x0000000000000000-0x000000000009fbff] usable
BIOS-e820: [mem 0x0000000000100000-0x00000000bfffffff] usable
Hypervisor detected: KVM
kvm-clock: Using msrs 4b564d01 and 4b564d00
kvm-clock: using sched offset of 410444060 cycles
tsc: Detected 2596.132 MHz processor
ACPI: RSDP 0x00000000000E0000 000024 (v02 FIRECK)
kvm-guest: KVM setup pv remote TLB flush
Booting paravirtualized kernel on KVM
Performance Events: PMU not available due to virtualization, using software events only.
`
  // A server’s messages, in the form of Linux 6.1.
  const SERVER = `Linux version 6.1.0-41-amd64 (debian-kernel@lists.debian.org) (gcc-12) #1 SMP
BIOS-e820: [mem 0x0000000000000000-0x000000000009ffff] usable
efi: EFI v2.80 by American Megatrends
DMI: Supermicro SYS-621C-TN12R/X13DDW-A, BIOS 1.4b 11/22/2023
ACPI: RSDP 0x000000007DFFE014 000024 (v02 SUPERM)
Booting paravirtualized kernel on bare hardware
`
  const read = (text: string, exitCode = 0) => kernelMessages.parse({ messages: answer(text, exitCode) })

  test('a guest', () =>
    expect(fact(read(GUEST))).toMatchObject({
      fromStart: true,
      hypervisor: 'KVM',
      bootedOn: 'KVM',
      guestDrivers: ['kvm-clock: Using msrs 4b564d01 and 4b564d00', 'kvm-guest: KVM setup pv remote TLB flush'],
      efiVendor: null,
      acpiOem: 'FIRECK',
      performance: 'PMU not available due to virtualization, using software events only.',
      memoryRanges: 2,
    }))

  test('a server', () =>
    expect(fact(read(SERVER))).toMatchObject({
      fromStart: true,
      hypervisor: null,
      bootedOn: 'bare hardware',
      guestDrivers: [],
      efiVendor: 'American Megatrends',
      identity: 'Supermicro SYS-621C-TN12R/X13DDW-A, BIOS 1.4b 11/22/2023',
      acpiOem: 'SUPERM',
      performance: null,
    }))

  test('a journal that lost the first messages, an empty one, and one that cannot search', () => {
    expect(fact(read('tsc: Marking TSC unstable due to clocksource watchdog\n'))).toMatchObject({ fromStart: false })
    expect(read('', 1).ok).toBe(false)
  })

  test('the deny-list lets exactly these beginnings be asked for', () => {
    const { argv } = kernelMessages.commands.messages as { argv: readonly string[] }
    expect(deniedCommand(argv)).toBeNull()
    const asking = (pattern: string): string | null =>
      deniedCommand([...argv.slice(0, -1), pattern.replaceAll(' ', '\\x20')])
    expect(asking('^(DMI: )')).toBeNull()
    for (const pattern of [
      '^(DMI: |Kernel command line)',
      '.',
      '^(DMI: )|.',
      '^(DMI: .*)',
      '(DMI: )',
      '^()',
      '^(DMI: |)',
    ])
      expect([pattern, asking(pattern)]).not.toEqual([pattern, null])
    expect(deniedCommand(['journalctl', '-k', '-b', '--no-pager'])).not.toBeNull()
    expect(deniedCommand(['dmidecode', '-t', '0,11,17'])).not.toBeNull()
    expect(deniedCommand(['dmidecode', '-t', '11'])).not.toBeNull()
    expect(deniedCommand(['dmidecode', '-t', '0,1,110,211'])).toBeNull()
  })
})

describe('dmi.entries and memory.spd', () => {
  const TABLES = '/sys/firmware/dmi/tables'
  const ENTRIES = '/sys/firmware/dmi/entries'
  const listed = (rows: readonly string[]): string =>
    `${ENTRIES}:\ntotal 0\n${rows.map((name) => `drwxr-xr-x 2 root root 0 Nov 21 06:59 ${name}\n`).join('')}\n${TABLES}:\ntotal 0\n-r-------- 1 root root 5463 Nov 21 06:59 DMI\n-r-------- 1 root root 31 Nov 21 06:59 smbios_entry_point\n`

  test('structures by type, and the table’s size', () =>
    expect(fact(dmiEntries.parse({ lists: answer(listed(['0-0', '17-0', '17-1', '221-0'])) }))).toEqual({
      counts: new Map([
        [0, 1],
        [17, 2],
        [221, 1],
      ]),
      tableBytes: 5463,
    }))

  test('without the module there is the size alone; without a table neither; a refusal is no absence', () => {
    const size = `${TABLES}:\ntotal 0\n-r-------- 1 root root 5463 Nov 21 06:59 DMI\n`
    expect(fact(dmiEntries.parse({ lists: answer(size, 2, gone(ENTRIES)) }))).toEqual({
      counts: null,
      tableBytes: 5463,
    })
    expect(fact(dmiEntries.parse({ lists: answer('', 2, gone(TABLES, ENTRIES)) }))).toEqual({
      counts: null,
      tableBytes: null,
    })
    const refused = `ls: cannot open directory '${ENTRIES}': Permission denied\n`
    expect(dmiEntries.parse({ lists: answer(size, 2, refused) }).ok).toBe(false)
  })

  test('chips that a driver holds; other names in its folder are none', () => {
    const ee1004 = '/sys/bus/i2c/drivers/ee1004'
    const spd5118 = '/sys/bus/i2c/drivers/spd5118'
    const bound = `${ee1004}:\n0-0050\n0-0052\nbind\nmodule\nuevent\nunbind\n`
    expect(fact(memorySpd.parse({ lists: answer(bound, 2, gone(spd5118)) }))).toEqual({ chips: ['0-0050', '0-0052'] })
    expect(fact(memorySpd.parse({ lists: answer('', 2, gone(ee1004, spd5118)) }))).toEqual({ chips: null })
    expect(
      memorySpd.parse({ lists: answer('', 2, `ls: cannot open directory '${ee1004}': Permission denied\n`) }).ok,
    ).toBe(false)
  })
})

describe('acpi.headers', () => {
  const table = (name: string, oem: string, creator: string, length = 276): string =>
    `==> /sys/firmware/acpi/tables/${name} <==\n${name}${'\0'.repeat(6)}${oem.padEnd(14)}${'\0'.repeat(4)}${creator.padEnd(4)}${'\0'.repeat(length - 32)}`

  test('a long fixed table has the hypervisor’s field, a short one has not', () => {
    const heads = (length: number): Answer =>
      answer(`${table('FACP', 'SUPERMSMCI--MB', 'INTL', length)}\n${table('DSDT', 'SUPERMSMCI--MB', 'INTL')}`)
    const read = (length: number) => fact(acpiHeaders.parse({ heads: heads(length), marks: answer('', 1) }))
    expect(read(276)).toMatchObject({ hasHypervisorField: true, hypervisorId: null })
    expect(read(244)).toMatchObject({ hasHypervisorField: false, hypervisorId: null })
    expect(read(276).tables[0]).toEqual({
      name: 'FACP',
      oemId: 'SUPERM',
      oemTableId: 'SMCI--MB',
      creatorId: 'INTL',
    })
  })
})
