import { certificateNames } from '../../../core/base/pem.ts'
import { plain } from '../../../core/base/plain-text.ts'
import { firstValue } from '../../../core/der/read.ts'
import { type Answer, defineProbe, glob, known, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { defineCheck } from '../../../core/rules/check.ts'
import { inOrder, isAbsent, lines, oneLineFiles } from '../../base/read-text.ts'
import { contradicts, count, decide, supports, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import { readTcgLog, type TcgLog } from '../isolation/tcg-log.ts'
import data from './checks.json' with { type: 'json' }

interface SecureBoot {
  /** How the firmware started the system: without an efi folder in a filled /sys/firmware, it was not UEFI. */
  readonly firmware: 'uefi' | 'other'
  /** UEFI specification §3.3: SecureBoot and SetupMode; null when the variable does not exist. */
  readonly secureBoot: boolean | null
  readonly setupMode: boolean | null
  /** The shim boot loader was reported not to check signatures (MokSBState). */
  readonly shimSkipsChecks: boolean
}

/** efivarfs gives four bytes of attributes, then the value (Linux Documentation/filesystems/efivarfs.rst). */
export const secureBoot = defineProbe({
  id: 'secure-boot',
  title: 'Secure Boot state',
  why: 'Shows whether the firmware checked signatures when the server started.',
  commands: {
    firmware: run(['ls', '/sys/firmware']),
    secureBoot: run(['cat', '/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c']),
    setupMode: run(['cat', '/sys/firmware/efi/efivars/SetupMode-8be4df61-93ca-11d2-aa0d-00e098032b8c']),
    shim: run(['cat', '/sys/firmware/efi/efivars/MokSBStateRT-605dab50-e046-4300-abb6-3dd810dd8b23']),
  },
  parse(answers) {
    const entries = lines(answers.firmware.text)
    // In a container, this folder is empty, which is no evidence about the machine.
    if (answers.firmware.exitCode !== 0 || entries.length === 0) return unknown('the firmware interface is not visible')
    if (!entries.includes('efi'))
      return known<SecureBoot>({ firmware: 'other', secureBoot: null, setupMode: null, shimSkipsChecks: false })
    const [on, setup, shim] = [flag(answers.secureBoot), flag(answers.setupMode), flag(answers.shim)]
    if (on === 'unreadable' || setup === 'unreadable' || shim === 'unreadable')
      return unknown('the firmware’s variables could not be read')
    return known<SecureBoot>({ firmware: 'uefi', secureBoot: on, setupMode: setup, shimSkipsChecks: shim === true })
  },
})

function flag(answer: Answer): boolean | null | 'unreadable' {
  if (isAbsent(answer)) return null
  const value = answer.bytes[4]
  if (answer.exitCode !== 0 || answer.bytes.length !== 5 || (value !== 0 && value !== 1)) return 'unreadable'
  return value === 1
}

export interface TpmPresence {
  readonly version: string
  /** Platform configuration registers of the SHA-256 bank: number → value in hexadecimal. */
  readonly registers: ReadonlyMap<number, string>
}

export const NO_TPM_VISIBLE = 'no TPM is visible'

/** Linux Documentation/ABI/stable/sysfs-class-tpm. Reading changes nothing in the TPM. */
export const tpmPresence = defineProbe({
  id: 'tpm.presence',
  title: 'Trusted platform module',
  why: 'Shows whether the server has a TPM and what it recorded about the start of the system.',
  ignoredInDrift: {
    why: 'Register 10 receives a measurement of every file that the kernel measures, and registers 16 and 23 are for tests.',
    normalize: ({ version, registers }: TpmPresence) => ({
      version,
      registers: inOrder([...registers].filter(([number]) => ![10, 16, 23].includes(number))),
    }),
  },
  commands: {
    files: run([
      'grep',
      '-s',
      '-H',
      '',
      '/sys/class/tpm/tpm0/tpm_version_major',
      glob('/sys/class/tpm/tpm0/pcr-sha256/*'),
    ]),
  },
  parse({ files }) {
    const values = oneLineFiles(files.text)
    const version = values.get('/sys/class/tpm/tpm0/tpm_version_major')
    if (version === undefined) return unknown(NO_TPM_VISIBLE)
    const registers = [...values].flatMap(([path, value]) => {
      const [, number] = /\/pcr-sha256\/(\d{1,2})$/.exec(path) ?? []
      return number === undefined || !/^[0-9A-Fa-f]{64}$/.test(value)
        ? []
        : [[Number(number), value.toLowerCase()] as const]
    })
    return known<TpmPresence>({ version, registers: new Map(registers) })
  },
})

const LOG = '/sys/kernel/security/tpm0/binary_bios_measurements'

export const NO_LOG = 'the firmware handed over no log of the start'

/** Linux Documentation/security/tpm/tpm_event_log.rst. The log is what the firmware wrote down of the start; reading it does not reach the TPM. */
export const tpmMeasurements = defineProbe({
  id: 'tpm.measurements',
  title: 'Firmware boot log (TPM)',
  why: 'The log replays to the TPM’s registers, and shows which firmware was measured: the firmware of a virtual machine names itself.',
  commands: {
    log: runAsRoot(['cat', LOG], { needsPath: [LOG], maxBytes: 2 * 1024 * 1024 }),
  },
  parse({ log }) {
    if (isAbsent(log)) return unknown(NO_LOG)
    if (log.exitCode !== 0) return unknown('the firmware’s log of the start could not be read')
    const read = readTcgLog(log.bytes)
    if (read === 'no SHA-256') return unknown('the firmware’s log of the start has no SHA-256 digests')
    return read === 'broken' ? unknown('the firmware’s log of the start does not add up') : known<TcgLog>(read)
  },
})

interface TpmEndorsement {
  /**
   * The issuer of the certificate of the TPM’s endorsement key, one name per line, as stated in the certificate; null
   * where the TPM has none.
   */
  readonly issuer: string | null
  readonly validTo: string | null
}

export const NO_TPM_DEVICE = 'the kernel offers no TPM'
// TPM 2.0 part 2, 6.6.3: TPM_RC_HANDLE for the first handle, as tpm2-tss prints it. The index is not defined.
const NO_SUCH_INDEX = /\b0x18B\b/i

/**
 * The certificate that the TPM’s manufacturer left at index 0x1c00002 (TCG EK Credential Profile 2.5, §2.2.1.4). It is public. The index is
 * read with the owner’s authorization, which wrong tries cannot lock; it opens the kernel’s resource manager and nothing else, starts no
 * service, writes no file and asks no network.
 */
export const tpmEk = defineProbe({
  id: 'tpm.ek',
  title: 'Certificate of the TPM’s endorsement key',
  why: 'Its issuer is the manufacturer of the TPM; software TPMs of hypervisors carry one issued by themselves or by their cloud.',
  commands: {
    certificate: runAsRoot(['tpm2_nvread', '-T', 'device:/dev/tpmrm0', '-C', 'o', '0x1c00002'], {
      needsPath: ['/dev/tpmrm0'],
      timeoutSeconds: 30,
      maxBytes: 16 * 1024,
    }),
  },
  parse({ certificate }) {
    if (isAbsent(certificate)) return unknown(NO_TPM_DEVICE)
    if (certificate.exitCode !== 0 && NO_SUCH_INDEX.test(certificate.errorText))
      return known<TpmEndorsement>({ issuer: null, validTo: null })
    if (certificate.exitCode !== 0) return unknown('the TPM gave no certificate of its endorsement key')
    // An index is often larger than the certificate in it.
    const names = certificateNames(firstValue(certificate.bytes)?.bytes ?? certificate.bytes)
    return names === null
      ? unknown('what the TPM gave is no certificate')
      : known<TpmEndorsement>({ issuer: names.issuer.slice(0, 1000), validTo: names.validTo })
  },
})

const integritySecureBoot = defineCheck({
  id: 'integrity.secure-boot',
  property: 'integrity',
  expected: 'The firmware reports that Secure Boot was on and enforcing when the server started.',
  limitations:
    'The firmware reports on itself, and an administrator of the firmware can change its keys. Which keys it trusts was not read. What ran after the boot loader depends on kernel settings.',
  requires: { boot: secureBoot },
  evaluate({ boot }) {
    if (boot.firmware === 'other')
      return decide([
        contradicts('The server did not start through UEFI, so Secure Boot was not in use.', secureBoot, 'firmware'),
      ])
    return decide([
      boot.secureBoot === null
        ? unclear(
            'The server started through UEFI, and the variable SecureBoot is not visible.',
            secureBoot,
            'secureBoot',
          )
        : boot.secureBoot
          ? supports('The firmware variable SecureBoot is 1.', secureBoot, 'secureBoot')
          : contradicts(
              'The firmware variable SecureBoot is 0: signatures were not checked.',
              secureBoot,
              'secureBoot',
            ),
      boot.setupMode === null
        ? unclear('The firmware variable SetupMode is not visible.', secureBoot, 'setupMode')
        : boot.setupMode
          ? contradicts('The firmware is in setup mode: anyone with root can enrol keys.', secureBoot, 'setupMode')
          : supports('The firmware is not in setup mode.', secureBoot, 'setupMode'),
      boot.shimSkipsChecks
        ? contradicts('The boot loader shim is configured not to check signatures.', secureBoot, 'shim')
        : supports('The boot loader shim is not configured to skip signature checks.', secureBoot, 'shim'),
    ])
  },
})

const integrityMeasuredBoot = defineCheck({
  id: 'integrity.measured-boot',
  property: 'integrity',
  expected: 'The server has a TPM that recorded measurements of its start.',
  ends: 'recorded',
  limitations:
    'The values are read through the running system and are not signed by the TPM; without known good values they show only that something was measured. No expected value is set.',
  requires: { tpm: tpmPresence },
  optional: { log: tpmMeasurements },
  evaluate({ tpm }, { log }) {
    const measured = [...tpm.registers].filter(([number, value]) => number < 8 && !/^(0+|f+)$/.test(value))
    return {
      verdict: 'informational',
      observations: [
        supports(`A TPM of version ${plain(tpm.version, 10)} is present.`, tpmPresence),
        supports(`${count(measured.length, 'register')} of the firmware’s eight hold measurements.`, tpmPresence),
        ...(log.ok
          ? [
              supports(
                'The firmware’s log of the start is there; it was compared with no known good values.',
                tpmMeasurements,
              ),
            ]
          : []),
      ],
    }
  },
})

export const bootIntegritySubject = defineSubject({
  id: 'boot-integrity',
  title: 'Secure Boot and measured boot',
  probes: [tpmEk, tpmMeasurements, secureBoot, tpmPresence],
  checks: [integritySecureBoot, integrityMeasuredBoot],
  data,
})
