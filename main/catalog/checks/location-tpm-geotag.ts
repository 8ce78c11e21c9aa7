import { defineCheck, unclearAbout } from '../../core/check.ts'
import { tpmTagSignals } from '../location/signals/tpm-tag.ts'
import { tpmPresence } from '../probes/tpm-presence.ts'
import { tpmTag } from '../probes/tpm-tag.ts'
import { supports, unclear } from '../steps.ts'

export const locationTpmGeotag = defineCheck({
  id: 'location.tpm-geotag',
  property: 'location',
  expected: 'Traces of a location tag in the TPM of this server are recorded.',
  ends: 'recorded',
  limitations:
    'A recorded fact only: without a quote over a fresh nonce, signed by a key that the tag’s authority confirms, neither a register nor an index attests to anything. The tag itself is not read, and a TPM without traces is no evidence for or against a location.',
  requires: { registers: tpmPresence },
  optional: { tag: tpmTag },
  evaluate({ registers }, { tag }) {
    const traces = tpmTagSignals(tag, { ok: true, fact: registers })
    return {
      verdict: 'informational',
      observations: [
        ...traces.map(({ text, probe }) => supports(text, probe === tpmTag.id ? tpmTag : tpmPresence)),
        ...(traces.length === 0 ? [unclear('No trace of a location tag was seen in the TPM.', tpmPresence)] : []),
        ...unclearAbout(tpmTag, tag),
      ],
    }
  },
})
