import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { type PciDevice, pciDevices, type UsbDevice, usbDevices } from '../../main/catalog/hardware/pci/probes.ts'
import { cpuFeatures, parseCpuInfo } from '../../main/catalog/hardware/processors/features.ts'
import { pciSignals } from '../../main/catalog/single-tenancy/isolation/signals/pci.ts'
import { known, type Parsed } from '../../main/core/recording/probe.ts'
import { readFrom } from '../../main/core/recording/readings.ts'
import { pciFunction } from '../support/pci-facts.ts'
import { weights } from '../support/signal-facts.ts'

/** Labelled captures of real machines that live outside this repository. Without them these tests are skipped. */
const CORPUS = process.env.BAREWITNESS_CORPUS ?? fileURLToPath(new URL('../../../shared/corpus', import.meta.url))
const LABELS = `${CORPUS}/labels.tsv`

const text = (path: string): string => (existsSync(path) ? readFileSync(path, 'latin1') : '')

function fromUdev(database: string): readonly PciDevice[] {
  return database.split('\n\n').flatMap((block) => {
    const field = (name: string): string => new RegExp(`^E: ${name}=(.*)$`, 'm').exec(block)?.[1] ?? ''
    if (field('SUBSYSTEM') !== 'pci' || field('PCI_ID') === '') return []
    const path = field('DEVPATH').split('/')
    const kind = field('PCI_CLASS').padStart(6, '0').toLowerCase()
    const [subsystemVendor = '', subsystemDevice = ''] = field('PCI_SUBSYS_ID').toLowerCase().split(':')
    return [
      pciFunction(`${field('PCI_SLOT_NAME')} ${field('PCI_ID').toLowerCase()} ${kind}`, {
        subsystemVendor,
        subsystemDevice,
        above: path.slice(0, -1).filter((part) => /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/.test(part)),
        root: path.find((part) => /^pci[0-9a-f]{4,8}:/.test(part))?.slice(3) ?? null,
      }),
    ]
  })
}

const usbFrom = (database: string): readonly UsbDevice[] =>
  database.split('\n\n').flatMap((block) => {
    const [, vendor, product] = /^E: PRODUCT=([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/[0-9a-f]+$/m.exec(block) ?? []
    if (vendor === undefined || product === undefined || !block.includes('E: DEVTYPE=usb_device')) return []
    return [{ vendor: vendor.padStart(4, '0'), product: product.padStart(4, '0'), maker: '', name: '' }]
  })

const fromLspci = (list: string, details: string): readonly PciDevice[] =>
  list.split('\n').flatMap((line) => {
    const [, slot, kind, id] = /^([0-9a-f:.]+) .*?\[([0-9a-f]{4})\]: .*\[([0-9a-f]{4}:[0-9a-f]{4})\]/.exec(line) ?? []
    if (slot === undefined) return []
    const block = details.split('\n\n').find((part) => part.includes(`${slot} `)) ?? ''
    const [, subsystemVendor = '', subsystemDevice = ''] =
      /Subsystem: .*\[([0-9a-f]{4}):([0-9a-f]{4})\]/.exec(block) ?? []
    return [pciFunction(`0000:${slot} ${id} ${kind}`, { subsystemVendor, subsystemDevice })]
  })

function fromTree(folder: string): readonly PciDevice[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((path) => {
    const [, above = '', address] = /^(.*\/)?([0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])$/.exec(path) ?? []
    const read = (file: string): string => text(`${folder}/${path}/${file}`).trim().replace(/^0x/, '')
    if (address === undefined || read('vendor') === '') return []
    const parts = above.split('/')
    return [
      pciFunction(`${address} ${read('vendor')}:${read('device')} ${read('class').padStart(6, '0')}`, {
        subsystemVendor: read('subsystem_vendor'),
        subsystemDevice: read('subsystem_device'),
        above: parts.filter((part) => part.includes('.')),
        root: parts.find((part) => part.startsWith('pci'))?.slice(3) ?? null,
      }),
    ]
  })
}

interface Case {
  readonly name: string
  readonly truth: string
  readonly found: readonly (readonly [id: string, reads: string, weights: readonly string[]])[]
}

function judge(name: string, truth: string): readonly Case[] {
  const folder = ['other', 'gpl'].map((split) => `${CORPUS}/${split}/${name}`).find((path) => existsSync(path))
  if (folder === undefined) return []
  const database = text(`${folder}/udevadm-export-db.txt`)
  const devices = [
    ...fromUdev(database),
    ...fromLspci(text(`${folder}/lspci.txt`), text(`${folder}/lspci-vvv.txt`)),
    ...fromTree(`${folder}/root/sys/devices`),
  ]
  if (devices.length === 0) return []
  const cpu = text(`${folder}/cpuinfo.txt`) || text(`${folder}/root/proc/cpuinfo`)
  const readings = new Map<string, Parsed<unknown>>([
    [pciDevices.id, known({ devices })],
    ...(cpu === '' ? [] : [[cpuFeatures.id, parseCpuInfo(cpu)] as const]),
    ...(database === '' ? [] : [[usbDevices.id, known({ devices: usbFrom(database) })] as const]),
  ])
  const found = pciSignals.map((signal) => {
    const one = signal.observe(readFrom(readings))
    return [signal.id, one.indicates, 'signs' in one ? weights(one) : []] as const
  })
  return [{ name, truth, found }]
}

describe.skipIf(!existsSync(LABELS))('PCI trees of labelled machines (skipped where the captures are absent)', () => {
  const cases = text(LABELS)
    .split('\n')
    .slice(1)
    .flatMap((row) => judge(row.split('\t')[0] ?? '', row.split('\t')[3] ?? ''))

  test('no physical machine shows more than a hint', () => {
    const physical = cases.filter(({ truth }) => truth === 'bare-metal')
    const wrong = physical.flatMap(({ name, found }) =>
      found.flatMap(([id, , own]) => own.filter((one) => !one.startsWith('hint')).map((one) => `${name} ${id} ${one}`)),
    )
    expect(wrong).toEqual([])
    expect(physical.length).toBeGreaterThan(20)
  })

  test('every guest is given away by its bus or its chipset', () => {
    const guests = cases.filter(({ truth }) => truth === 'vm')
    const quiet = guests.filter(({ found }) => !found.some(([, , own]) => own.some((one) => !one.startsWith('hint'))))
    expect(quiet.map(({ name }) => name)).toEqual([])
    const counts = pciSignals.map(({ id }) => {
      const of = (truth: string, reads: string): number =>
        cases.filter((one) => one.truth === truth && one.found.some(([own, as]) => own === id && as === reads)).length
      return {
        id,
        'vm virtual': of('vm', 'virtual'),
        'bm virtual': of('bare-metal', 'virtual'),
        'bm bare-metal': of('bare-metal', 'bare-metal'),
      }
    })
    console.table(counts)
  })
})
