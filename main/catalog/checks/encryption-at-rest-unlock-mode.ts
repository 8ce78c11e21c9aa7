import { defineCheck, type Step } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { storageCrypttab } from '../probes/crypttab.ts'
import { keySource } from '../storage/key-source.ts'

/** A record, not a judgement: no rule sets the mode, but a reader must see it beside every verdict about encrypted volumes. */
export const encryptionAtRestUnlockMode = defineCheck({
  id: 'encryption.at-rest.unlock-mode',
  property: 'encryption-at-rest',
  claim: 'How encrypted volumes are opened at start was recorded.',
  ends: 'recorded',
  limits:
    'Shows the mechanism that crypttab names, not who could trigger it. A volume that opens without a person may also open for whoever takes the whole node.',
  needs: { crypttab: storageCrypttab },
  evaluate({ crypttab }) {
    const probe = storageCrypttab.id
    const because = crypttab.entries.map((entry): Step => {
      const { attended, says } = keySource(entry)
      const mode =
        attended === null
          ? 'not decided whether a person is needed'
          : attended
            ? 'needs a person'
            : 'opens without a person'
      return { says: 'unclear', text: `${quote(entry.name)}: ${mode}: ${says}.`, probe }
    })
    const empty: Step = {
      says: 'unclear',
      text: crypttab.present ? 'crypttab lists no volumes.' : 'The node has no crypttab.',
      probe,
    }
    return { verdict: 'informational', because: because.length > 0 ? because : [empty] }
  },
})
