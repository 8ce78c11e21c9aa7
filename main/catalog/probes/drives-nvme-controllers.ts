import { type Answer, type Command, defineProbe, known, type Parsed, runAsRoot, unknown } from '../../core/probe.ts'
import { asRecord, asText, isAbsent, readJson } from '../read-text.ts'
import { inOrder } from '../steady.ts'

/** What an NVMe controller states it can do (NVM Express base specification 2.0, figure 275: identify controller). */
export interface NvmeController {
  readonly serial: string
  /** OACS bit 0, Security Send and Receive: without them a drive cannot be reported to lock. */
  readonly takesSecurityCommands: boolean
}
export interface NvmeControllers {
  /** By controller, such as nvme0. Those that are not there have no entry. */
  readonly controllers: ReadonlyMap<string, NvmeController>
}

const CONTROLLERS = Array.from({ length: 10 }, (_, number) => `nvme${number}`)

/** nvme-id-ctrl(1), which asks and changes nothing. */
export const drivesNvmeControllers = defineProbe({
  id: 'drives.nvme-controllers',
  title: 'Abilities of NVMe drives',
  why: 'Shows whether a drive supports locking.',
  ignoredInDrift: {
    why: 'The kernel numbers controllers in the order of detection; each is identified by its serial number.',
    normalize: ({ controllers }: NvmeControllers) => ({ controllers: inOrder(controllers.values()) }),
  },
  commands: Object.fromEntries(
    CONTROLLERS.map((name): [string, Command] => [
      name,
      runAsRoot(['nvme', 'id-ctrl', `/dev/${name}`, '-o', 'json'], {
        needsPath: [`/dev/${name}`],
        maxBytes: 65_536,
        timeoutSeconds: 5,
      }),
    ]),
  ),
  parse(answers): Parsed<NvmeControllers> {
    const controllers = new Map<string, NvmeController>()
    for (const name of CONTROLLERS) {
      const answer = answers[name]
      if (answer === undefined) return unknown('not every controller was queried')
      const controller = isAbsent(answer) ? null : readController(answer)
      if (controller !== null) controllers.set(name, controller)
    }
    return known({ controllers })
  },
})

function readController({ exitCode, text }: Answer): NvmeController | null {
  const json = exitCode === 0 ? readJson(text, 'nvme') : null
  const { sn, oacs } = json?.ok === true ? asRecord(json.fact) : {}
  return typeof oacs === 'number' && Number.isInteger(oacs) && oacs >= 0
    ? { serial: asText(sn)?.trim() ?? '', takesSecurityCommands: oacs % 2 === 1 }
    : null
}
