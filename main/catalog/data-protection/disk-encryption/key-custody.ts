import { quote } from '../../../core/base/plain-text.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { contradicts, decide, named, supports, unclear } from '../../base/steps.ts'
import { type DmTable, dmTargets, storageBlockDevices, storageSwaps } from '../block-devices/index.ts'
import { storageZfs, type ZfsEncryption } from '../block-devices/zfs.ts'
import { type Mounts, storageMounts } from '../mounts/probes.ts'
import { numberOfPath, type Walked } from './graph.ts'
import {
  type Crypttab,
  type CrypttabEntry,
  storageCrypttab,
  storageKeyFiles,
  storageUnlockHelpers,
  type UnlockHelpers,
} from './probes.ts'
import { cryptDevices, readStorage, STORAGE_WANTS, type Storage, UNLOCK_LIMITS } from './roots.ts'

/**
 * The source of a key according to crypttab(5). `attended`: a person is needed; null where crypttab does not show it.
 * `file`: a path of this node; `elsewhere`: a path on a separately named device, or the device itself; `empty`: an
 * empty passphrase is tried.
 */
export type KeySource =
  | { readonly kind: 'file'; readonly path: string; readonly attended: false; readonly description: string }
  | { readonly kind: 'elsewhere'; readonly device: string; readonly attended: false; readonly description: string }
  | { readonly kind: 'script'; readonly attended: null; readonly description: string }
  | { readonly kind: 'empty'; readonly attended: false; readonly description: string }
  | { readonly kind: 'random' | 'hardware' | 'prompt'; readonly attended: boolean | null; readonly description: string }

/** `found`: the key files in the places where systemd looks by itself (storageKeyFiles). */
export function keySource({ name, keyFile, options }: CrypttabEntry, found: readonly string[] = []): KeySource {
  const option = (wanted: string): string | undefined =>
    options.find((one) => one === wanted || one.startsWith(`${wanted}=`))?.slice(wanted.length + 1)
  const isOn = (wanted: string): boolean => /^(|yes|true|1|on)$/.test(option(wanted) ?? 'no')
  const script = option('keyscript')
  if (script !== undefined) return scripted(script)
  if (keyFile !== null && /^\/dev\/(u|hw)?random$/.test(keyFile)) {
    return { kind: 'random', attended: false, description: 'a new random key at every start, not stored' }
  }
  if (isOn('try-empty-password'))
    return { kind: 'empty', attended: false, description: 'an empty passphrase is tried first' }
  if (option('tpm2-device') !== undefined) {
    return isOn('tpm2-pin')
      ? {
          kind: 'hardware',
          attended: true,
          description: 'the key is sealed to the node’s TPM and a PIN that a person types',
        }
      : { kind: 'hardware', attended: false, description: 'the key is sealed to the node’s TPM' }
  }
  if (option('fido2-device') !== undefined) return { kind: 'hardware', attended: true, description: 'a FIDO2 token' }
  if (option('pkcs11-uri') !== undefined) return { kind: 'hardware', attended: null, description: 'a PKCS #11 token' }
  if (keyFile === null) return withoutKeyFile(name, options, found)
  return namedSource(keyFile)
}

/** Scripts that Debian ships (cryptsetup's README.Debian, "keyscripts"); any other may take the key from anywhere. */
function scripted(script: string): KeySource {
  if (/(^|\/)decrypt_(opensc|gnupg-sc)$/.test(script))
    return { kind: 'hardware', attended: true, description: 'a smart card and its PIN' }
  if (/(^|\/)(askpass|decrypt_keyctl)$/.test(script))
    return { kind: 'prompt', attended: true, description: 'a passphrase that a person types at start' }
  return { kind: 'script', attended: null, description: 'a script on the node supplies the key' }
}

function withoutKeyFile(name: string, options: readonly string[], found: readonly string[]): KeySource {
  const path = found.find((one) => one.endsWith(`-keys.d/${name}.key`))
  if (path !== undefined)
    return { kind: 'file', path, attended: false, description: 'a key file in a default location' }
  const late = options.includes('_netdev') ? ' once the network is up' : ''
  return {
    kind: 'prompt',
    attended: null,
    description: `no key file; a passphrase is requested at start${late}, supplied by a person, a token in the volume’s header or a network unlock service`,
  }
}

/** The third field: a path, a path followed by a colon and its device, a device, or another form. */
function namedSource(keyFile: string): KeySource {
  if (keyFile.startsWith('/dev/'))
    return {
      kind: 'elsewhere',
      device: keyFile,
      attended: false,
      description: 'a device that stores the key in clear text',
    }
  const colon = keyFile.indexOf(':')
  if (keyFile.startsWith('/') && colon > 0)
    return {
      kind: 'elsewhere',
      device: keyFile.slice(colon + 1),
      attended: false,
      description: 'a key file on a separate device',
    }
  return keyFile.startsWith('/')
    ? { kind: 'file', path: keyFile, attended: false, description: 'a key file on the node' }
    : { kind: 'script', attended: null, description: 'a source in crypttab in a form not known here' }
}

/** Open volumes that crypttab has no line for: opened by hand, by the start-up image, or by another program. */
function unlistedVolumes(open: readonly { readonly name: string }[], crypttab: Crypttab): readonly string[] {
  const listed = new Set(crypttab.entries.map(({ name }) => name))
  return open
    .map(({ name }) => name)
    .filter((name) => !listed.has(name))
    .sort()
}

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
    case 'elsewhere':
      return onDevice(storage, `${name}: ${source.description}`, source.device, storageCrypttab)
    case 'empty':
      return contradicts(`${name}: ${source.description}, so that no key may be needed.`, storageCrypttab)
    case 'script':
      return unclear(`${name}: a script gives the key; where it takes it from is not known.`, storageCrypttab)
    default:
      return supports(`${name}: ${source.description}.`, storageCrypttab)
  }
}

/** The image that starts the machine must be read before anything is unlocked, so a key in it is as open as the drive below /boot. */
function argueImage(storage: Storage, { imageKeys, kernelWords }: UnlockHelpers): readonly DraftObservation[] {
  const words = kernelWords.filter((word) => /^((rd\.)?luks\.key|cryptkey)=/.test(word))
  const apart = words.filter((word) => ON_A_DEVICE.test(word))
  return [
    ...apart.map((word) =>
      onDevice(
        storage,
        `The kernel’s command line names a key file on a separate device (${quote(word)})`,
        /[:=](\/dev\/[^:]+)/.exec(word)?.[1] ?? '',
        storageUnlockHelpers,
      ),
    ),
    ...inImage(storage, [...imageKeys, ...words.filter((word) => !apart.includes(word))]),
  ]
}

/** A key on a device with a name of its own: one that is in the machine now, without encryption, holds it in clear text. */
function onDevice(
  storage: Storage,
  what: string,
  device: string,
  probe: typeof storageCrypttab | typeof storageUnlockHelpers,
): DraftObservation {
  const number = numberOfPath(storage.graph, device)
  const walked = number === undefined ? undefined : storage.device(number)
  return walked !== undefined && isOpen(walked)
    ? contradicts(`${what}; that device is in the machine now and is open: ${way(walked)}.`, probe)
    : unclear(`${what}${device === '' ? '' : `, ${quote(device)}`}; where it is kept is not known.`, probe)
}

/**
 * A key file with the device that it is on: rd.luks.key=/path:UUID=… with or without the volume before it (dracut.cmdline(7),
 * systemd-cryptsetup-generator(8)), and cryptkey=DEVICE:TYPE:/path, where “rootfs” is the image itself.
 */
const ON_A_DEVICE = /^((rd\.)?luks\.key=([0-9a-f-]{1,40}=)?\/[^:]*:[^:]|cryptkey=(?!rootfs:)[^:]{1,200}:)/i

function inImage(storage: Storage, keys: readonly string[]): readonly DraftObservation[] {
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
