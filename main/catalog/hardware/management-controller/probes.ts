import { type Answer, defineProbe, glob, known, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { listingIsComplete } from '../../base/read-listing.ts'
import { ALWAYS_PATH, isAbsent, lines, OF_ALWAYS_PATH } from '../../base/read-text.ts'

/** Where the kernel offers a management controller to programs: the paths in which ipmitool(1) looks for it. */
const IPMI_DEVICES = ['/dev/ipmi0', '/dev/ipmi/0', '/dev/ipmidev/0'] as const

export const NO_CONTROLLER = 'the kernel offers no management controller'

interface BmcFru {
  /** Empty where the inventory has none. */
  readonly productSerial: string
  readonly boardSerial: string
  readonly chassisSerial: string
  /** Text written by an operator: the product’s asset tag and extra fields. Absent where there is none. */
  readonly written?: readonly { readonly field: string; readonly text: string }[]
}

export interface Bmc {
  readonly maker: string | null
  readonly firmware: string | null
  readonly ipmiVersion: string | null
  /** Sensors it lists; null where it did not report them. */
  readonly sensors: number | null
  /** Sensors among them with a measured value. */
  readonly readings: number | null
  /** Entries of its event log; null where it did not respond. */
  readonly events: number | null
  /** The inventory of the server’s board; null where there is none. */
  readonly inventory: BmcFru | null
  /** Power that the server draws now, in watts; null where it does not measure. */
  readonly watts: number | null
  /** Power supplies and what the controller reports about each; left out where it lists none. */
  readonly supplies?: readonly SensorState[]
  /** Questions that received no answer, not even a refusal; absent where there are none. */
  readonly unanswered?: readonly string[]
  /** Sensors beyond one of their limits (ipmitool(1): nc, cr, nr); absent where there are none. */
  readonly beyondLimits?: readonly SensorState[]
}

interface SensorState {
  readonly name: string
  readonly state: string
}

const OF_DEVICE = { needsPath: IPMI_DEVICES, maxBytes: 65536 }

/**
 * ipmitool(1) through the kernel’s own device. All five only ask. Users, networks and keys of the controller are not requested. Sensors are
 * read over a slow bus, hence the time. A controller refuses what it does not have (power, inventory), which is a response.
 */
export const bmc = defineProbe({
  id: 'bmc.state',
  title: 'Management controller data',
  why: 'A real controller has dozens of changing sensors, an inventory with serial numbers and a history; an emulated one has almost none of these.',
  ignoredInDrift: {
    why: 'Sensor values, logged events and power change with the workload.',
    normalize: ({ readings: _, events: __, watts: ___, beyondLimits: ____, ...controller }: Bmc) => controller,
  },
  commands: {
    controller: runAsRoot(['ipmitool', 'mc', 'info'], { ...OF_DEVICE, timeoutSeconds: 20 }),
    sensors: runAsRoot(['ipmitool', 'sdr', 'elist'], { ...OF_DEVICE, timeoutSeconds: 90, maxBytes: 262144 }),
    inventory: runAsRoot(['ipmitool', 'fru', 'print', '0'], { ...OF_DEVICE, timeoutSeconds: 30 }),
    events: runAsRoot(['ipmitool', 'sel', 'info'], { ...OF_DEVICE, timeoutSeconds: 20 }),
    power: runAsRoot(['ipmitool', 'dcmi', 'power', 'reading'], { ...OF_DEVICE, timeoutSeconds: 20 }),
  },
  parse({ controller, sensors, inventory, events, power }) {
    const info = fieldsOf(controller)
    if (info === null || !info.has('Device ID'))
      return unknown(
        isAbsent(controller) || /Could not open device/.test(controller.errorText)
          ? NO_CONTROLLER
          : 'the management controller did not respond',
      )
    const unanswered = Object.entries({ sensors, inventory, events, power }).flatMap(([name, answer]) =>
      isAnswered(answer) ? [] : [name],
    )
    const rows = sensorRows(sensors)
    const [supplies, beyondLimits] = [suppliesIn(rows ?? []), beyondIn(rows ?? [])]
    const entries = fieldsOf(events)?.get('Entries')
    const watts = /^\d{1,6}(?= Watts)/.exec(fieldsOf(power)?.get('Instantaneous power reading') ?? '')?.[0]
    return known<Bmc>({
      maker: info.get('Manufacturer Name') ?? null,
      firmware: info.get('Firmware Revision') ?? null,
      ipmiVersion: info.get('IPMI Version') ?? null,
      sensors: rows?.length ?? null,
      readings: rows?.filter(({ value }) => /\d/.test(value)).length ?? null,
      events: entries !== undefined && /^\d{1,7}$/.test(entries) ? Number(entries) : null,
      inventory: inventoryOf(fieldsOf(inventory)),
      watts: watts === undefined ? null : Number(watts),
      ...(unanswered.length === 0 ? {} : { unanswered }),
      ...(supplies.length === 0 ? {} : { supplies }),
      ...(beyondLimits.length === 0 ? {} : { beyondLimits }),
    })
  },
})

/**
 * Whether ipmitool printed anything, or states that the controller refused: lprintf in its lib/ipmi_sdr.c, ipmi_fru.c, ipmi_sel.c and
 * ipmi_dcmi.c. Silence, and the words of another program, are no refusal.
 */
const isAnswered = ({ exitCode, text, errorText }: Answer): boolean =>
  exitCode === 0
    ? text.trim() !== ''
    : /failed|not present|not supported|unable to|unavailable|invalid|no response|unknown fru/i.test(
        `${text}\n${errorText}`,
      )

/** "Name : value" lines; null where the program failed. */
function fieldsOf({ exitCode, text }: Answer): ReadonlyMap<string, string> | null {
  if (exitCode !== 0) return null
  const fields = new Map<string, string>()
  for (const line of lines(text)) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon)).trim()
    if (colon > 0 && !fields.has(name))
      fields.set(
        name,
        line
          .slice(colon + 1)
          .trim()
          .slice(0, 200),
      )
  }
  return fields
}

interface SensorRow {
  readonly name: string
  readonly status: string
  /** Two numbers, kind and instance of the part it belongs to. */
  readonly entity: string
  readonly value: string
}

/** The columns of "Name | 01h | ok | 3.1 | 45 degrees C"; rows of another form are left out. */
function sensorRows({ exitCode, text }: Answer): readonly SensorRow[] | null {
  if (exitCode !== 0) return null
  return lines(text).flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim())
    const [name = '', number = '', status = '', entity = '', value = ''] = cells
    return cells.length === 5 && /^[0-9A-F]{2}h$/.test(number) ? [{ name, status, entity, value }] : []
  })
}

// IPMI 2.0, table 43-13: entity 10 is a power supply. Its temperature and fan belong to it, too, but have a number alone for a value; iLO puts
// what a supply draws before its state.
const suppliesIn = (rows: readonly SensorRow[]): readonly SensorState[] =>
  rows
    .filter(({ entity }) => entity.startsWith('10.'))
    .map(({ name, value }) => ({ name, state: value.replace(/^-?[\d.]{1,20} [A-Za-z ]{1,40}, /, '') }))
    .filter(({ state }) => !/^-?[\d.]+ [A-Za-z]/.test(state))
    .map(({ name, state }) => ({ name: name.slice(0, 64), state: state.slice(0, 200) }))

const beyondIn = (rows: readonly SensorRow[]): readonly SensorState[] =>
  rows
    .filter(({ status }) => status === 'nc' || status === 'cr' || status === 'nr')
    .map(({ name, value }) => ({ name: name.slice(0, 64), state: value.slice(0, 200) }))

function inventoryOf(fields: ReadonlyMap<string, string> | null): BmcFru | null {
  if (fields === null) return null
  const [productSerial = '', boardSerial = '', chassisSerial = ''] = [
    'Product Serial',
    'Board Serial',
    'Chassis Serial',
  ].map((name) => fields.get(name))
  const written = WRITTEN.flatMap((field) => {
    const text = fields.get(field) ?? ''
    return text === '' ? [] : [{ field, text }]
  })
  return fields.has('Board Mfg') || `${productSerial}${boardSerial}${chassisSerial}` !== ''
    ? { productSerial, boardSerial, chassisSerial, ...(written.length === 0 ? {} : { written }) }
    : null
}

// FRU storage definition 1.2, 10 to 12: asset tag, and custom fields that ipmitool calls extra.
const WRITTEN = ['Product Asset Tag', 'Product Extra', 'Board Extra', 'Chassis Extra'] as const

export interface BmcPresence {
  /** The kernel communicates with a controller: /dev/ipmi0 exists. */
  readonly device: boolean
  /** Firmware or kernel list a controller: paths of platform and ACPI devices. */
  readonly listed: readonly string[]
}

/**
 * Linux Documentation/driver-api/ipmi.rst; IPI0001 is the ACPI id of a controller (IPMI 2.0, appendix C3). Names only, nothing is queried
 * of it.
 */
export const bmcPresence = defineProbe({
  id: 'bmc.presence',
  title: 'Management controller, as detected by the kernel',
  why: 'Nearly every server has a management controller; virtual machines have none unless one is emulated.',
  commands: {
    paths: run(
      [
        'ls',
        '-1d',
        '/dev/ipmi0',
        '/sys/class/ipmi/ipmi0',
        glob('/sys/devices/platform/*ipmi*'),
        glob('/sys/bus/acpi/devices/IPI0001:*'),
        ALWAYS_PATH,
      ],
      OF_ALWAYS_PATH,
    ),
  },
  parse({ paths }) {
    if (!listingIsComplete(paths)) return unknown('the list of management devices could not be read')
    const found = lines(paths.text).filter((line) => line.startsWith('/'))
    return known<BmcPresence>({
      device: found.includes('/dev/ipmi0'),
      listed: found.filter((path) => path.startsWith('/sys/')).slice(0, 16),
    })
  },
})

export interface BmcUser {
  readonly id: number
  /** Empty for the anonymous user, which logs in without a name. */
  readonly name: string
  readonly enabled: boolean
  readonly privilege: 'none' | 'callback' | 'user' | 'operator' | 'administrator' | 'oem' | 'unknown'
}

export interface BmcLan {
  /** Channel 1 leads to a network. */
  readonly isNetwork: boolean
  /** The channel takes sessions while the server runs. */
  readonly isOpen: boolean
  readonly users: readonly BmcUser[]
  /** Cipher suites that may open a session with some privilege, by number; null where the controller does not state. */
  readonly suites: readonly number[] | null
}

const LAN = { needsPath: IPMI_DEVICES, timeoutSeconds: 20, maxBytes: 65536 }

/**
 * ipmitool(1) through the kernel’s own device, channel 1. `lan print` would print an SNMP community, which is a password, and addresses; so
 * the cipher suites are requested by their own parameters (IPMI 2.0, table 23-4: 23 is the list of suites, 24 the highest privilege of
 * each, four bits a suite in the order of the list). `raw 0x0c 0x02` is Get LAN Configuration Parameters and changes nothing.
 */
export const bmcLan = defineProbe({
  id: 'bmc.lan',
  title: 'Network logins of the management controller',
  why: 'Control of the management controller is control of the server. No password, address or key is read.',
  commands: {
    channel: runAsRoot(['ipmitool', 'channel', 'info', '1'], LAN),
    users: runAsRoot(['ipmitool', 'channel', 'getaccess', '1'], { ...LAN, timeoutSeconds: 60 }),
    suites: runAsRoot(['ipmitool', 'raw', '0x0c', '0x02', '0x01', '0x17', '0x00', '0x00'], LAN),
    privileges: runAsRoot(['ipmitool', 'raw', '0x0c', '0x02', '0x01', '0x18', '0x00', '0x00'], LAN),
  },
  parse({ channel, users, suites, privileges }) {
    const medium = lines(channel.text)
      .map((line) => /^ {0,8}Channel Medium Type {0,40}: (.{0,80})$/.exec(line)?.[1])
      .find((text) => text !== undefined)
    if (channel.exitCode !== 0 || medium === undefined)
      return unknown(
        isAbsent(channel) || /Could not open device/.test(channel.errorText)
          ? 'the kernel offers no management controller'
          : 'the management controller did not report its first channel',
      )
    const isNetwork = /LAN/.test(medium)
    const list = isNetwork ? usersIn(users) : []
    if (list === null) return unknown('the management controller did not list its users')
    const mode = /Volatile\(active\) Settings[\s\S]{0,400}?Access Mode\s*: ([a-z -]+)/.exec(channel.text)?.[1]?.trim()
    return known<BmcLan>({
      isNetwork,
      isOpen: mode !== 'disabled' && mode !== 'pre-boot only',
      users: list,
      suites: suitesOf(bytesIn(suites), bytesIn(privileges)),
    })
  },
})

function usersIn({ exitCode, text }: Answer): readonly BmcUser[] | null {
  const blocks = text.split(/^(?=User ID\s*:)/m).filter((block) => block.startsWith('User ID'))
  if (exitCode !== 0 || blocks.length === 0) return null
  const read = blocks.map(readUser)
  return read.includes(null) ? null : read.filter((user) => user !== null)
}

function readUser(block: string): BmcUser | null {
  const fields = new Map(
    lines(block).flatMap((line) => {
      const colon = line.indexOf(':')
      return colon > 0 ? [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const] : []
    }),
  )
  const id = /^\d{1,2}$/.exec(fields.get('User ID') ?? '')?.[0]
  const [messaging, privilege] = [fields.get('IPMI Messaging'), fields.get('Privilege Level')]
  if (id === undefined || messaging === undefined || privilege === undefined) return null
  return {
    id: Number(id),
    name: fields.get('User Name') ?? '',
    // Older versions do not print the last field.
    enabled: messaging === 'enabled' && (fields.get('Enable Status') ?? 'enabled') !== 'disabled',
    privilege: PRIVILEGES[privilege] ?? (/^NO ACCESS/.test(privilege) ? 'none' : 'unknown'),
  }
}

const PRIVILEGES: Readonly<Record<string, BmcUser['privilege']>> = {
  CALLBACK: 'callback',
  USER: 'user',
  OPERATOR: 'operator',
  ADMINISTRATOR: 'administrator',
  OEM: 'oem',
}

/** The bytes that `ipmitool raw` printed; null where it failed or printed anything else. */
function bytesIn({ exitCode, text }: Answer): readonly number[] | null {
  const words = text.trim().split(/\s+/)
  if (exitCode !== 0 || words.length > 64 || !words.every((word) => /^[0-9a-f]{2}$/.test(word))) return null
  return words.map((word) => Number.parseInt(word, 16))
}

/** After a revision and a reserved byte each: numbers of suites, and four bits of privilege for each, the lower ones first; 0 is unused. */
function suitesOf(list: readonly number[] | null, levels: readonly number[] | null): readonly number[] | null {
  if (list === null || levels === null || list.length < 3 || levels.length < 10) return null
  const nibbles = levels.slice(2).flatMap((byte) => [byte & 15, byte >> 4])
  // Unused places after the last suite are filled with zeroes, and have no privilege; suite 0 itself may stand anywhere.
  return [...new Set(list.slice(2, 18).filter((_, index) => (nibbles[index] ?? 0) !== 0))]
}

export interface BmcDevice {
  /** Device nodes through which programs on this server reach the controller, with the accounts that may open them. */
  readonly nodes: readonly {
    readonly path: string
    readonly owner: string
    readonly group: string
    readonly mode: number
  }[]
}

const NODES = ['/dev/ipmi0', '/dev/ipmi/0', '/dev/ipmidev/0', '/dev/ipmi1'] as const

/** How many lines state that a file does not exist, and how many state something else. */
function apart(complaints: readonly string[]): readonly [number, number] {
  const absent = complaints.filter((line) => /(No such file or directory|Not a directory)$/.test(line)).length
  return [absent, complaints.length - absent]
}

/** Linux Documentation/driver-api/ipmi.rst: the party that may open this device commands the controller, without any password. */
export const bmcDevice = defineProbe({
  id: 'bmc.device',
  title: 'Local access to the management controller',
  why: 'A program that may open this device can set users and passwords of the controller.',
  commands: { nodes: run(['stat', '-c', '%a %U %G %n', ...NODES]) },
  parse({ nodes }) {
    const [absent, complaints] = apart(lines(nodes.errorText))
    const rows = lines(nodes.text).map((line) => /^([0-7]{1,5}) (\S{1,64}) (\S{1,64}) (\/dev\/\S{1,64})$/.exec(line))
    // Each of them is either there or stated not to be.
    if (complaints > 0 || rows.includes(null) || rows.length + absent !== NODES.length)
      return unknown('the controller’s device could not be looked at')
    return known<BmcDevice>({
      nodes: rows.map((row) => ({
        path: row?.[4] ?? '',
        owner: row?.[2] ?? '',
        group: row?.[3] ?? '',
        mode: Number.parseInt(row?.[1] ?? '0', 8),
      })),
    })
  },
})
