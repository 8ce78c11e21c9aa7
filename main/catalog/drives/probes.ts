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

/** What a drive that encrypts itself reports about its locking (TCG Storage Opal SSC, level 0 discovery, locking feature). */
export interface OpalLocking {
  readonly mediaEncrypt: boolean
  readonly lockingEnabled: boolean
  /** Whether it is locked at this moment. */
  readonly locked: boolean
  /** A small system of its own is shown in place of the drive, to request the key at start. */
  readonly showsShadow: boolean
}

export interface OpalDrives {
  /** By device, such as nvme0 or sda. Devices that are not there, or gave no such response, have no entry. */
  readonly drives: ReadonlyMap<string, OpalLocking>
}

/** Commands that run as root hold no pattern, so devices are queried by name: the most that common servers have, and two of SATA or SAS. */
export const OPAL_DEVICES = [...Array.from({ length: 10 }, (_, number) => `nvme${number}`), 'sda', 'sdb']

/** sedutil-cli(8), --query: the only one of its options that reads and takes no password. */
export const drivesOpal = defineProbe({
  id: 'drives.opal',
  title: 'Locking of self-encrypting drives',
  why: 'Shows whether a self-encrypting drive also locks when it loses power. Nothing is changed on the drive.',
  commands: Object.fromEntries(
    OPAL_DEVICES.map((name): [string, Command] => [
      name,
      runAsRoot(['sedutil-cli', '--query', `/dev/${name}`], {
        needsPath: [`/dev/${name}`],
        maxBytes: 65_536,
        timeoutSeconds: 5,
      }),
    ]),
  ),
  parse(answers): Parsed<OpalDrives> {
    const drives = new Map<string, OpalLocking>()
    for (const name of OPAL_DEVICES) {
      const answer = answers[name]
      if (answer === undefined) return unknown('not every drive was queried')
      const locking = readLocking(answer)
      if (locking !== null) drives.set(name, locking)
    }
    return known({ drives })
  },
})

/** The line after "Locking function (0x0002)": flags as `Name = Y` or `= N`. Which flags there are differs between versions. */
function readLocking({ exitCode, text }: Answer): OpalLocking | null {
  if (exitCode !== 0) return null
  const line = /^Locking function \(0x0002\)[^\n]*\n([^\n]{1,400})/m.exec(text)?.[1]
  if (line === undefined) return null
  const flag = (name: string): boolean | null => {
    const found = new RegExp(`(?:^|[\\s,])${name} = ([YN])(?:,|\\s|$)`).exec(line)?.[1]
    return found === undefined ? null : found === 'Y'
  }
  const [mediaEncrypt, lockingEnabled, locked] = [flag('MediaEncrypt'), flag('LockingEnabled'), flag('Locked')]
  if (mediaEncrypt === null || lockingEnabled === null || locked === null) return null
  return { mediaEncrypt, lockingEnabled, locked, showsShadow: flag('MBREnabled') === true && flag('MBRDone') === false }
}
