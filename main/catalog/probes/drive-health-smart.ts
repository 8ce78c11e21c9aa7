import { type Answer, type Command, defineProbe, known, type Parsed, runAsRoot, unknown } from '../../core/probe.ts'
import { asList, asRecord, isAbsent, type JsonValue, readJson } from '../read-text.ts'
import { inOrder, whether } from '../steady.ts'

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
  /** Drives that are there and did not state: asleep, behind a RAID controller, or without such a report. */
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
      const health = readHealth(answer)
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
function readHealth({ text }: Answer): SmartHealth | null {
  const json = readJson(text, 'smartctl')
  if (!json.ok) return null
  const report = asRecord(json.fact)
  const passed = asRecord(report.smart_status).passed
  if (typeof passed !== 'boolean') return null
  const attributes = asList(asRecord(report.ata_smart_attributes).table).map(asRecord)
  const raw = (id: number): number | null =>
    whole(asRecord(attributes.find((attribute) => attribute.id === id)?.raw).value)
  return {
    passed,
    // ATA attributes 197 and 5, as smartmontools names them; SAS drives count grown defects.
    pendingSectors: raw(197),
    replacedSectors: raw(5) ?? whole(report.scsi_grown_defect_list),
    percentUsed:
      whole(asRecord(report.endurance_used).current_percent) ?? whole(report.scsi_percentage_used_endurance_indicator),
  }
}

const whole = (value: JsonValue | undefined): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
