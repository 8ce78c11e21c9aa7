import { quote } from '../../../core/base/plain-text.ts'
import { defineProbe, glob, known, type Parsed, run, runAsRoot, unknown } from '../../../core/recording/probe.ts'
import { listedFolders, listingIsComplete } from '../../base/read-listing.ts'
import { foundLines, grepIsComplete, lines } from '../../base/read-text.ts'

/**
 * One line of crypttab(5) with its paths and options. A key field that is not a path was masked before it was stored.
 */
export interface CrypttabEntry {
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
