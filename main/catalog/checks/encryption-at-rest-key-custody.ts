import { defineCheck, type Step } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { type CrypttabEntry, storageCrypttab } from '../probes/crypttab.ts'
import { storageBlockDevices } from '../probes/storage-block-devices.ts'
import { storageMounts } from '../probes/storage-mounts.ts'
import { storageSwaps } from '../probes/swaps.ts'
import { weigh } from '../steps.ts'
import { keySource, unlistedVolumes } from '../storage/key-source.ts'
import { cryptDevices, readStorage, STORAGE_WANTS, type Storage } from '../storage/roots.ts'

export const encryptionAtRestKeyCustody = defineCheck({
  id: 'encryption.at-rest.key-custody',
  property: 'encryption-at-rest',
  claim: 'No key of an encrypted volume lies in a file on a drive that is open itself.',
  limits:
    'Read from crypttab, which says how a volume is meant to be opened. Key slots, tokens, copies of keys in the start-up image, and how keys are kept outside the node are not read.',
  needs: { crypttab: storageCrypttab, mounts: storageMounts, devices: storageBlockDevices, swaps: storageSwaps },
  wants: STORAGE_WANTS,
  evaluate({ crypttab, mounts, devices, swaps }, wanted) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const open = cryptDevices(storage).filter(({ uuid }) => !uuid.startsWith('CRYPT-INTEGRITY'))
    if (open.length === 0 && crypttab.entries.length === 0) {
      return {
        verdict: 'not-applicable',
        because: [
          {
            says: 'unclear',
            text: 'No encrypted volume is open, and crypttab lists none.',
            probe: storageBlockDevices.id,
          },
        ],
      }
    }
    const because = [
      ...crypttab.entries.map((entry) => argueEntry(storage, entry)),
      ...unlistedVolumes(open, crypttab).map(
        (name): Step => ({
          says: 'unclear',
          text: `${quote(name)} is open but crypttab does not say how.`,
          probe: storageCrypttab.id,
        }),
      ),
    ]
    return weigh(because)
  },
})

function argueEntry(storage: Storage, entry: CrypttabEntry): Step {
  const name = quote(entry.name)
  const source = keySource(entry)
  const step = (says: Step['says'], text: string): Step => ({
    says,
    text: `${name}: ${text}.`,
    probe: storageCrypttab.id,
  })
  if (source.kind === 'file') {
    const { outcome, path } = storage.path(source.path)
    const where = `the key file ${quote(source.path)} lies on ${path.join(' → ')}`
    if (outcome === 'exposed') return step('against', `${where}, which is open: the key lies beside the lock`)
    return step(outcome === 'encrypted' ? 'for' : 'unclear', where)
  }
  if (source.kind === 'script') return step('unclear', 'a script gives the key; where it takes it from is not known')
  return step('for', source.says)
}
