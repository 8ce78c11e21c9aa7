import {
  type Answer,
  type Command,
  defineProbe,
  glob,
  known,
  type Parsed,
  run,
  runAsRoot,
  unknown,
} from '../../../core/recording/probe.ts'
import {
  asCount,
  asList,
  asRecord,
  grepIsComplete,
  inOrder,
  isAbsent,
  type JsonValue,
  oneLineFiles,
  readJson,
  whether,
} from '../../base/read-text.ts'

/** What an NVMe controller reports about its own health. Null where the tool’s output lacks the field. */
export interface NvmeHealth {
  /** Bits: 0 spare space, 1 temperature, 2 reliability, 3 read-only, 4 backup of volatile memory, 5 persistent memory region. */
  readonly criticalWarning: number
  /** Percent of the rated life; may pass 100. */
  readonly percentUsed: number | null
  readonly mediaErrors: number | null
}

export interface NvmeHealths {
  /** By controller, such as nvme0. Those that do not exist have no entry. */
  readonly controllers: ReadonlyMap<string, NvmeHealth>
  /** Controllers that exist but returned no log. */
  readonly silent: readonly string[]
}

/** Commands that run as root hold no pattern, so controllers are queried by name: a server with eight GPUs has ten to sixteen. */
export const NVME_CONTROLLERS = Array.from({ length: 16 }, (_, number) => `nvme${number}`)

/** nvme-smart-log(1); NVM Express base specification 2.0, figure 207 (SMART / health information). Asks, and changes nothing. */
export const driveHealthNvme = defineProbe({
  id: 'drives.nvme-health',
  title: 'Health of NVMe drives',
  why: 'Shows whether a drive warns of failing, and how much of its rated life is used.',
  ignoredInDrift: {
    why: 'Wear, temperature and error counts change; only warnings other than temperature, and whether there were errors, are compared.',
    normalize: ({ controllers, silent }: NvmeHealths) => ({
      controllers: inOrder(
        [...controllers].map(([name, { criticalWarning, mediaErrors }]) => ({
          name,
          // Bit 1 is the temperature.
          criticalWarning: criticalWarning & ~2,
          hasErrors: whether(mediaErrors),
        })),
      ),
      silent: inOrder(silent),
    }),
  },
  commands: Object.fromEntries(
    NVME_CONTROLLERS.map((name): [string, Command] => [
      name,
      runAsRoot(['nvme', 'smart-log', `/dev/${name}`, '-o', 'json'], {
        needsPath: [`/dev/${name}`],
        maxBytes: 65_536,
      }),
    ]),
  ),
  parse(answers): Parsed<NvmeHealths> {
    const controllers = new Map<string, NvmeHealth>()
    const silent: string[] = []
    for (const name of NVME_CONTROLLERS) {
      const answer = answers[name]
      if (answer === undefined) return unknown('not every controller was queried')
      if (isAbsent(answer)) continue
      const health = readHealth(answer)
      if (health === null) silent.push(name)
      else controllers.set(name, health)
    }
    return known({ controllers, silent })
  },
})

function readHealth({ exitCode, text }: Answer): NvmeHealth | null {
  const json = exitCode === 0 ? readJson(text, 'nvme') : null
  if (json?.ok !== true) return null
  const log = asRecord(json.fact)
  // nvme-cli 2 prints the warning as an object with its bits where it is queried to be verbose.
  const criticalWarning = whole(log.critical_warning) ?? whole(asRecord(log.critical_warning).value)
  return criticalWarning === null
    ? null
    : {
        criticalWarning,
        percentUsed: whole(log.percent_used) ?? whole(log.percentage_used),
        mediaErrors: whole(log.media_errors),
      }
}

/** Large counters are printed as text, so that no digit is lost. */
function whole(value: JsonValue | undefined): number | null {
  const number = typeof value === 'string' && /^\d{1,39}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && number >= 0 ? number : null
}

/** What a SATA or SAS drive reports about its own health. */
export interface SmartHealth {
  readonly passed: boolean
  /** Sectors that wait to be replaced, and those that were; null where the drive does not count them. */
  readonly pendingSectors: number | null
  readonly replacedSectors: number | null
  /** Percent of the rated life; null where the drive does not state. */
  readonly percentUsed: number | null
}

export interface SmartHealths {
  /** By device, such as sda. Those that do not exist have no entry. */
  readonly drives: ReadonlyMap<string, SmartHealth>
  /** Drives that exist but reported nothing: asleep, behind a RAID controller, or without such a report. */
  readonly silent: readonly string[]
}

/** Commands that run as root hold no pattern, so drives are queried by name. */
export const SMART_DRIVES = ['sda', 'sdb', 'sdc', 'sdd', 'sde', 'sdf', 'sdg', 'sdh']

/** smartctl(8), JSON since version 7.0. It starts no test, and does not wake a drive that sleeps (-n standby). */
export const driveHealthSmart = defineProbe({
  id: 'drives.smart-health',
  title: 'Health of SATA and SAS drives',
  why: 'Shows whether a drive predicts its own failure, and how much of its rated life is used.',
  ignoredInDrift: {
    why: 'Wear and sector counts change, and drives may be in standby when queried; only whether one fails or has bad sectors is compared.',
    normalize: ({ drives, silent }: SmartHealths) => ({
      drives: inOrder([...drives.keys(), ...silent]),
      failing: inOrder(
        [...drives].flatMap(([name, { passed, pendingSectors, replacedSectors }]) =>
          passed && !whether(pendingSectors) && !whether(replacedSectors) ? [] : [name],
        ),
      ),
    }),
  },
  commands: Object.fromEntries(
    SMART_DRIVES.map((name): [string, Command] => [
      name,
      runAsRoot(['smartctl', '-j', '-H', '-A', '-n', 'standby', `/dev/${name}`], {
        needsPath: [`/dev/${name}`],
        maxBytes: 262_144,
      }),
    ]),
  ),
  parse(answers): Parsed<SmartHealths> {
    const drives = new Map<string, SmartHealth>()
    const silent: string[] = []
    for (const name of SMART_DRIVES) {
      const answer = answers[name]
      if (answer === undefined) return unknown('not every drive was queried')
      if (isNoSuchDevice(answer)) continue
      const health = readSmartHealth(answer)
      if (health === null) silent.push(name)
      else drives.set(name, health)
    }
    return known({ drives, silent })
  },
})

const isNoSuchDevice = (answer: Answer): boolean =>
  isAbsent(answer) ||
  (answer.exitCode === 2 && /open device: \/dev\/\w+ failed: No such (device|file or directory)/.test(answer.text))

/** The exit status is a set of bits that also reports past errors, hence only the report itself is read. */
function readSmartHealth({ text }: Answer): SmartHealth | null {
  const json = readJson(text, 'smartctl')
  if (!json.ok) return null
  const report = asRecord(json.fact)
  const passed = asRecord(report.smart_status).passed
  if (typeof passed !== 'boolean') return null
  const attributes = asList(asRecord(report.ata_smart_attributes).table).map(asRecord)
  const raw = (id: number): number | null =>
    asCount(asRecord(attributes.find((attribute) => attribute.id === id)?.raw).value)
  return {
    passed,
    // ATA attributes 197 and 5, as smartmontools names them; SAS drives count grown defects.
    pendingSectors: raw(197),
    replacedSectors: raw(5) ?? asCount(report.scsi_grown_defect_list),
    percentUsed:
      asCount(asRecord(report.endurance_used).current_percent) ??
      asCount(report.scsi_percentage_used_endurance_indicator),
  }
}

export interface CpuThrottling {
  /** How often a processor was slowed by heat since the last start: the largest count of any package. Null where the processor does not count. */
  readonly times: number | null
}

/** Documentation/ABI/testing/sysfs-devices-system-cpu: counts of Intel processors; others have no such files. */
export const cpuThrottling = defineProbe({
  id: 'cpu.throttling',
  title: 'Thermal throttling of processors',
  why: 'Shows whether cooling was insufficient at any time since the server started.',
  ignoredInDrift: {
    why: 'A counter since the last start.',
    normalize: () => null,
  },
  commands: {
    counts: run(['grep', '-H', '', glob('/sys/devices/system/cpu/cpu*/thermal_throttle/package_throttle_count')]),
  },
  parse({ counts }) {
    if (!grepIsComplete(counts)) return unknown('the counts could not be read')
    const values = [...oneLineFiles(counts.text).values()].filter((value) => /^\d{1,15}$/.test(value)).map(Number)
    return known<CpuThrottling>({
      times: values.length === 0 ? null : values.reduce((most, value) => Math.max(most, value), 0),
    })
  },
})
