import { plain, quote } from '../../../core/plain-text.ts'
import {
  NO_LOG,
  NO_TPM_DEVICE,
  NO_TPM_VISIBLE,
  secureBoot,
  tpmEk,
  tpmMeasurements,
  tpmPresence,
} from '../../boot-integrity/index.ts'
import { dmiIdentity } from '../../machine/dmi.ts'
import { type HostSerials, hostSerials, osIdentity } from '../../machine/identity.ts'
import { type Bmc, bmc, bmcPresence, NO_CONTROLLER } from '../../management-controller/probes.ts'
import { cpuFeatures } from '../../processors/features.ts'
import { cloudInit } from '../../provider-access/index.ts'
import { contradicts, count, named, supports, unclear } from '../../steps.ts'
import { tenancyProcesses } from '../../tenancy/processes.ts'
import {
  claimsServer,
  metal,
  neutral,
  notApplicable,
  type Observation,
  type Read,
  type Sign,
  type Signal,
  sign,
  unreadable,
  virtual,
} from '../signal.ts'
import type { TcgLog } from '../tcg-log.ts'

interface Version {
  readonly pattern: RegExp
  readonly platform: string
}

/** Versions that the firmware of hypervisors measures of itself. */
const VERSIONS: readonly Version[] = [
  { pattern: /^GCE Virtual Firmware/, platform: 'Google Compute Engine' },
  { pattern: /^VMW\d{2}\.\d\dV\./, platform: 'VMware' },
  { pattern: /^Hyper-V UEFI/, platform: 'Microsoft Hyper-V' },
]
// OvmfPkg maps both volumes of its firmware to these addresses in low memory; boards run theirs from flash below 4 GiB.
const OVMF_VOLUMES = [0x820000, 0x900000]

function firmwareSigns({ versions, blobs }: TcgLog, isX86: boolean): readonly Sign[] {
  const say = (weight: Sign['weight'], platform: string | null, text: string): Sign =>
    sign(weight, platform, contradicts(text, tpmMeasurements))
  const named = VERSIONS.flatMap(({ pattern, platform }) => {
    const words = versions.find((version) => pattern.test(version))
    return words === undefined
      ? []
      : [say('names', platform, `The firmware measured itself as ${quote(words)}, the firmware of ${platform}.`)]
  })
  const edk = versions.find((version) => /\b(edk2|EDK II|OVMF)\b/i.test(version))
  return [
    ...named,
    ...(OVMF_VOLUMES.every((base) => blobs.some((blob) => blob.base === base))
      ? [
          say(
            'impossible',
            null,
            'The firmware measured its volumes at 0x820000 and 0x900000 in low memory: that is OVMF, the UEFI firmware of virtual machines.',
          ),
        ]
      : []),
    ...(edk === undefined
      ? []
      : [
          say(
            isX86 ? 'odd' : 'hint',
            null,
            `The firmware measured itself as ${quote(edk)}: virtual machines do, and a few boards.`,
          ),
        ]),
  ]
}

/** Reasons of the probes that state that there is nothing to read, and not that it could not be read. */
const ABSENT: ReadonlySet<string> = new Set([NO_LOG, NO_TPM_DEVICE])
const NO_TPM = 'The kernel shows no TPM.'

/** A machine without a TPM has neither log nor certificate; where one shows, or no one looked, what was not read stays open. */
function withoutAnswer(read: Read, probe: typeof tpmMeasurements | typeof tpmEk, reason: string): Observation {
  const tpm = read(tpmPresence)
  return !tpm.ok && tpm.reason === NO_TPM_VISIBLE && ABSENT.has(reason)
    ? notApplicable(NO_TPM)
    : unreadable(probe, reason)
}

const log: Signal = {
  id: 'tpm.log',
  family: 'management',
  title: 'The firmware’s log of the start, against the TPM',
  onMetal: 'replays to the TPM’s registers 0 to 7, with the versions of the board’s manufacturer',
  onGuest: 'OVMF’s volumes or a cloud’s version; with a host’s TPM passed through no register fits',
  spoofingEffort: 'S0',
  pitfalls: [
    'swtpm and OVMF make a log that replays, by options of libvirt.',
    'A software TPM in a guest replays as well: agreement alone is no evidence of hardware.',
    'Without a signed quote of registers over a number of ours, both can be invented.',
    'Firmware with faulty logs exists; one register that differs is weak evidence.',
  ],
  source:
    'TCG PC Client Platform Firmware Profile 1.06 §10, §3.3; OvmfPkg. Measured: the log of OVMF with a software TPM, which replays in full.',
  probes: [tpmMeasurements, tpmPresence, cpuFeatures],
  observe(read) {
    const [reading, tpm, cpu] = [read(tpmMeasurements), read(tpmPresence), read(cpuFeatures)]
    if (!reading.ok) return withoutAnswer(read, tpmMeasurements, reading.reason)
    const { events, replayed } = reading.fact
    const registers = tpm.ok ? tpm.fact.registers : new Map<number, string>()
    const compared = [...replayed].filter(([number]) => registers.has(number))
    const equal = compared.filter(([number, value]) => registers.get(number) === value)
    const said = `${count(events, 'event')}, ${equal.length} of ${count(compared.length, 'register')} replay`
    const signs = [
      ...firmwareSigns(reading.fact, cpu.ok && cpu.fact.architecture === 'x86'),
      ...(compared.length >= 4 && equal.length === 0
        ? [
            sign(
              'odd',
              null,
              contradicts(
                `None of the TPM’s ${compared.length} registers has the value that the firmware’s log leads to: the log is not of this TPM.`,
                tpmMeasurements,
              ),
            ),
          ]
        : []),
    ]
    if (signs.length > 0) return virtual(said, ...signs)
    if (!tpm.ok) return unreadable(tpmPresence, tpm.reason)
    if (compared.length >= 4 && equal.length === compared.length)
      return metal(
        said,
        supports(
          `The firmware’s log of ${count(events, 'event')} leads to the values of the TPM’s registers, and names no virtual firmware. A software TPM would replay too.`,
          tpmMeasurements,
        ),
      )
    return neutral(
      said,
      unclear(
        `Of ${count(compared.length, 'TPM register')} ${equal.length} have the value that the firmware’s log leads to.`,
        tpmMeasurements,
      ),
    )
  },
}

const VIRTUAL_ISSUERS: readonly { readonly pattern: RegExp; readonly platform: string | null; readonly who: string }[] =
  [
    { pattern: /swtpm/i, platform: null, who: 'the software TPM of virtual machines' },
    { pattern: /Virtual TPM CA/i, platform: 'Microsoft Hyper-V', who: 'Microsoft’s virtual TPMs' },
    { pattern: /O\s*=\s*Google/i, platform: 'Google Compute Engine', who: 'Google’s virtual TPMs' },
    { pattern: /VMware/i, platform: 'VMware', who: 'VMware’s virtual TPMs' },
  ]
const MAKERS = /Infineon|Nuvoton|STMicro|\bSTM\b|Intel|\bAMD\b|Advanced Micro Devices|Winbond|NationZ/i

const endorsement: Signal = {
  id: 'tpm.ek',
  family: 'management',
  title: 'Who signed for the TPM',
  onMetal: 'the manufacturer of the chip: Infineon, Nuvoton, STMicroelectronics, Intel, AMD',
  onGuest: 'an authority that the host made for itself, or a cloud’s authority for virtual TPMs',
  spoofingEffort: 'S0',
  pitfalls: [
    'swtpm’s own authority (swtpm-localca) takes any name, by its settings.',
    'The certificate is public and can be copied from any chip: without a challenge to its key it is no evidence of hardware.',
    'Its signature is not verified up to the manufacturer’s root here.',
    'Some chips store none; it is fetched from the manufacturer.',
  ],
  source: 'TCG EK Credential Profile 2.5 §2.2.1.4; swtpm(8), swtpm_localca.',
  probes: [tpmEk, tpmPresence],
  observe(read) {
    const reading = read(tpmEk)
    if (!reading.ok) return withoutAnswer(read, tpmEk, reading.reason)
    const { issuer } = reading.fact
    if (issuer === null) return neutral('no certificate in the TPM')
    const said = `issued by ${quote(issuer.replaceAll('\n', ', '), 160)}`
    const known = VIRTUAL_ISSUERS.find(({ pattern }) => pattern.test(issuer))
    if (known !== undefined)
      return virtual(
        said,
        sign('names', known.platform, contradicts(`The TPM’s certificate is of ${known.who}: ${said}.`, tpmEk)),
      )
    return neutral(
      said,
      unclear(
        MAKERS.test(issuer)
          ? `The TPM’s certificate names a chip manufacturer (${said}); it can be copied, and its key was not challenged.`
          : `The TPM’s certificate names no known chip manufacturer (${said}).`,
        tpmEk,
      ),
    )
  },
}

const tpmSignals: readonly Signal[] = [log, endorsement]

const saysServer = (read: Read): boolean => {
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
    return saysServer(read)
      ? virtual(
          'none',
          sign(
            'hint',
            null,
            contradicts(
              'The machine calls itself a server and shows no management controller; a provider may hide it.',
              bmcPresence,
            ),
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
      ? [
          sign(
            'odd',
            null,
            contradicts(
              `The management controller has ${count(sensors, 'sensor')}; real ones have dozens.`,
              bmc,
              'sensors',
            ),
          ),
        ]
      : []),
    ...(agrees === false
      ? [
          sign(
            'odd',
            null,
            contradicts(
              'The serial numbers in the management controller’s inventory are none of those that the firmware reports.',
              bmc,
              'inventory',
            ),
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
    const said = `${sensors}, ${fact.inventory === null ? 'no inventory' : 'an inventory'}, ${count(fact.events ?? 0, 'event')}${fact.watts === null ? '' : `, ${fact.watts} W`}`
    const signs = depthSigns(fact, agrees)
    if (signs.length > 0) return virtual(said, ...signs)
    return (fact.readings ?? 0) >= MANY_SENSORS
      ? metal(
          said,
          supports(
            `The management controller (${plain(fact.maker ?? 'manufacturer not stated', 60)}) reads ${count(fact.readings ?? 0, 'sensor')}${agrees === true ? ', and its inventory has the serial number of the firmware' : ''}.`,
            bmc,
          ),
        )
      : neutral(said)
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
    const said = `${name === null ? 'no cloud named' : `cloud ${named([name])}`}, kernel ${flavour === undefined ? 'for general use' : `of the flavour “${flavour}”`}`
    return flavour === undefined
      ? neutral(said)
      : virtual(
          said,
          sign(
            'hint',
            null,
            contradicts(
              `The kernel is of the flavour “${flavour}”, made for a cloud or for guests.`,
              osIdentity,
              'kernel',
            ),
          ),
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

/** What the management controller, the TPM and the system’s own software show. */
export const managementSignals: readonly Signal[] = [device, depth, ...tpmSignals, agent, cloud, boot]
