import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { readTcgLog, type TcgLog } from '../isolation/tcg-log.ts'
import { isAbsent } from '../read-text.ts'

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
