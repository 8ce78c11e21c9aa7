import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { type CrypttabEntry, storageCrypttab } from '../probes/crypttab.ts'
import { type DmTable, dmTargets } from '../probes/dm-table.ts'
import { storageBlockDevices } from '../probes/storage-block-devices.ts'
import { storageKeyFiles } from '../probes/storage-key-files.ts'
import { type Mounts, storageMounts } from '../probes/storage-mounts.ts'
import { storageUnlockHelpers, type UnlockHelpers } from '../probes/storage-unlock-helpers.ts'
import { storageSwaps } from '../probes/swaps.ts'
import { storageZfs, type ZfsEncryption } from '../probes/zfs-encryption.ts'
import { contradicts, decide, named, supports, unclear } from '../steps.ts'
import { numberOfPath } from '../storage/graph.ts'
import { keySource, unlistedVolumes } from '../storage/key-source.ts'
import { UNLOCK_LIMITS } from '../storage/limits.ts'
import type { Walked } from '../storage/outcome.ts'
import { cryptDevices, readStorage, STORAGE_WANTS, type Storage } from '../storage/roots.ts'

export const encryptionAtRestKeyCustody = defineCheck({
  id: 'encryption.at-rest.key-custody',
  property: 'encryption-at-rest',
  expected: 'No key of an encrypted volume is stored in a file on an unencrypted drive.',
  limitations: `${UNLOCK_LIMITS} Read from crypttab, the default folders of key files, and the settings of the start-up image, which state how a volume is to be opened. Key slots and tokens in the headers of volumes, the content of the start-up image, copies of keys elsewhere, and how keys are kept outside the node are not read.`,
  requires: { crypttab: storageCrypttab, mounts: storageMounts, devices: storageBlockDevices, swaps: storageSwaps },
  optional: { ...STORAGE_WANTS, keyFiles: storageKeyFiles, helpers: storageUnlockHelpers },
  evaluate({ crypttab, mounts, devices, swaps }, { keyFiles, helpers, ...wanted }) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const open = cryptDevices(storage).filter(({ uuid }) => !uuid.startsWith('CRYPT-INTEGRITY'))
    const others = [...unreadLayers(storage, wanted.dmTable), ...encryptedDatasets(mounts, wanted.zfs)]
    if (open.length === 0 && crypttab.entries.length === 0 && others.length === 0) {
      return {
        verdict: 'not-applicable',
        observations: [unclear('No encrypted volume is open, and crypttab lists none.', storageBlockDevices)],
      }
    }
    const found = keyFiles.ok ? keyFiles.fact.paths : []
    return decide([
      ...crypttab.entries.map((entry) => argueEntry(storage, entry, found)),
      ...unlistedVolumes(open, crypttab).map((name) =>
        unclear(`${quote(name)} is open but crypttab does not state how.`, storageCrypttab),
      ),
      ...others,
      ...(helpers.ok ? argueImage(storage, helpers.fact) : []),
      ...unclearAbout(storageKeyFiles, keyFiles),
      ...unclearAbout(storageUnlockHelpers, helpers),
    ])
  },
})

/** Without the table, what a device of the device mapper does is reported by its identifier alone; one without may encrypt. */
function unreadLayers({ graph }: Storage, table: Parsed<DmTable>): readonly DraftObservation[] {
  const names = [...graph.devices.values()].flatMap(({ isDm, dmUuid, name }) =>
    isDm && (dmUuid ?? '') === '' && (!table.ok || dmTargets(table.fact, name) === undefined) ? [name] : [],
  )
  return names.length === 0
    ? []
    : [unclear(`Whether these layers encrypt was not read: ${named(names)}.`, storageBlockDevices)]
}

function encryptedDatasets({ mounts }: Mounts, zfs: Parsed<ZfsEncryption>): readonly DraftObservation[] {
  const names = zfs.ok
    ? [...zfs.fact.datasets].flatMap(([name, { encryption }]) => (/^(off|-|)$/.test(encryption) ? [] : [name]))
    : []
  if (names.length > 0)
    return [unclear(`Where the keys of ZFS data sets lie is not read: ${named(names)}.`, storageZfs)]
  return !zfs.ok && mounts.some(({ fsType }) => fsType === 'zfs') ? unclearAbout(storageZfs, zfs) : []
}

const isOpen = ({ outcome }: Walked): boolean => outcome === 'exposed' || outcome === 'encrypted-broken'
const way = ({ path }: Walked): string => path.join(' → ')

function argueEntry(storage: Storage, entry: CrypttabEntry, found: readonly string[]): DraftObservation {
  const name = quote(entry.name)
  const source = keySource(entry, found)
  switch (source.kind) {
    case 'file': {
      const probe = source.path === entry.keyFile ? storageCrypttab : storageKeyFiles
      const walked = storage.path(source.path)
      const where = `${name}: the key file ${quote(source.path)} is on ${way(walked)}`
      if (isOpen(walked))
        return contradicts(`${where}, which is unencrypted: the key is stored in clear text on this node.`, probe)
      return walked.outcome === 'encrypted' ? supports(`${where}.`, probe) : unclear(`${where}.`, probe)
    }
    case 'elsewhere': {
      const number = numberOfPath(storage.graph, source.device)
      const walked = number === undefined ? undefined : storage.device(number)
      return walked !== undefined && isOpen(walked)
        ? contradicts(
            `${name}: ${source.says}; that device is in the machine now and is open: ${way(walked)}.`,
            storageCrypttab,
          )
        : unclear(`${name}: ${source.says}, ${quote(source.device)}; where it is kept is not known.`, storageCrypttab)
    }
    case 'empty':
      return contradicts(`${name}: ${source.says}, so that no key may be needed.`, storageCrypttab)
    case 'script':
      return unclear(`${name}: a script gives the key; where it takes it from is not known.`, storageCrypttab)
    default:
      return supports(`${name}: ${source.says}.`, storageCrypttab)
  }
}

/** The image that starts the machine must be read before anything is unlocked, so a key in it is as open as the drive below /boot. */
function argueImage(storage: Storage, { imageKeys, kernelWords }: UnlockHelpers): readonly DraftObservation[] {
  const keys = [...imageKeys, ...kernelWords.filter((word) => /^((rd\.)?luks\.key|cryptkey)=/.test(word))]
  if (keys.length === 0)
    return [supports('No setting adds key files to the start-up image.', storageUnlockHelpers, 'image', 'kernel')]
  const walked = storage.path('/boot')
  const where = `Key files are added to the start-up image, or named in its settings (${named(keys)}); it is on ${way(walked)}`
  if (isOpen(walked)) return [contradicts(`${where}, which is open.`, storageUnlockHelpers)]
  return [
    walked.outcome === 'encrypted'
      ? supports(`${where}.`, storageUnlockHelpers)
      : unclear(`${where}.`, storageUnlockHelpers),
  ]
}
