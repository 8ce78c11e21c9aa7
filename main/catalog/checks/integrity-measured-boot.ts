import { defineCheck } from '../../core/check.ts'
import { plain } from '../../core/plain-text.ts'
import { tpmMeasurements } from '../probes/tpm-measurements.ts'
import { tpmPresence } from '../probes/tpm-presence.ts'
import { count, supports } from '../steps.ts'

export const integrityMeasuredBoot = defineCheck({
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
