import { type Answer, defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { isAbsent, lines } from '../read-text.ts'

/** Where the kernel offers a management controller to programs: the places in which ipmitool(1) looks for it. */
export const IPMI_DEVICES = ['/dev/ipmi0', '/dev/ipmi/0', '/dev/ipmidev/0'] as const

export const NO_CONTROLLER = 'the kernel offers no management controller'

export interface BmcFru {
  /** Empty where the inventory has none. */
  readonly productSerial: string
  readonly boardSerial: string
  readonly chassisSerial: string
  /** What an operator wrote into it: the product’s asset tag and extra fields. Left out where there is nothing. */
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
  /** Questions to which no word came back, not even a refusal; left out where there are none. */
  readonly unanswered?: readonly string[]
  /** Sensors beyond a limit of theirs (ipmitool(1): nc, cr, nr); left out where there are none. */
  readonly beyondLimits?: readonly SensorState[]
}
export interface SensorState {
  readonly name: string
  readonly state: string
}

const OF_DEVICE = { needsPath: IPMI_DEVICES, maxBytes: 65536 }

/**
 * ipmitool(1) through the kernel’s own device. All five only ask. Users, networks and keys of the controller are not requested. Sensors are
 * read over a slow bus, hence the time. What a controller does not know (power, inventory) it refuses, which is a response.
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

// IPMI 2.0, table 43-13: entity 10 is a power supply. Its temperature and fan belong to it, too, but have a number for a value.
const suppliesIn = (rows: readonly SensorRow[]): readonly SensorState[] =>
  rows
    .filter(({ entity, value }) => entity.startsWith('10.') && !/^-?[\d.]+ [A-Za-z]/.test(value))
    .map(({ name, value }) => ({ name: name.slice(0, 64), state: value.slice(0, 200) }))

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
