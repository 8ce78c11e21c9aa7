import { describe, expect, test } from 'vitest'
import { parseDmTable, parseSwaps, parseSysfsBlock } from '../main/catalog/data-protection/block-devices/index.ts'
import { mountRoots, readStorage, type Storage } from '../main/catalog/data-protection/disk-encryption/roots.ts'
import { parseMountinfo } from '../main/catalog/data-protection/mounts/probes.ts'
import { blockStack } from '../main/catalog/figures/block-stack.ts'
import { isolationFamilies } from '../main/catalog/figures/isolation-families.ts'
import { FIGURE_HEIGHT } from '../main/catalog/figures/marks.ts'
import { topology } from '../main/catalog/figures/topology.ts'
import { parseTopology, type TopologyParts } from '../main/catalog/hardware/gpu/topology.ts'
import type { PciDevice } from '../main/catalog/hardware/pci/probes.ts'
import { unknown } from '../main/core/recording/probe.ts'
import type { Figure } from '../schemas/figure.ts'
import type { Isolation } from '../schemas/types.ts'
import { pci, TOPOLOGY_OLD } from './catalog/gpu-forms.ts'
import { fact } from './support/answers.ts'
import { boxes, pictured, texts } from './support/figures.ts'

const NAMES = ['demo-gpu-01', 'demo-metal-04', 'demo-guest-03', 'fx-zfs-remote', 'fx-access-silent'] as const
const nodes = new Map(NAMES.map((name) => [name, pictured(name).figures]))
const figure = (name: (typeof NAMES)[number], kind: Figure['kind']): Figure => {
  const found = nodes.get(name)?.find((one) => one.kind === kind)
  if (found === undefined) throw new Error(`${name} has no ${kind}`)
  return found
}

const labelsOf = (picture: Figure): readonly string[] => texts(picture).map(({ text }) => text)
const against = (picture: Figure): readonly Figure['marks'][number][] =>
  picture.marks.filter((mark) => mark.is === 'line' && mark.tone === 'against')

describe('which pictures a node has', () => {
  test.each([
    ['demo-gpu-01', ['isolation-families', 'block-stack', 'topology', 'location-map']],
    ['demo-guest-03', ['isolation-families', 'block-stack', 'location-map']],
    ['fx-zfs-remote', ['block-stack']],
    ['fx-access-silent', []],
  ] as const)('%s: those for which there is evidence, in this order', (name, kinds) => {
    expect(nodes.get(name)?.map(({ kind }) => kind)).toEqual(kinds)
  })
})

describe('isolation signals by family', () => {
  test('of a server: a square for each reading, and how many of each', () => {
    const { marks, table, legend } = figure('demo-gpu-01', 'isolation-families')
    expect(table.rows.slice(0, 3)).toEqual([
      ['CPU identification', '12', '0', '1', '0', '2', 'None seen'],
      ['CPU features', '7', '0', '1', '0', '1', 'None seen'],
      ['Timing', '1', '0', '0', '7', '0', 'None seen'],
    ])
    const squares = boxes({ marks })
    expect(squares.filter(({ tone, filled }) => tone === 'for' && filled)).toHaveLength(75)
    expect(squares.filter(({ tone }) => tone === 'unclear')).toHaveLength(7)
    expect(squares.filter(({ tone }) => tone === 'against')).toHaveLength(0)
    expect(legend.map(({ text }) => text)).toEqual(['Reads as on hardware', 'Neutral', 'Not read'])
  })

  test('of a guest dressed as hardware: each anomaly is underlined and counted by class', () => {
    const picture = figure('demo-metal-04', 'isolation-families')
    expect(picture.table.rows.map(([family, metal, guest, , , , found]) => [family, metal, guest, found])).toEqual([
      ['CPU identification', '3', '9', '2 impossible, 5 unexplained'],
      ['CPU features', '0', '7', '0 impossible, 3 unexplained'],
      ['Timing', '1', '0', 'None seen'],
      ['Firmware tables', '6', '8', '5 impossible, 5 unexplained'],
      ['Chipset and PCI', '4', '6', '4 impossible, 2 unexplained'],
      ['Drives', '2', '1', '0 impossible, 1 unexplained'],
      ['Network and fabric', '1', '3', '0 impossible, 2 unexplained'],
      ['GPUs', '1', '3', '0 impossible, 2 unexplained'],
      ['BMC and TPM', '1', '1', 'None seen'],
      ['SSH session', '6', '0', 'None seen'],
    ])
    expect(labelsOf(picture)).toContain('5 + 5')
    expect(boxes(picture).filter(({ tone, filled }) => tone === 'against' && filled)).toHaveLength(38)
    expect(against(picture).length).toBeGreaterThan(20)
  })
})

describe('isolation signals that could not be drawn', () => {
  const anomaly = {
    class: 'impossible' as const,
    signal: 'of another catalog',
    family: 'timing' as const,
    text: 'two clocks that cannot both be right',
    probe: null,
    captures: [],
  }
  const unread = {
    id: 'cpu-hypervisor-flag',
    indicates: 'unreadable' as const,
    value: 'no answer',
    weight: null,
    probes: [],
  }

  test('an anomaly is shown where no signal of its family was read', () => {
    const isolation = { signals: [unread], anomalies: [anomaly] } as unknown as Isolation
    const picture = isolationFamilies(isolation)
    expect(picture?.table.rows.map((row) => [row[0], row.at(-1)])).toContainEqual([
      'Timing',
      '1 impossible, 0 unexplained',
    ])
    expect(texts(picture as Figure).map(({ text }) => text)).toContain('1 + 0')
  })

  test('without one there is no picture of nothing', () => {
    expect(isolationFamilies({ signals: [unread], anomalies: [] } as unknown as Isolation)).toBeNull()
  })
})

describe('where data is stored', () => {
  test('the way in clear from a mount down to its drive is a heavy dashed line with the words beside it', () => {
    const picture = figure('demo-guest-03', 'block-stack')
    expect(picture.marks.filter((mark) => mark.is !== 'text' && mark.tone === 'against')).toEqual([
      {
        is: 'line',
        points: [
          [72, 32],
          [142, 32],
        ],
        tone: 'against',
        weight: 3,
        dashed: true,
      },
      {
        is: 'line',
        points: [
          [72, 63],
          [77, 63],
          [77, 32],
          [142, 32],
        ],
        tone: 'against',
        weight: 3,
        dashed: true,
      },
    ])
    expect(labelsOf(picture)).toEqual([
      'Not encrypted: data reaches a drive in clear (2)',
      'vda',
      'drive',
      '/',
      'ext4',
      'not encrypted',
      '/data/ephi',
      'ePHI path, on /',
      'In memory only: 3 places.',
    ])
    expect(picture.table.rows.slice(0, 2)).toEqual([
      [
        'declared ePHI path “/data/ephi”',
        'Not encrypted',
        'there is no encrypting layer above the drive',
        '/ (ext4) → vda (disk)',
      ],
      ['“/”', 'Not encrypted', 'there is no encrypting layer above the drive', '/ (ext4) → vda (disk)'],
    ])
  })

  test('every way of a node whose swap is a file in clear leads to that file', () => {
    const picture = figure('demo-metal-04', 'block-stack')
    expect(against(picture)).toHaveLength(8)
    expect(labelsOf(picture)).toContain('3 × tmpfs')
    expect(picture.legend.map(({ text }) => text)).toEqual(['Not encrypted'])
  })

  test('what is encrypted is doubled from the encrypting layer on, and only from there', () => {
    const picture = figure('demo-gpu-01', 'block-stack')
    expect(against(picture)).toEqual([])
    expect(labelsOf(picture).filter((text) => text === 'encrypted')).toHaveLength(3)
    // luks-os: two strokes to md1, two on to the partitions, two on to the drives; and two below each of the other volumes.
    expect(picture.marks.filter((mark) => mark.is === 'line' && mark.tone === 'for')).toHaveLength(10)
    expect(labelsOf(picture)).toEqual(expect.arrayContaining(['luks-os', 'RAID 1', '2 × partition', '2 × drive']))
    expect(picture.table.rows).toHaveLength(11)
  })

  test('what was not followed has an end of its own: remote systems are not one', () => {
    const picture = figure('fx-zfs-remote', 'block-stack')
    expect(labelsOf(picture).filter((text) => text === 'not on this node')).toHaveLength(5)
    expect(labelsOf(picture)).toEqual(expect.arrayContaining(['Stored on another system (5)', 'another system']))
  })
})

const disk = (name: string, minor: number): string => `/sys/class/block/${name}/dev:259:${minor}`
const storageOf = (mounts: string, sysfs: readonly string[], table: string): Storage =>
  readStorage(
    fact(parseMountinfo(`99 0 0:1 / / rw - rootfs rootfs rw\n${mounts}`)),
    fact(parseSysfsBlock(sysfs.join('\n'))),
    fact(parseSwaps('Filename Type Size Used Priority\n')),
    {
      lsblk: unknown('not read'),
      dmTable: parseDmTable(table),
      zfs: unknown('not read'),
      zpool: unknown('not read'),
    },
  )
const stackOf = (storage: Storage): Figure => {
  const found = blockStack(storage, mountRoots(storage))
  if (found === null) throw new Error('no picture')
  return found
}

const KEY = '0'.repeat(128)

test('a way that ends in something that is not listed is reported as not followed', () => {
  const storage = storageOf('', ['/sys/class/block/sda/dev:8:0'], '')
  const way = { outcome: 'encrypted', path: ['/data (xfs)', 'somewhere'], why: '', remote: false } as const
  const picture = blockStack(storage, [{ name: '“/data”', walked: way }])
  expect(picture === null ? [] : labelsOf(picture)).toEqual(expect.arrayContaining(['its drives', 'not followed']))
})

describe('sixty drives', () => {
  const array = Array.from({ length: 24 }, (_, index) => index)
  const single = Array.from({ length: 36 }, (_, index) => index + 24)
  const sysfs = [
    ...[...array, ...single].map((index) => disk(`nvme${index}n1`, index)),
    '/sys/class/block/md0/dev:9:0',
    ...array.map((index) => `/sys/block/md0/slaves/nvme${index}n1/dev:259:${index}`),
    '/sys/class/block/dm-0/dev:253:0',
    '/sys/block/dm-0/slaves/md0/dev:9:0',
    '/sys/block/dm-0/dm/name:luks-data',
    '/sys/block/dm-0/dm/uuid:CRYPT-LUKS2-1-luks-data',
  ]
  const mounts = [
    '1 0 253:0 / /data rw - xfs /dev/mapper/luks-data rw',
    ...single.map((index) => `${index} 0 259:${index} / /scratch${index} rw - xfs /dev/nvme${index}n1 rw`),
  ]
  const picture = stackOf(
    storageOf(`${mounts.join('\n')}\n`, sysfs, `luks-data: 0 8 crypt aes-xts-plain64 ${KEY} 0 9:0 0\n`),
  )

  test('stand together where they are alike', () => {
    expect(labelsOf(picture)).toEqual([
      'Not encrypted: data reaches a drive in clear (36)',
      'nvme24n1 … nvme59n1',
      '36 × device',
      '/scratch24 … /scratch59',
      '36 × xfs',
      'not encrypted',
      'Encrypted on the way to the drive (1)',
      'nvme0n1 … nvme23n1',
      '24 × device',
      'md0',
      'RAID',
      'encrypted',
      'luks-data',
      'dm-crypt',
      '/data',
      'xfs',
    ])
    expect(picture.height).toBeLessThan(160)
  })
  test('are all in the table', () => expect(picture.table.rows).toHaveLength(37))
})

test('ways that differ are drawn worst first up to the cap, and the rest is counted in words', () => {
  const sysfs = Array.from({ length: 30 }, (_, index) => disk(`sd${index}`, index))
  const mounts = sysfs.map((_, index) => `${index} 0 259:${index} / /m${index} rw - fs${index} /dev/sd${index} rw`)
  const picture = stackOf(storageOf(`${mounts.join('\n')}\n`, sysfs, ''))
  expect(boxes(picture)).toHaveLength(26)
  expect(labelsOf(picture)).toContain('Not drawn: 17 more ways, 17 of them not encrypted.')
  expect(picture.table.rows).toHaveLength(30)
  expect(picture.height).toBeLessThanOrEqual(FIGURE_HEIGHT)
})

test('an array with one member in clear shows that member, not both as alike', () => {
  const sysfs = [
    disk('sda', 1),
    disk('sdb', 2),
    '/sys/class/block/dm-0/dev:253:0',
    '/sys/block/dm-0/slaves/sda/dev:259:1',
    '/sys/block/dm-0/dm/name:luks-a',
    '/sys/block/dm-0/dm/uuid:CRYPT-LUKS2-1-luks-a',
    '/sys/class/block/md0/dev:9:0',
    '/sys/block/md0/slaves/dm-0/dev:253:0',
    '/sys/block/md0/slaves/sdb/dev:259:2',
  ]
  const picture = stackOf(
    storageOf('1 0 9:0 / /data rw - xfs /dev/md0 rw\n', sysfs, `luks-a: 0 8 crypt aes-xts-plain64 ${KEY} 0 259:1 0\n`),
  )
  expect(labelsOf(picture)).toEqual([
    'Not encrypted: data reaches a drive in clear (1)',
    'sdb',
    'the worst of 2',
    'md0',
    'RAID',
    'not encrypted',
    '/data',
    'xfs',
  ])
})

const topologyOf = (text: string, parts: TopologyParts, devices: readonly PciDevice[] | null): Figure => {
  const found = topology(fact(parseTopology(text)), parts, devices)
  if (found === null) throw new Error('no picture')
  return found
}

/** The driver's matrix for so many GPUs, all joined by NVLink, and adapters: the first of them share a switch with a GPU each. */
function matrix(gpus: number, nics: number): string {
  const names = [...Array(gpus).keys()].map((n) => `GPU${n}`).concat([...Array(nics).keys()].map((n) => `NIC${n}`))
  const half = (name: string): number => Math.floor((Number(name.slice(3)) % gpus) / (gpus / 2))
  const cell = (a: string, b: string): string => {
    if (a === b) return 'X'
    if (a.startsWith('GPU') && b.startsWith('GPU')) return 'NV18'
    return a.slice(3) === b.slice(3) ? 'PIX' : half(a) === half(b) ? 'NODE' : 'SYS'
  }
  const row = (a: string): string =>
    [a, ...names.map((b) => cell(a, b)), ...(a.startsWith('GPU') ? ['0-55', `${half(a)}`] : [])].join('\t')
  const key = [...Array(nics).keys()].map((n) => `  NIC${n}: mlx5_${n}`).join('\n')
  return `\t${names.join('\t')}\tCPU Affinity\tNUMA Affinity\n${names.map(row).join('\n')}\n\nNIC Legend:\n\n${key}\n`
}

describe('how GPUs and adapters are connected', () => {
  test('of a server with eight GPUs: one bar for NVLink, a switch for each pair, two processors', () => {
    const picture = figure('demo-gpu-01', 'topology')
    expect(labelsOf(picture).slice(0, 7)).toEqual([
      '8 × NVIDIA H100 80GB HBM3',
      'NVLink: 18 links between every two GPUs',
      'GPU0',
      '18:00.0',
      'PIX',
      'mlx5_0',
      'NIC0',
    ])
    expect(labelsOf(picture).slice(-3)).toEqual(['Memory node 0: NODE', 'SYS', 'Memory node 1: NODE'])
    expect(picture.caption).toBe(
      'Connections as reported by the GPU driver of this node. The PCI tree agrees on 64 of 64 pairs.',
    )
    expect(picture.table.rows[8]).toEqual(
      'NIC0 mlx5_0,PIX,NODE,NODE,NODE,SYS,SYS,SYS,SYS,·,NODE,NODE,NODE,SYS,SYS,SYS,SYS'.split(','),
    )
    expect(against(picture)).toEqual([])
  })

  test('of a node with one GPU and one adapter: no switch, no NVLink', () => {
    const picture = figure('demo-metal-04', 'topology')
    expect(labelsOf(picture)).toEqual([
      '1 × NVIDIA A100-SXM4-80GB',
      'GPU0',
      '01:00.0',
      'Memory node 0: PHB',
      'mlx5_0',
      'NIC0',
    ])
    expect(picture.table).toEqual({
      head: ['', 'GPU0', 'NIC0'],
      rows: [
        ['GPU0 NVIDIA A100-SXM4-80GB', '·', 'PHB'],
        ['NIC0 mlx5_0', 'PHB', '·'],
      ],
    })
  })

  test('eight GPUs and ten adapters all have a place', () => {
    const picture = topologyOf(matrix(8, 10), { gpus: [], adapters: [] }, null)
    for (const name of ['GPU7', 'mlx5_9', 'NIC9']) expect(labelsOf(picture)).toContain(name)
    expect(labelsOf(picture).filter((text) => text.startsWith('NVLink'))).toEqual([
      'NVLink: 18 links between every two GPUs',
    ])
    expect(picture.caption).toContain('The PCI tree was not read, so nothing was compared with it.')
  })

  test('more GPUs than a page has room for are counted in words', () => {
    const picture = topologyOf(matrix(40, 2), { gpus: [], adapters: [] }, null)
    expect(labelsOf(picture)).toContain('Not drawn: 12 more parts.')
    expect(picture.table.rows).toHaveLength(42)
    expect(picture.height).toBeLessThanOrEqual(FIGURE_HEIGHT)
  })

  test('a pair that the PCI tree contradicts is marked on its link, its boxes, in words and in the table', () => {
    const parts = {
      gpus: [
        { address: '0000:01:00.0', name: 'A' },
        { address: '0000:41:00.0', name: 'A' },
      ],
      adapters: [{ name: 'mlx5_0', pciAddress: '0000:81:00.0' }],
    }
    const devices = [
      pci('0000:01:00.0', '10de:2330'),
      pci('0000:41:00.0', '10de:2330'),
      pci('0000:81:00.0', '15b3:1021', [], '020700'),
    ]
    const picture = topologyOf(TOPOLOGY_OLD, parts, devices)
    expect(labelsOf(picture)).toEqual(
      expect.arrayContaining(['NV12', 'GPU0 – mlx5_0: the driver reports PIX, the PCI tree shows different roots.']),
    )
    expect(against(picture)).toHaveLength(1)
    expect(boxes(picture).filter(({ tone }) => tone === 'against')).toHaveLength(2)
    expect(picture.table.rows.map(([, , , last]) => last)).toEqual(['PIX (tree: far)', 'SYS', '·'])
    expect(picture.caption).toContain('The PCI tree agrees on 1 of 2 pairs.')
  })

  test('one part alone is no picture', () =>
    expect(
      topology(fact(parseTopology('\tGPU0\tCPU Affinity\nGPU0\tX\t0-7\n')), { gpus: [], adapters: [] }, null),
    ).toBeNull())
})
