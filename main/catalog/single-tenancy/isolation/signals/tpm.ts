import { quote } from '../../../../core/base/plain-text.ts'
import type { Read } from '../../../../core/recording/readings.ts'
import { contradicts, count, supports, unclear } from '../../../base/steps.ts'
import { cpuFeatures } from '../../../hardware/processors/features.ts'
import {
  NO_LOG,
  NO_TPM_DEVICE,
  NO_TPM_VISIBLE,
  tpmEk,
  tpmMeasurements,
  tpmPresence,
} from '../../boot-integrity/index.ts'
import {
  metal,
  neutral,
  notApplicable,
  type Observation,
  oddSign,
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
  const signOf = (weight: Sign['weight'], platform: string | null, text: string): Sign =>
    sign(weight, platform, contradicts(text, tpmMeasurements))
  const named = VERSIONS.flatMap(({ pattern, platform }) => {
    const words = versions.find((version) => pattern.test(version))
    return words === undefined
      ? []
      : [signOf('names', platform, `The firmware measured itself as ${quote(words)}, the firmware of ${platform}.`)]
  })
  const edk = versions.find((version) => /\b(edk2|EDK II|OVMF)\b/i.test(version))
  return [
    ...named,
    ...(OVMF_VOLUMES.every((base) => blobs.some((blob) => blob.base === base))
      ? [
          signOf(
            'impossible',
            null,
            'The firmware measured its volumes at 0x820000 and 0x900000 in low memory: that is OVMF, the UEFI firmware of virtual machines.',
          ),
        ]
      : []),
    ...(edk === undefined
      ? []
      : [
          signOf(
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
    const summary = `${count(events, 'event')}, ${equal.length} of ${count(compared.length, 'register')} replay`
    const signs = [
      ...firmwareSigns(reading.fact, cpu.ok && cpu.fact.architecture === 'x86'),
      ...(compared.length >= 4 && equal.length === 0
        ? [
            oddSign(
              `None of the TPM’s ${compared.length} registers has the value that the firmware’s log leads to: the log is not of this TPM.`,
              tpmMeasurements,
            ),
          ]
        : []),
    ]
    if (signs.length > 0) return virtual(summary, ...signs)
    if (!tpm.ok) return unreadable(tpmPresence, tpm.reason)
    if (compared.length >= 4 && equal.length === compared.length)
      return metal(
        summary,
        supports(
          `The firmware’s log of ${count(events, 'event')} leads to the values of the TPM’s registers, and names no virtual firmware. A software TPM would replay too.`,
          tpmMeasurements,
        ),
      )
    return neutral(
      summary,
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
    const issuedBy = `issued by ${quote(issuer.replaceAll('\n', ', '), 160)}`
    const known = VIRTUAL_ISSUERS.find(({ pattern }) => pattern.test(issuer))
    if (known !== undefined)
      return virtual(
        issuedBy,
        sign('names', known.platform, contradicts(`The TPM’s certificate is of ${known.who}: ${issuedBy}.`, tpmEk)),
      )
    return neutral(
      issuedBy,
      unclear(
        MAKERS.test(issuer)
          ? `The TPM’s certificate names a chip manufacturer (${issuedBy}); it can be copied, and its key was not challenged.`
          : `The TPM’s certificate names no known chip manufacturer (${issuedBy}).`,
        tpmEk,
      ),
    )
  },
}

export const tpmSignals: readonly Signal[] = [log, endorsement]
