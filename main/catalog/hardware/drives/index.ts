import { plain, quote } from '../../../core/base/plain-text.ts'
import {
  type Answer,
  type Command,
  defineProbe,
  known,
  type Parsed,
  type Probe,
  runAsRoot,
  unknown,
} from '../../../core/recording/probe.ts'
import type { Read } from '../../../core/recording/readings.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { asRecord, asText, inOrder, isAbsent, readJson } from '../../base/read-text.ts'
import { contradicts, count, decide, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { netInterfaces } from '../../data-protection/network/interfaces.ts'
import { comparePins, type HardwarePin, hardwarePins, passingPins } from '../../single-tenancy/isolation/pins.ts'
import { infiniband } from '../fabric/index.ts'
import { gpuNvidia } from '../gpu/nvidia.ts'
import { hostSerials } from '../machine/identity.ts'
import data from './checks.json' with { type: 'json' }
import { lifecycleFirstUseState, storageBirth } from './first-use.ts'
import { type Disk, inventoryDisks, inventoryDisksRecorded } from './inventory.ts'

/**
 * The capabilities that an NVMe controller states (NVM Express base specification 2.0, figure 275: identify
 * controller).
 */
interface NvmeController {
  readonly serial: string
  /** OACS bit 0, Security Send and Receive: without them a drive cannot be reported to lock. */
  readonly takesSecurityCommands: boolean
}

interface NvmeControllers {
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

/**
 * The locking state that a self-encrypting drive reports (TCG Storage Opal SSC, level 0 discovery, locking feature).
 */
interface OpalLocking {
  readonly mediaEncrypt: boolean
  readonly lockingEnabled: boolean
  /** Whether it is locked at this moment. */
  readonly locked: boolean
  /** A small boot system is shown in place of the drive to request the key at start. */
  readonly showsShadow: boolean
}

interface OpalDrives {
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

type State = 'locks' | 'open' | 'cannot' | 'unknown'
interface Found {
  readonly state: State
  readonly step: DraftObservation
}

/**
 * A drive that encrypts its media and locks nothing protects nothing: it opens for the party that plugs it in. That is recorded and not
 * counted as a deviation, since no rule requires such drives, and encryption above the drive is evaluated by its own checks.
 */
const encryptionAtRestSedState = defineCheck({
  id: 'encryption.at-rest.sed-state',
  property: 'encryption-at-rest',
  expected: 'Locking is enabled on every self-encrypting drive.',
  ends: 'supported-or-recorded',
  limitations:
    'Relies on the drive’s firmware. Which ranges lock and who holds the authority is not read, and only a range that is locked now shows that any does. Use of a validated module is shown only by the drive’s own certificate. A range that locks does so when the drive loses power: on the running node it is unlocked. Drives behind a RAID controller are read with that controller’s tools, which are not used.',
  requires: { disks: inventoryDisks },
  optional: { opal: drivesOpal, controllers: drivesNvmeControllers },
  evaluate({ disks: { disks } }, { opal, controllers }) {
    const found = disks.map((disk) => {
      const shown = `${quote(disk.name)}${disk.model === '' ? '' : ` (${quote(disk.model)})`}`
      return stateOf(disk, shown, opal.ok ? opal.fact : null, controllers.ok ? controllers.fact : null)
    })
    const has = (state: State): boolean => found.some((one) => one.state === state)
    const observations = [
      ...found.map(({ step }) => step),
      ...(opal.ok ? [] : [unclear(`${drivesOpal.title}: ${opal.reason}.`, drivesOpal)]),
    ]
    if (found.length === 0)
      return {
        verdict: 'inconclusive',
        observations: [unclear('The kernel lists no drive that could be queried.', inventoryDisks), ...observations],
      }
    if (has('open')) return { verdict: 'informational', observations }
    if (has('unknown')) return { verdict: 'inconclusive', observations }
    return { verdict: has('locks') ? 'satisfied' : 'not-applicable', observations }
  },
})

function stateOf(disk: Disk, shown: string, opal: OpalDrives | null, nvme: NvmeControllers | null): Found {
  const unknown = (why: string): Found => ({
    state: 'unknown',
    step: unclear(`${shown}: ${why}.`, inventoryDisks),
  })
  if (/^(tcp|rdma|fc|loop)$/.test(disk.transport)) return unknown('it is reached over a network and was not queried')
  // Where drives have several paths, the kernel numbers devices and controllers separately; the serial number shows
  // whether they are the same.
  const name = /^nvme\d+/.exec(disk.name)?.[0] ?? disk.name
  const controller = nvme?.controllers.get(name)
  const isOther = controller !== undefined && controller.serial !== '' && controller.serial !== disk.serial
  const locking = isOther ? undefined : opal?.drives.get(name)
  if (locking !== undefined) {
    const entry = (state: State, inDirection: typeof supports, text: string): Found => ({
      state,
      step: inDirection(`${shown}: ${text}.`, drivesOpal, name),
    })
    if (!locking.lockingEnabled)
      return locking.mediaEncrypt
        ? entry('open', unclear, 'it encrypts its media and nothing locks it, which protects nothing')
        : entry('cannot', unclear, 'it does not encrypt its media')
    if (!locking.mediaEncrypt) return entry('open', unclear, 'its locking is on, but its media are not encrypted')
    // The flag stands for the function and not for a range: sedutil’s initial setup switches it on and leaves the whole drive open.
    if (!locking.locked)
      return entry(
        'unknown',
        unclear,
        'it encrypts its media and its locking is on; whether any range of it locks is not reported',
      )
    const shadow = locking.showsShadow ? ', and shows its own start-up system' : ''
    return entry('locks', supports, `it encrypts its media and its locking is on. A range of it is locked now${shadow}`)
  }
  if (controller !== undefined && !isOther && !controller.takesSecurityCommands)
    return {
      state: 'cannot',
      step: unclear(
        `${shown}: it reports that it supports no security commands, so it cannot be locked.`,
        drivesNvmeControllers,
        name,
      ),
    }
  return unknown('it did not report whether it encrypts and locks itself')
}

const PROBES = { hostSerials, gpuNvidia, inventoryDisks, netInterfaces, infiniband } as const

/** The probe that reads each kind of part. */
const ASKED: Readonly<Partial<Record<HardwarePin['kind'], Probe<unknown>>>> = {
  system: hostSerials,
  board: hostSerials,
  chassis: hostSerials,
  gpu: gpuNvidia,
  disk: inventoryDisks,
  nic: netInterfaces,
  hca: infiniband,
}

const lifecycleDiskSwapDetection = defineCheck({
  id: 'lifecycle.disk-swap-detection',
  property: 'evidence',
  expected: 'Every drive, GPU, adapter and board pinned at an earlier collection is present, and no other of its kind.',
  limitations:
    'A part that was removed and returned between two collections is not detected. Volumes over a network or of a provider’s service, images of a management controller, network interfaces on USB and virtual functions of an adapter are no parts of the machine: none of them is new. Serial numbers are self-reported by the node.',
  requires: {},
  optional: PROBES,
  evaluate(_, wanted, { node }) {
    const pinned = node.hardware ?? []
    if (pinned.length === 0)
      return decide([unclear('No parts of this node were pinned: there is nothing to compare with.', null)])
    const readings = new Map(Object.values(PROBES).map((probe, index) => [probe.id, Object.values(wanted)[index]]))
    const read: Read = <F, C extends string>(probe: Probe<F, C>) =>
      (readings.get(probe.id) ?? { ok: false, reason: 'this was not collected' }) as Parsed<F>
    const kinds = [...new Set(pinned.map(({ kind }) => kind))]
    return decide(kinds.flatMap((kind) => stepsFor(kind, pinned, read)))
  },
})

function stepsFor(kind: HardwarePin['kind'], pinned: readonly HardwarePin[], read: Read): readonly DraftObservation[] {
  const probe = ASKED[kind]
  if (probe === undefined) return [unclear(`Pinned parts of the kind “${kind}” are not read by this catalog.`, null)]
  const reading = read(probe)
  if (!reading.ok) return unclearAbout(probe, reading)
  const before = pinned.filter((pin) => pin.kind === kind)
  const differences = comparePins(
    before,
    hardwarePins(read).filter((pin) => pin.kind === kind),
    passingPins(read),
  )
  return differences.length === 0
    ? [
        supports(
          `${count(before.length, `${kind} serial number or address`, `${kind} serial numbers and addresses`)} pinned, all found again.`,
          probe,
        ),
      ]
    : differences.map(({ pin, is }) =>
        contradicts(
          is === 'gone'
            ? `Pinned and not found: ${kind} “${plain(pin.part, 80)}” with “${plain(pin.value, 100)}”.`
            : `Found and not pinned: ${kind} “${plain(pin.part, 80)}” with “${plain(pin.value, 100)}”.`,
          probe,
        ),
      )
}

export const drivesSubject = defineSubject({
  id: 'drives',
  title: 'Drives',
  probes: [inventoryDisks, drivesOpal, drivesNvmeControllers, storageBirth],
  checks: [inventoryDisksRecorded, lifecycleDiskSwapDetection, encryptionAtRestSedState, lifecycleFirstUseState],
  data,
})
