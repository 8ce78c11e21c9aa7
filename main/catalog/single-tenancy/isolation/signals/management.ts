import { plain } from '../../../../core/base/plain-text.ts'
import type { Read } from '../../../../core/recording/readings.ts'
import { cloudInit } from '../../../access/provider-access/probes.ts'
import { tenancyProcesses } from '../../../base/processes.ts'
import { contradicts, count, named, supports } from '../../../base/steps.ts'
import { dmiIdentity } from '../../../hardware/machine/dmi.ts'
import { type HostSerials, hostSerials, osIdentity } from '../../../hardware/machine/identity.ts'
import { type Bmc, bmc, bmcPresence, NO_CONTROLLER } from '../../../hardware/management-controller/probes.ts'
import { secureBoot } from '../../boot-integrity/index.ts'
import {
  claimsServer,
  hintSign,
  metal,
  neutral,
  notApplicable,
  oddSign,
  type Sign,
  type Signal,
  sign,
  unreadable,
  virtual,
} from '../signal.ts'
import { tpmSignals } from './tpm.ts'

const isServerChassis = (read: Read): boolean => {
  const dmi = read(dmiIdentity)
  return dmi.ok && claimsServer(dmi.fact)
}

const device: Signal = {
  id: 'bmc.dev',
  family: 'management',
  title: 'Management controller',
  onMetal: 'the kernel’s device, or an entry of firmware: 89 of 100 servers describe one',
  onGuest: 'none; QEMU can model one with a working device',
  spoofingEffort: 'S0',
  pitfalls: [
    'Providers hide the controller from their tenants on purpose; drivers may not be loaded.',
    'A model of a controller is one option of QEMU.',
    'Desktops and small boards have none.',
  ],
  source: 'Linux Documentation/driver-api/ipmi.rst; IPMI 2.0 appendix C. Measured: QEMU’s model shows the same device.',
  probes: [bmcPresence, dmiIdentity],
  observe(read) {
    const reading = read(bmcPresence)
    if (!reading.ok) return unreadable(bmcPresence, reading.reason)
    const { device: open, listed } = reading.fact
    if (open || listed.length > 0) return metal(open ? 'the kernel talks to one' : 'firmware lists one')
    return isServerChassis(read)
      ? virtual(
          'none',
          hintSign(
            'The machine calls itself a server and shows no management controller; a provider may hide it.',
            bmcPresence,
          ),
        )
      : neutral('none')
  },
}

const FEW_SENSORS = 3
const MANY_SENSORS = 20
const PLACEHOLDER = /^(|0+|0?123456789.*|n\/?a|none|unknown|not specified|default string|to be filled.*|\W+)$/i
const real = (serial: string): boolean => serial.length >= 4 && !PLACEHOLDER.test(serial)

/** Serial numbers that controller and firmware both give, compared kind by kind; null where none can be compared. */
function serialsAgree(inventory: Bmc['inventory'], serials: HostSerials | null): boolean | null {
  if (inventory === null || serials === null) return null
  const pairs = [
    [inventory.productSerial, serials.product],
    [inventory.boardSerial, serials.board],
    [inventory.chassisSerial, serials.chassis],
  ].filter(([one = '', other = '']) => real(one) && real(other))
  return pairs.length === 0 ? null : pairs.some(([one, other]) => one === other)
}

function depthSigns(fact: Bmc, agrees: boolean | null): readonly Sign[] {
  const { sensors } = fact
  return [
    ...(sensors !== null && sensors <= FEW_SENSORS
      ? [oddSign(`The management controller has ${count(sensors, 'sensor')}; real ones have dozens.`, bmc, 'sensors')]
      : []),
    ...(agrees === false
      ? [
          oddSign(
            'The serial numbers in the management controller’s inventory are none of those that the firmware reports.',
            bmc,
            'inventory',
          ),
        ]
      : []),
  ]
}

const depth: Signal = {
  id: 'bmc.depth',
  family: 'management',
  title: 'What the management controller knows',
  onMetal:
    '50 to 200 sensors that move, an inventory with the firmware’s serial numbers, a history of events, power in watts',
  onGuest: 'QEMU’s model: one sensor, no inventory, no event, no power',
  spoofingEffort: 'S0',
  pitfalls: [
    'QEMU’s ipmi-bmc-extern lets a program imitate any controller.',
    'After a repair the inventory can carry the serial numbers of the part that was replaced.',
    'Nodes of a shared chassis have fewer sensors.',
    'A provider may return any data through the controller; only its own network port can be queried independently.',
  ],
  source: 'ipmitool(1); IPMI 2.0 §33, §38. Measured: QEMU’s ipmi-bmc-sim returns one sensor and no inventory.',
  probes: [bmc, bmcPresence, dmiIdentity, hostSerials],
  observe(read) {
    const reading = read(bmc)
    if (!reading.ok) {
      const presence = read(bmcPresence)
      return reading.reason === NO_CONTROLLER && presence.ok && !presence.fact.device
        ? notApplicable('The kernel offers no management controller.')
        : unreadable(bmc, reading.reason)
    }
    const { fact } = reading
    if (fact.unanswered !== undefined)
      return unreadable(bmc, `the management controller’s response about ${fact.unanswered.join(', ')} was not read`)
    const serials = read(hostSerials)
    const agrees = serialsAgree(fact.inventory, serials.ok ? serials.fact : null)
    const sensors = fact.sensors === null ? 'no list of sensors' : count(fact.sensors, 'sensor')
    const summary = `${sensors}, ${fact.inventory === null ? 'no inventory' : 'an inventory'}, ${count(fact.events ?? 0, 'event')}${fact.watts === null ? '' : `, ${fact.watts} W`}`
    const signs = depthSigns(fact, agrees)
    if (signs.length > 0) return virtual(summary, ...signs)
    return (fact.readings ?? 0) >= MANY_SENSORS
      ? metal(
          summary,
          supports(
            `The management controller (${plain(fact.maker ?? 'manufacturer not stated', 60)}) reads ${count(fact.readings ?? 0, 'sensor')}${agrees === true ? ', and its inventory has the serial number of the firmware' : ''}.`,
            bmc,
          ),
        )
      : neutral(summary)
  },
}

/** Programs that run in guests, by the 15 characters that the kernel keeps of a name. */
const AGENTS: ReadonlyMap<string, string | null> = new Map<string, string | null>([
  ['qemu-ga', 'QEMU'],
  ['spice-vdagentd', 'QEMU'],
  ['vmtoolsd', 'VMware'],
  ['VGAuthService', 'VMware'],
  ['hv_kvp_daemon', 'Microsoft Hyper-V'],
  ['hv_vss_daemon', 'Microsoft Hyper-V'],
  ['hv_fcopy_daemon', 'Microsoft Hyper-V'],
  ['VBoxService', 'VirtualBox'],
  ['xe-daemon', 'Xen'],
  ['prltoolsd', 'Parallels'],
  ['waagent', null],
  ['google_guest_ag', null],
  ['google_osconfig', null],
  ['amazon-ssm-agen', null],
  ['aliyun-service', null],
])

const agent: Signal = {
  id: 'agent.guest',
  family: 'management',
  title: 'Programs that hypervisors want in their guests',
  onMetal: 'none, unless the image was made for guests',
  onGuest: 'a guest agent of the hypervisor or of the cloud',
  spoofingEffort: 'S0',
  pitfalls: [
    'One image often serves guests and hardware: the agent then runs on both.',
    'Agents in Python go by that name.',
  ],
  source: 'Names of the programs in their own packages; proc_pid_comm(5).',
  probes: [tenancyProcesses],
  observe(read) {
    const reading = read(tenancyProcesses)
    if (!reading.ok) return unreadable(tenancyProcesses, reading.reason)
    const { processes, isComplete } = reading.fact
    const found = [...new Set(processes.map(({ command }) => command))].filter((command) => AGENTS.has(command))
    if (found.length > 0)
      return virtual(
        named(found, 4),
        ...found.map((command) =>
          sign(
            'hint',
            AGENTS.get(command) ?? null,
            contradicts(`The program ${named([command])} runs here; it is made for guests.`, tenancyProcesses),
          ),
        ),
      )
    return isComplete ? metal('none runs') : neutral('none was seen, and not all programs were')
  },
}

const KERNEL_FOR_GUESTS = /-(aws|azure|gcp|gke|kvm|cloud|oracle|ibm|virtual)(-|$)/

const cloud: Signal = {
  id: 'cloud.id',
  family: 'management',
  title: 'Cloud and kernel that this system was made for',
  onMetal: 'a general kernel; bare-metal clouds name themselves too',
  onGuest: 'a cloud’s name, a kernel built for one cloud or for guests',
  spoofingEffort: 'S0',
  pitfalls: [
    'Clouds use the same images and the same first-boot program for bare metal.',
    'Any administrator can install either kernel.',
  ],
  source: 'cloud-init documentation, instance metadata; kernel packages of Ubuntu and Debian.',
  probes: [osIdentity, cloudInit],
  observe(read) {
    const [system, first] = [read(osIdentity), read(cloudInit)]
    if (!system.ok) return unreadable(osIdentity, system.reason)
    const name = first.ok ? first.fact.cloudName : null
    const flavour = KERNEL_FOR_GUESTS.exec(system.fact.kernel)?.[1]
    // cloud-init names its fallback, DataSourceNone, “none”.
    const summary = `${name === null || name === 'none' ? 'no cloud named' : `cloud ${named([name])}`}, kernel ${flavour === undefined ? 'for general use' : `of the flavour “${flavour}”`}`
    return flavour === undefined
      ? neutral(summary)
      : virtual(
          summary,
          hintSign(`The kernel is of the flavour “${flavour}”, made for a cloud or for guests.`, osIdentity, 'kernel'),
        )
  },
}

const boot: Signal = {
  id: 'sec.boot',
  family: 'management',
  title: 'Secure Boot',
  onMetal: 'on or off',
  onGuest: 'on or off: monitors offer it to guests as well',
  spoofingEffort: 'S0',
  pitfalls: ['It shows what firmware checked, and is no evidence of what is beneath it.'],
  source: 'UEFI 2.10 §3.3 and §32.3.',
  probes: [secureBoot],
  observe(read) {
    const reading = read(secureBoot)
    if (!reading.ok) return unreadable(secureBoot, reading.reason)
    const { firmware, secureBoot: on } = reading.fact
    return neutral(firmware === 'other' ? 'not started by UEFI' : on === true ? 'on' : 'off')
  },
}

/** Signals of the management controller, the TPM and the system’s own software. */
export const managementSignals: readonly Signal[] = [device, depth, ...tpmSignals, agent, cloud, boot]
