import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DmiTable, dmiTable, parseDmiTable } from '../../main/catalog/hardware/machine/dmi.ts'
import { dmidecode } from '../support/dmidecode.ts'
import { expectLinear } from '../support/growth.ts'

const read = (text: string): DmiTable => {
  const reading = parseDmiTable(text)
  if (!reading.ok) throw new Error(reading.reason)
  return reading.fact
}

describe('dmi.table', () => {
  test('what a two-socket Haswell server describes, in the forms of dmidecode 3.x', () => {
    const table = read(
      dmidecode(
        [0, 'Vendor: HP', 'Characteristics:', '\tPCI is supported', '\tUEFI is supported'],
        [
          4,
          'Socket Designation: Proc 1',
          'Type: Central Processor',
          'Manufacturer: Intel(R) Corporation',
          'ID: F2 06 03 00 FF FB EB BF',
          'Version: Intel(R) Xeon(R) CPU E5-2650 v3 @ 2.30GHz',
          'Status: Populated, Enabled',
          'Core Count: 10',
          'Core Enabled: 10',
          'Thread Count: 20',
        ],
        [4, 'Socket Designation: Proc 2', 'Type: Central Processor', 'Status: Unpopulated'],
        [7, 'Configuration: Enabled, Not Socketed, Level 1', 'Installed Size: 640 kB'],
        [7, 'Configuration: Disabled, Not Socketed, Level 2', 'Installed Size: 2560 kB'],
        [7, 'Configuration: Enabled, Not Socketed, Level 3', 'Installed Size: 0 kB'],
        [
          9,
          'Designation: PCI-E Slot 1',
          'Type: x8 PCI Express 3',
          'Current Usage: Available',
          'Bus Address: 0000:05:00.0',
        ],
        [
          9,
          'Designation: PCI-E Slot 2',
          'Type: x16 PCI Express 3',
          'Current Usage: In Use',
          'Bus Address: 0000:81:00.0',
        ],
        [9, 'Designation: ISA Slot J8', 'Type: 16-bit ISA', 'Current Usage: Unknown', 'Bus Address: 00ff:ff:1f.7'],
        [
          17,
          'Size: 16 GB',
          'Type: DDR4',
          'Speed: 2133 MT/s',
          'Manufacturer: HP     ',
          'Serial Number: Not Specified',
          'Part Number: 752369-081',
          'Rank: 2',
        ],
        [17, 'Size: No Module Installed', 'Type: Unknown'],
        [17, 'Size: 1 MB', 'Type: Flash', 'Rank: Unknown'],
        [
          17,
          'Size: 512 GB',
          'Type: Logical non-volatile device',
          'Memory Technology: Intel Optane DC persistent memory',
        ],
      ),
    )
    expect(table).toMatchObject({
      present: true,
      virtualMachineBit: false,
      caches: 1,
      processors: [
        { designation: 'Proc 1', cores: 10, coresEnabled: 10, threads: 20, signature: { family: 6, model: 63 } },
      ],
      slots: [
        { inUse: false, address: '0000:05:00.0' },
        { inUse: true, address: '0000:81:00.0' },
        { inUse: false, address: null },
      ],
      modules: [
        {
          mebibytes: 16384,
          maker: 'HP',
          serial: null,
          partNumber: '752369-081',
          rank: 2,
          speed: 2133,
          isMainMemory: true,
        },
        { mebibytes: 1, isMainMemory: false, isNonVolatile: false },
        { mebibytes: 524288, isNonVolatile: true },
      ],
    })
    expect(table.counts.get(17)).toBe(4)
  })

  test('the virtual-machine bit is an item, not a field’s text', () => {
    expect(read(dmidecode([0, 'Characteristics:', '\tSystem is a virtual machine'])).virtualMachineBit).toBe(true)
    expect(read(dmidecode([0, 'Vendor: System is a virtual machine'])).virtualMachineBit).toBe(false)
    expect(read(dmidecode([1, 'Characteristics:', '\tSystem is a virtual machine'])).virtualMachineBit).toBe(false)
  })

  test('processor ids: AMD’s extended family, and ids that hold none', () => {
    const id = (bytes: string) => read(dmidecode([4, `ID: ${bytes}`])).processors[0]?.signature
    expect(id('10 0F 83 00 FF FB 8B 17')).toEqual({ family: 23, model: 49 })
    expect(id('F1 06 04 00 FF FB EB BF')).toEqual({ family: 6, model: 79 })
    for (const none of ['00 00 00 00 00 00 00 00', '41 D0 0C 41 00 00 00 00', '', 'zz']) expect(id(none)).toBeNull()
  })

  test('no table at all, no rights, and an answer without structures', () => {
    const parse = (text: string, exitCode: number) =>
      dmiTable.parse({
        table: {
          exitCode,
          text,
          errorText: '',
          bytes: new Uint8Array(),
          seconds: { node: null, collectingComputer: null },
        },
      })
    expect(parse('# dmidecode 3.4\n# No SMBIOS nor DMI entry point found, sorry.\n', 1)).toMatchObject({
      ok: true,
      fact: { present: false },
    })
    expect(parse('/dev/mem: Permission denied\n', 1).ok).toBe(false)
    expect(parse('# dmidecode 3.4\n', 0).ok).toBe(false)
  })

  test('any text, and long texts in time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        parseDmiTable(`Handle 0x0000, DMI type 17, 40 bytes\n${text}`)
        parseDmiTable(text)
      }),
    )
    expectLinear((size) => read(`Handle 0x0000, DMI type 17, 40 bytes\n${'\n \t'.repeat(size)}`), 100_000)
    expectLinear((size) => read('Handle 0x0000, DMI type 4, 40 bytes\n'.repeat(size)), 5000)
  })
})
