import { defineProbe, glob, known, run, unknown } from '../../../core/recording/probe.ts'
import { defineCheck } from '../../../core/rules/check.ts'
import { longListing, sysfsFound, sysfsValues } from '../../base/read-listing.ts'
import { ALWAYS_FILE, inOrder, lines, OF_ALWAYS_FILE } from '../../base/read-text.ts'
import { count, named, supports } from '../../base/steps.ts'

export interface Disk {
  readonly name: string
  /** Its position in the kernel’s device tree. */
  readonly path: string
  readonly model: string
  readonly serial: string
  /** pcie, tcp, rdma, fc, loop for NVMe; empty for others. */
  readonly transport: string
  /** Of SCSI, ATA and virtio drives; empty for NVMe. */
  readonly vendor: string
  /** World-wide name as the kernel states it, such as eui.… or naa.…; empty where there is none. */
  readonly wwid: string
  /** NVMe qualified name of the subsystem; empty for others. */
  readonly subsystem: string
  /** Of an NVMe controller: its PCI address, or the address over which a remote controller is reached. */
  readonly address: string
  readonly firmware: string
  /** Degrees that the drive itself reported just now; null where the kernel has no sensor for it. */
  readonly celsius: number | null
}

export interface Disks {
  readonly disks: readonly Disk[]
}

const FILES = ['transport', 'address', 'subsysnqn', 'firmware_rev', 'model', 'serial', 'vendor', 'rev', 'wwid']
/** More than a machine with hundreds of volumes over several paths has; a longer list is not read. */
const MOST_DRIVES = 8192
/** PATH_MAX: the kernel has no longer path. */
const LONGEST_PATH = 4096
const SERIAL_PAGE = 'vpd_pg80'
const SENSOR = 'temp1_input'

/**
 * Documentation/ABI/stable/sysfs-block, sysfs-class-nvme and sysfs-bus-scsi. Loop, memory and mapped devices are left out: they are not
 * hardware. The temperature is what the drive's own health log responses (drivers/nvme/host/hwmon.c, drivers/hwmon/drivetemp.c).
 */
export const inventoryDisks = defineProbe({
  id: 'inventory.disks',
  title: 'Drives',
  why: 'Shows which drives are in the machine, and which of them are reached over a network or emulated.',
  ignoredInDrift: {
    why: 'Temperatures change, and the kernel numbers drives in the order of detection; a drive is identified by its serial number and its connection.',
    normalize: ({ disks }: Disks) => ({
      disks: inOrder(
        disks.map(({ name: _, path: __, celsius: ___, ...disk }, at) => ({
          ...disk,
          function: diskFunction(disks[at] as Disk),
        })),
      ),
    }),
  },
  commands: {
    list: run(['ls', '-l', '/sys/block'], { control: 'total ' }),
    values: run(
      [
        'grep',
        '-asH',
        '',
        glob('/sys/class/nvme/nvme*/transport'),
        glob('/sys/class/nvme/nvme*/address'),
        glob('/sys/class/nvme/nvme*/subsysnqn'),
        glob('/sys/class/nvme/nvme*/model'),
        glob('/sys/class/nvme/nvme*/serial'),
        glob('/sys/class/nvme/nvme*/firmware_rev'),
        glob('/sys/class/nvme/nvme*/hwmon*/temp1_input'),
        glob('/sys/class/nvme/nvme*/device/hwmon/hwmon*/temp1_input'),
        glob('/sys/block/nvme*/wwid'),
        glob('/sys/block/nvme*/device/subsysnqn'),
        glob('/sys/block/sd*/device/vendor'),
        glob('/sys/block/sd*/device/model'),
        glob('/sys/block/sd*/device/rev'),
        glob('/sys/block/sd*/device/wwid'),
        glob('/sys/block/sd*/device/vpd_pg80'),
        glob('/sys/block/sd*/device/hwmon/hwmon*/temp1_input'),
        glob('/sys/block/sr*/device/vendor'),
        glob('/sys/block/sr*/device/model'),
        glob('/sys/block/vd*/serial'),
        ALWAYS_FILE,
      ],
      OF_ALWAYS_FILE,
    ),
  },
  parse({ list, values }) {
    if (list.exitCode !== 0) return unknown('the drives could not be listed')
    const listed = longListing(lines(list.text))
    if (listed.length > MOST_DRIVES) return unknown(`more than ${MOST_DRIVES} drives are listed`)
    const files: Files = {
      read: sysfsValues(values.text, FILES),
      pages: serialPages(values.text),
      heat: temperatures(values.text),
    }
    const bySubsystem = controllersBySubsystem(files)
    const disks = listed.flatMap(({ name, target }) =>
      target === null || target.includes('/virtual/block/')
        ? []
        : [readDisk(name, target.slice(0, LONGEST_PATH), files, bySubsystem)],
    )
    return known<Disks>({ disks })
  },
})

interface Files {
  readonly read: ReadonlyMap<string, string>
  readonly pages: ReadonlyMap<string, string>
  readonly heat: ReadonlyMap<string, number>
}

function readDisk(
  name: string,
  path: string,
  { read, pages, heat }: Files,
  bySubsystem: ReadonlyMap<string, string>,
): Disk {
  const own = `/sys/block/${name}`
  // With native NVMe multipath the block device hangs under its subsystem, which states who its controllers are; else the number does.
  const shared = path.includes('/nvme-subsystem/')
    ? bySubsystem.get(read.get(`${own}/device/subsysnqn`) ?? '')
    : undefined
  const controller = shared ?? `/sys/class/nvme/${/^nvme\d+/.exec(name)?.[0] ?? ''}`
  const at = (file: string): string =>
    (read.get(`${controller}/${file}`) ?? read.get(`${own}/device/${file}`) ?? read.get(`${own}/${file}`) ?? '').trim()
  return {
    name,
    path,
    model: at('model'),
    serial: at('serial') || (pages.get(own) ?? ''),
    transport: at('transport'),
    vendor: at('vendor'),
    wwid: at('wwid'),
    subsystem: at('subsysnqn'),
    address: at('address'),
    firmware: at('firmware_rev') || at('rev'),
    celsius: heat.get(controller) ?? heat.get(own) ?? null,
  }
}

/** Name of each NVMe subsystem → one of its controllers, one over a network before one that is not: it is the farther one that matters. */
function controllersBySubsystem({ read }: Files): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [path, subsystem] of read) {
    const controller = /^(\/sys\/class\/nvme\/nvme\d+)\/subsysnqn$/.exec(path)?.[1]
    if (controller === undefined) continue
    const before = found.get(subsystem)
    const isRemote = (read.get(`${controller}/transport`) ?? 'pcie') !== 'pcie'
    if (before === undefined || isRemote) found.set(subsystem, controller)
  }
  return found
}

/** SPC-4, 7.8.13 (unit serial number page): four bytes of head, then the number. One of them can be a line end, so lines are joined again. */
function serialPages(text: string): ReadonlyMap<string, string> {
  const pages = new Map<string, string>()
  for (const { path, line } of sysfsFound(text, [SERIAL_PAGE])) {
    const own = path.slice(0, path.indexOf('/device/'))
    const before = pages.get(own)
    pages.set(own, (before === undefined ? line : `${before}\n${line}`).slice(0, 300))
  }
  return new Map(
    [...pages].map(([own, page]) => [
      own,
      page
        .slice(4)
        .replace(/[^\x20-\x7e]/g, '')
        .trim(),
    ]),
  )
}

/** Controller or drive → degrees. Values are thousandths of a degree (Documentation/hwmon/sysfs-interface). */
function temperatures(text: string): ReadonlyMap<string, number> {
  return new Map(
    sysfsFound(text, [SENSOR]).flatMap(({ path, line }) => {
      const own = /^\/sys\/(class\/nvme|block)\/[^/]+/.exec(path)?.[0]
      return own !== undefined && /^-?\d{1,7}$/.test(line.trim()) ? [[own, Number(line) / 1000] as const] : []
    }),
  )
}

/**
 * The PCI function that a drive is attached to: the last one on its path, or the one stated by its NVMe controller.
 * Null where there is none.
 */
export function diskFunction({ path, address }: Disk): string | null {
  const functions = path.split('/').filter((part) => PCI_ADDRESS.test(part))
  return functions.at(-1) ?? (PCI_ADDRESS.test(address) ? address : null)
}

const PCI_ADDRESS = /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/

export const inventoryDisksRecorded = defineCheck({
  id: 'inventory.disks',
  property: 'evidence',
  expected: 'The drives of this server are recorded with model and serial number where they report them.',
  ends: 'recorded',
  limitations:
    'Reported by the drives themselves. Wear and health are tested by another check, and no purchase list was compared.',
  requires: { disks: inventoryDisks },
  evaluate: ({ disks: { disks } }) => ({
    verdict: 'informational',
    observations: [
      supports(
        `${count(disks.length, 'drive')}${
          disks.length === 0
            ? ''
            : `: ${named(
                disks.map(({ name, model, serial }) => [name, model, serial].filter((part) => part !== '').join(' ')),
                12,
              )}`
        }.`,
        inventoryDisks,
      ),
    ],
  }),
})
