import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { accountsLocal } from '../../../main/catalog/access/accounts/probes.ts'
import { glob } from '../../../main/core/recording/probe.ts'
import { nodeOfCase } from './adapter.ts'
import { readCpuid } from './cpuid-dumps.ts'
import { joinedCases, readCorpus, readTable } from './labels.ts'
import { answer } from './shell.ts'
import type { VirtualNode } from './virtual-node.ts'

const made: string[] = []
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A folder with these files, for the length of a test. */
function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const root = mkdtempSync(join(tmpdir(), 'barewitness-corpus-'))
  made.push(root)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return root
}

const nodeOf = (files: Readonly<Record<string, string | Buffer>>): VirtualNode => nodeOfCase(folderOf(files))
type Words = readonly [string, ...(string | { readonly glob: string })[]]
const ask = (node: VirtualNode, argv: Words): string | null => {
  const said = answer(node, { argv: argv as Parameters<typeof answer>[1]['argv'] })
  return said === null ? null : Buffer.from(said.stdout).toString('latin1')
}

const exit = (node: VirtualNode, argv: Words): number | null =>
  answer(node, { argv: argv as Parameters<typeof answer>[1]['argv'] })?.exitCode ?? null

describe('the table of labels', () => {
  test('is read by its heading, in any order of columns', () => {
    expect(readTable('scope\tnotes\ttruth\tcase\nfull\tx\tvm\ta\n')).toEqual([
      { name: 'a', truth: 'vm', scope: 'full', platform: '', source: '' },
    ])
  })
  test('captures of one machine, by its hardware id, are one joined case with the files of all', () => {
    const row = (name: string, source: string, truth = 'bare-metal') => ({
      ...{ name, source, truth, scope: 'dmi-only', platform: '', folders: [`/${name}`] },
    })
    const joined = joinedCases([
      row('a', 'linuxhw/DMI Server/X/AABBCCDDEEFF'),
      row('b', 'linuxhw/Dmesg Server/X/AABBCCDDEEFF'),
      row('c', 'linuxhw/DMI Server/X/0123456789AB'),
      row('d', 'linuxhw/DMI Server/Y/00112233445F'),
      row('e', 'linuxhw/Dmesg Server/Y/00112233445F', 'vm'),
      row('f', 'a project'),
    ])
    expect(joined.map(({ name, folders }) => [name, folders])).toEqual([['joined-AABBCCDDEEFF', ['/a', '/b']]])
  })
  test('what one capture of a machine lacks, another has', () => {
    const [one, two] = [{ 'cpuinfo.txt': 'processor\t: 0\n' }, { 'nproc.txt': '1\n' }].map(folderOf) as [string, string]
    const node = nodeOfCase(two, one)
    expect(ask(node, ['cat', '/proc/cpuinfo'])).toContain('processor')
  })
  test('needs a name and a truth', () => {
    expect(() => readTable('case\tscope\na\tfull\n')).toThrow('names no case or no truth')
  })
  test('finds folders at any depth, and names those that are missing', () => {
    const dir = folderOf({ 'labels.tsv': 'case\ttruth\na\tvm\nb\tvm\n', 'x/y/z/a/cpuinfo.txt': '' })
    const { cases, missing } = readCorpus(dir)
    expect(cases.map(({ name, folders }) => [name, folders])).toEqual([['a', [join(dir, 'x/y/z/a')]]])
    expect(missing).toEqual(['b'])
  })
})

describe('a captured tree', () => {
  const files = {
    'root/sys/class/dmi/id/sys_vendor': 'Dell Inc.\n',
    'proc/cpuinfo.gz': gzipSync('processor\t: 0\n'),
    'deep/er/sys/devices/system/node/node0/cpulist': '0-3\n',
    'deep/er/sys/devices/system/node/node1/cpulist': '4-7\n',
  }
  test('is placed by its paths, from any folder, compressed or not', () => {
    const node = nodeOf(files)
    expect(ask(node, ['cat', '/proc/cpuinfo'])).toBe('processor\t: 0\n')
    expect(ask(node, ['ls', '-1', '/sys/devices/system/node'])).toBe('node0\nnode1\n')
    expect(ask(node, ['grep', '-H', '', glob('/sys/devices/system/node/node*/cpulist')])).toBe(
      '/sys/devices/system/node/node0/cpulist:0-3\n/sys/devices/system/node/node1/cpulist:4-7\n',
    )
  })
  test('one of several files suffices; the others are not there', () => {
    const node = nodeOf(files)
    const argv = ['grep', '-H', '', '/sys/class/dmi/id/sys_vendor', '/sys/class/dmi/id/board_name'] as const
    expect(ask(node, argv)).toBe('/sys/class/dmi/id/sys_vendor:Dell Inc.\n')
    expect(exit(node, argv)).toBe(2)
  })
  test('what was not captured is not answered', () => {
    const node = nodeOf(files)
    expect(ask(node, ['ls', '-1', '/sys/bus/event_source/devices'])).toBeNull()
    expect(ask(node, ['ls', '-1', '/sys/devices/system/node', '/sys/class/powercap'])).toBeNull()
    expect(ask(node, ['grep', '-sH', '', glob('/sys/class/hwmon/*/name')])).toBeNull()
    expect(ask(node, ['dmidecode'])).toBeNull()
  })
})

describe('texts', () => {
  test('a substitution is made as sed makes it', () => {
    const node = nodeOf({ 'root/etc/passwd': 'root:x:0:0:Somebody:/root:/bin/sh\nold:abcdefghijklm:7:7::/:\n' })
    const { passwd } = accountsLocal.commands
    if (passwd.kind !== 'run') throw new Error('it is asked of the node')
    expect(ask(node, passwd.argv)).toBe('root:x:0:0::/root:/bin/sh\nold:ab:7:7::/:\n')
  })
  test('a complaint that something is not there is an answer', () => {
    const node = nodeOf({ 'notes.txt': 'ls: /sys/bus/vmbus: No such file or directory\n' })
    expect(exit(node, ['ls', '-1', '/sys/bus/vmbus/devices'])).toBe(2)
  })
  test('dmidecode is known by its content and filtered by type; an excerpt is not the table', () => {
    const type = (number: number): string =>
      `Handle 0x00${number}, DMI type ${number}, 24 bytes\nX\n\tVendor: SeaBIOS\n\n`
    const whole = `# dmidecode 3.3\nSMBIOS 2.8 present.\n2 structures occupying 48 bytes.\n\n${type(0)}${type(17)}`
    const node = nodeOf({ 'whatever.log': whole })
    expect(ask(node, ['dmidecode', '-t', '17'])).not.toContain('DMI type 0,')
    expect(ask(node, ['cat', '/sys/class/dmi/id/bios_vendor'])).toBe('SeaBIOS\n')
    const excerpt = nodeOf({ 'whatever.log': whole.replace('2 structures', '20 structures') })
    expect(ask(excerpt, ['dmidecode', '-t', '17'])).toBeNull()
    expect(ask(excerpt, ['cat', '/sys/class/dmi/id/bios_vendor'])).toBe('SeaBIOS\n')
  })
  test.each([
    ['-nn', '00:00.0 Host bridge [0600]: Intel Corporation 440FX [8086:1237] (rev 02)\n'],
    ['-Dnn', '0000:00:00.0 Host bridge [0600]: Intel Corporation 440FX [8086:1237] (rev 02)\n'],
    ['-n', '00:00.0 0600: 8086:1237 (rev 02)\n'],
    ['-nnvvv', '00:00.0 Host bridge [0600]: Intel Corporation 440FX [8086:1237]\n\tControl: I/O+\n\tStatus: Cap-\n'],
  ])('lspci %s', (_, text) => {
    const node = nodeOf({ 'bus.txt': text })
    expect(ask(node, ['grep', '-H', '-E', '^PCI_ID=', glob('/sys/bus/pci/devices/*/uevent')])).toBe(
      '/sys/bus/pci/devices/0000:00:00.0/uevent:PCI_ID=8086:1237\n',
    )
    expect(ask(node, ['ls', '-l', '/sys/bus/pci/devices'])).toContain('-> ../../../devices/pci0000:00/0000:00:00.0')
  })
  test('lspci with details places functions below their bridges and answers for ports', () => {
    const node = nodeOf({
      'lspci.txt':
        '00:01.0 PCI bridge [0604]: Intel Corporation Port [8086:3420]\n\tControl: I/O+\n\tBus: primary=00, secondary=02, subordinate=02\n\tKernel driver in use: pcieport\n\n02:00.0 3D controller [0302]: NVIDIA GPU [10de:2330]\n\tControl: I/O+\n\tCapabilities: [60] Express\n\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM L1\n',
    })
    expect(ask(node, ['ls', '-l', '/sys/bus/pci/devices'])).toContain('pci0000:00/0000:00:01.0/0000:02:00.0')
    expect(ask(node, ['grep', '-sH', '', glob('/sys/bus/pci/devices/*/max_link_width')])).toBe(
      '/sys/bus/pci/devices/0000:02:00.0/max_link_width:16\n',
    )
    expect(ask(node, ['lspci', '-Dnvvv', '-d', '::0604'])).toMatch(/^0000:00:01\.0 0604: 8086:3420\n\tControl/)
  })
  test('the kernel’s messages answer the journal', () => {
    const node = nodeOf({
      'boot.txt': '[    0.000000] Linux version 6.1.0 (x)\n[    0.1] no\n[    0.200000] DMI: QEMU\n',
    })
    expect(ask(node, ['journalctl', '-k', '-b', '-g', '^(DMI: |Linux version )'])).toBe(
      'Linux version 6.1.0 (x)\nDMI: QEMU\n',
    )
    expect(ask(node, ['uname', '-r'])).toBe('6.1.0\n')
  })
  test('a processor with a hypervisor’s signature answers its device', () => {
    const node = nodeOf({
      cpuinfo: 'processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu\n',
      'cpuid_signature.txt': 'KVMKVMKVM',
    })
    const argv = ['dd', 'if=/dev/cpu/0/cpuid', 'bs=32', 'count=1', 'iflag=skip_bytes', 'skip=1073741824'] as const
    expect(ask(node, argv)?.slice(4, 13)).toBe('KVMKVMKVM')
    expect(ask(nodeOf({ 'cpuid_signature.txt': '@\x01' }), argv)).toBeNull()
  })
  test('lscpu in JSON replaces the list of processors', () => {
    const rows = Object.entries({
      Architecture: 'x86_64',
      'CPU(s)': '2',
      'Vendor ID': 'AuthenticAMD',
      Flags: 'fpu hypervisor',
    })
    const node = nodeOf({
      'lscpu.json': JSON.stringify({ lscpu: rows.map(([field, data]) => ({ field: `${field}:`, data })) }),
    })
    expect(ask(node, ['cat', '/proc/cpuinfo'])?.match(/flags\t\t: fpu hypervisor/g)).toHaveLength(2)
  })
})

describe('dumps of the processor’s identification', () => {
  const expected = [0x000106a5, 0x01100800, 0x009ce3bd, 0xbfebfbff]
  test.each([
    ['cpuid -r', 'CPU 0:\n   0x00000001 0x00: eax=0x000106a5 ebx=0x01100800 ecx=0x009ce3bd edx=0xbfebfbff\n'],
    ['by rows of registers', 'CPUID 00000001: 000106A5-01100800-009CE3BD-BFEBFBFF [x]\n'],
    [
      'XML',
      "<cpuid eax_in='0x00000001' ecx_in='0x00' eax='0x000106a5' ebx='0x01100800' ecx='0x009ce3bd' edx='0xbfebfbff'/>\n",
    ],
    ['by masks', '# mask e[abcd]x => e[abcd]x\n1 1 0 0 0 => 106a5 1100800 9ce3bd bfebfbff\n'],
    ['by arrays', 'basic_cpuid[1]=000106a5 01100800 009ce3bd bfebfbff\n'],
  ])('%s', (_, text) => {
    expect(readCpuid(text)?.leaves.get('1.0')).toEqual(expected)
  })
  test('other text is none', () => {
    expect(readCpuid('hello\n')).toBeNull()
  })
})
