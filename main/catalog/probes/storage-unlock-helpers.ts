import { defineProbe, glob, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { listingIsComplete } from '../isolation/listing.ts'
import { foundLines, grepIsComplete, lines } from '../read-text.ts'

/** What else on the node takes part in opening encrypted volumes at start. */
export interface UnlockHelpers {
  /** `set-up`: it responds at start; `installed`: its programs are there. */
  readonly clevis: 'set-up' | 'installed' | 'absent'
  /** What Clevis can take a key from: tang (a server on the network), tpm2, sss (a rule over several). */
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
      imageKeys: foundLines(image.text).map(({ line }) => line.trim()),
      kernelWords: lines(kernel.text).map((word) => word.trim()),
    })
  },
})
