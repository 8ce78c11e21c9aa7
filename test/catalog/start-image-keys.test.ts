import { describe, expect, test } from 'vitest'
import { storageUnlockHelpers } from '../../main/catalog/data-protection/disk-encryption/probes.ts'
import { known } from '../../main/core/recording/probe.ts'
import { answer, fact } from '../support/answers.ts'
import { over, stepText } from '../support/concluded.ts'

const NOTHING = answer('', { exitCode: 1 })
const read = (image: string, kernel = '') =>
  fact(
    storageUnlockHelpers.parse({
      programs: answer('/usr/bin/clevis-luks-unlock\n'),
      image: image === '' ? NOTHING : answer(`/etc/dracut.conf.d/90-site.conf:${image}\n`),
      kernel: kernel === '' ? NOTHING : answer(`${kernel}\n`),
    }),
  )
const custody = (image: string, kernel?: string) =>
  over('encryption.at-rest.key-custody', [storageUnlockHelpers, known(read(image, kernel))])

describe('what the settings of the start-up image add to it', () => {
  // dracut.conf(5), install_items; the first two are keys of volumes.
  test.each([
    ['install_items+=" /etc/cryptsetup-keys.d/root.key "', true],
    ['install_items+=" /etc/luks/data /root/.ssh/authorized_keys "', true],
    ['install_items+=" /root/.ssh/authorized_keys "', false],
    ['install_items+=" /etc/ssh/ssh_host_ed25519_key /etc/ssh/ssh_host_ed25519_key.pub "', false],
    ['install_optional_items+=" /usr/bin/keyctl /usr/lib/kbd/keymaps/xkb/de.map.gz "', false],
    ['KEYFILE_PATTERN="/etc/keys/*.key"', true],
  ])('%s', (line, isKey) => {
    expect(read(line).imageKeys).toEqual(isKey ? [line] : [])
    expect(stepText(custody(line)).includes('Key files are added to the start-up image')).toBe(isKey)
  })

  test.each([
    ['rd.luks.key=/root.key:UUID=0a1b-2c3d', true],
    ['rd.luks.key=5f1e0b1c-7c50-4f0e-9d4b-0a1b2c3d4e5f=/root.key:LABEL=keys', true],
    ['cryptkey=/dev/disk/by-label/keys:ext4:/root.key', true],
    ['rd.luks.key=/etc/cryptsetup-keys.d/root.key', false],
    ['rd.luks.key=5f1e0b1c-7c50-4f0e-9d4b-0a1b2c3d4e5f=/root.key', false],
    ['cryptkey=rootfs:/root.key', false],
  ])('%s', (word, isApart) => {
    const text = stepText(custody('', word))
    expect(text.includes('unclear: The kernel’s command line names a key file on a separate device')).toBe(isApart)
    expect(text.includes('Key files are added to the start-up image, or named in its settings')).toBe(!isApart)
  })

  test('a device that is in the machine and not encrypted holds the key in clear text', () =>
    expect(stepText(custody('', 'rd.luks.key=/root.key:/dev/nvme0n1p1'))).toContain(
      'contradicts: The kernel’s command line names a key file on a separate device (“rd.luks.key=/root.key:/dev/nvme0n1p1”); that device is in the machine now and is open',
    ))
})
