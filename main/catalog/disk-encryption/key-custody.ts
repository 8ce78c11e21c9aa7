import { type DraftObservation, defineCheck, unclearAbout } from '../../core/check.ts'
import { quote } from '../../core/plain-text.ts'
import { defineProbe, glob, known, type Parsed, run, runAsRoot, unknown } from '../../core/probe.ts'
import { type DmTable, dmTargets, storageBlockDevices, storageSwaps } from '../block-devices/index.ts'
import { storageZfs, type ZfsEncryption } from '../block-devices/zfs.ts'
import { type Mounts, storageMounts } from '../mounts/probes.ts'
import { listedFolders, listingIsComplete } from '../read-listing.ts'
import { foundLines, grepIsComplete, lines } from '../read-text.ts'
import { contradicts, decide, named, supports, unclear } from '../steps.ts'
import { numberOfPath, type Walked } from './graph.ts'
import { cryptDevices, readStorage, STORAGE_WANTS, type Storage, UNLOCK_LIMITS } from './roots.ts'

/**
 * One line of crypttab(5) with its paths and options. A key field that is not a path was masked before it was stored.
 */
interface CrypttabEntry {
  readonly name: string
  readonly device: string
  /** The third field; null for none and -. */
  readonly keyFile: string | null
  readonly options: readonly string[]
}

export interface Crypttab {
  readonly entries: readonly CrypttabEntry[]
  /** False when the node has no such file. */
  readonly present: boolean
}

export const storageCrypttab = defineProbe({
  id: 'storage.crypttab',
  title: 'Key sources of encrypted volumes',
  why: 'Lists how each encrypted volume is opened at boot. The file holds paths and options; anything else in place of a key file is masked.',
  commands: { crypttab: runAsRoot(['cat', '/etc/crypttab'], { needsPath: ['/etc/crypttab'] }) },
  parse: ({ crypttab }) => {
    if (crypttab.exitCode === 0) return parseCrypttab(crypttab.text)
    return /No such file or directory/.test(crypttab.errorText)
      ? known({ entries: [], present: false })
      : unknown('the file /etc/crypttab could not be read')
  },
})

/** Reads crypttab(5): name, device, key file and options, separated by blanks; # starts a comment line. */
export function parseCrypttab(text: string): Parsed<Crypttab> {
  const entries: CrypttabEntry[] = []
  for (const line of text.split('\n')) {
    const fields = line.trim().split(/\s+/)
    const [name = '', device, keyFile = '-', options = ''] = fields
    if (name === '' || name.startsWith('#')) continue
    if (device === undefined || fields.length > 4)
      return unknown(`a line of crypttab could not be read: ${quote(line)}`)
    entries.push({
      name,
      device,
      keyFile: keyFile === 'none' || keyFile === '-' ? null : keyFile,
      options: options.split(',').filter((option) => option !== ''),
    })
  }
  return known({ entries, present: true })
}

interface KeyFiles {
  /** Paths of files in the folders where systemd looks for the key of a volume without a key file in crypttab. */
  readonly paths: readonly string[]
}

const FOLDERS = ['/etc/cryptsetup-keys.d', '/run/cryptsetup-keys.d'] as const

/** crypttab(5), "key-file": without one, `<name>.key` in these folders is taken. The names of the files are listed; they are not opened. */
export const storageKeyFiles = defineProbe({
  id: 'storage.key-files',
  title: 'Key file names of encrypted volumes',
  why: 'A volume whose key is in these folders can open without a person. Only the names are listed; no key is read.',
  commands: { names: runAsRoot(['ls', '-1', ...FOLDERS], { needsPath: FOLDERS }) },
  parse({ names }) {
    if (!listingIsComplete(names)) return unknown('the folders of key files could not be listed')
    const folders = listedFolders(names.text)
    if (names.exitCode === 0 && folders.size !== FOLDERS.length)
      return unknown('the list of key files has an unexpected format')
    return known<KeyFiles>({
      paths: [...folders].flatMap(([folder, files]) => files.map((file) => `${folder}/${file}`)).sort(),
    })
  },
})

/** Other components of the node that take part in unlocking encrypted volumes at boot. */
export interface UnlockHelpers {
  /** `set-up`: it responds at boot; `installed`: its programs are present. */
  readonly clevis: 'set-up' | 'installed' | 'absent'
  /** The sources of a Clevis key: tang (a server on the network), tpm2, sss (a threshold over several). */
  readonly clevisPins: readonly string[]
  /** An SSH server in the start-up image, through which a person can type a passphrase from afar. */
  readonly remoteShell: boolean
  /** Settings that put key files into the start-up image, as written. */
  readonly imageKeys: readonly string[]
  /** Words of the kernel's command line about volumes: they name files, devices and options, never a key. */
  readonly kernelWords: readonly string[]
}

const HOOKS = [
  '/etc/systemd/system/cryptsetup.target.wants/clevis-luks-askpass.path',
  '/etc/systemd/system/remote-cryptsetup.target.wants/clevis-luks-askpass.path',
  '/usr/share/initramfs-tools/hooks/clevis',
  '/usr/lib/dracut/modules.d/60clevis',
  '/usr/lib/dracut/modules.d/50clevis',
]
const PROGRAM = '/usr/bin/clevis-luks-unlock'
const PINS = ['tang', 'tpm2', 'sss', 'pkcs11'] as const
const pinProgram = (pin: string): string => `/usr/bin/clevis-decrypt-${pin}`
const REMOTE_SHELLS = ['/usr/share/initramfs-tools/hooks/dropbear', '/usr/lib/dracut/modules.d/60dropbear']

const IMAGE_KEYS = '^[[:space:]]*(KEYFILE_PATTERN=.*[^"[:space:]=].*|install_(optional_)?items\\+?=.*(key|luks).*)$'
const KERNEL_WORDS = '(rd\\.)?luks\\.(key|options)=[^ ]*|cryptkey=[^ ]*|rd\\.neednet(=1)?'

/**
 * clevis-luks-unlockers(7), Debian's cryptsetup-initramfs conf-hook (KEYFILE_PATTERN), dracut.conf(5) (install_items), dracut.cmdline(7)
 * and systemd-cryptsetup-generator(8) (kernel command line). Which token or pin a volume's own header holds is not queried: that takes the
 * name of the device, and commands are constants.
 */
export const storageUnlockHelpers = defineProbe({
  id: 'storage.unlock-helpers',
  title: 'Programs and settings that open encrypted volumes at start',
  why: 'Shows whether a volume opens by a server on the network, by a chip, or by a key kept in the start-up image.',
  commands: {
    programs: run(['ls', '-1', '-d', PROGRAM, ...PINS.map(pinProgram), ...HOOKS, ...REMOTE_SHELLS]),
    image: run([
      'grep',
      '-HoE',
      IMAGE_KEYS,
      '/etc/cryptsetup-initramfs/conf-hook',
      '/etc/dracut.conf',
      glob('/etc/dracut.conf.d/*.conf'),
    ]),
    kernel: run(['grep', '-oE', KERNEL_WORDS, '/proc/cmdline']),
  },
  parse({ programs, image, kernel }): Parsed<UnlockHelpers> {
    if (!listingIsComplete(programs)) return unknown('the programs that open volumes could not be listed')
    if (!grepIsComplete(image)) return unknown('the settings of the start-up image could not all be read')
    if (kernel.exitCode > 1) return unknown('the kernel’s command line could not be read')
    const listed = new Set(lines(programs.text))
    const isSetUp = HOOKS.some((hook) => listed.has(hook))
    return known({
      clevis: isSetUp ? 'set-up' : listed.has(PROGRAM) ? 'installed' : 'absent',
      clevisPins: PINS.filter((pin) => listed.has(pinProgram(pin))),
      remoteShell: REMOTE_SHELLS.some((hook) => listed.has(hook)),
      imageKeys: foundLines(image.text)
        .map(({ line }) => line.trim())
        .filter(addsKey),
      kernelWords: lines(kernel.text).map((word) => word.trim()),
    })
  },
})

/** Items of a start-up image that are no key of a volume, though their names hold “key” or “luks”: of SSH, of keyboards, and programs. */
const OTHER_ITEMS =
  /authorized_keys|ssh_host_|keymap|keyboard|keyctl|\.so(\.\d{1,4}){0,3}$|(^|\/)(clevis|cryptsetup)-luks-|luksmeta/

/** A list of items (install_items of dracut) counts where one of them can be a key of a volume; every other setting names keys alone. */
const addsKey = (line: string): boolean =>
  !line.startsWith('install_') ||
  line
    .slice(line.indexOf('=') + 1)
    .split(/[\s"']+/)
    .some((item) => /key|luks/.test(item) && !OTHER_ITEMS.test(item))

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

/** `found`: the key files in the places where systemd looks by itself (storage-key-files.ts). */
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
