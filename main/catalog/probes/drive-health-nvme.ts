import { type Answer, type Command, defineProbe, known, type Parsed, runAsRoot, unknown } from '../../core/probe.ts'
import { asRecord, isAbsent, type JsonValue, readJson } from '../read-text.ts'
import { inOrder, whether } from '../steady.ts'

/** What an NVMe controller reports about its own health. Null where the tool's response does not hold the field. */
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
  /** Controllers that are there and gave no log. */
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
