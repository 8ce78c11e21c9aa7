import { type Answer, defineProbe, known, run, unknown } from '../../core/probe.ts'
import { isAbsent, lines } from '../read-text.ts'

export interface SecureBoot {
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
    // A container shows an empty folder here, which is no evidence of the machine.
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
