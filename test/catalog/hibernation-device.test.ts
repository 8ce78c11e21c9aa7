import { expect, test } from 'vitest'
import { parseSysfsBlock } from '../../main/catalog/data-protection/block-devices/index.ts'
import { known } from '../../main/core/recording/probe.ts'
import { stepText } from '../support/concluded.ts'
import { checkOf, concludeOn } from '../support/evaluated.ts'

/** A server whose drive is not encrypted, and what its kernel reports of swap and of the device for hibernation. */
const over = (
  areas: readonly { readonly name: string; readonly kind: 'file' | 'partition' }[],
  device: string | null,
  devices?: string,
) =>
  concludeOn(checkOf('encryption.at-rest.swap'), 'demo-metal-04', [
    ['storage.swaps', known({ areas })],
    ['storage.hibernation', known(device === null ? { kind: 'no-device' } : { kind: 'device', device })],
    ...(devices === undefined ? [] : [['storage.block-devices', parseSysfsBlock(devices)] as const]),
  ])

/** A drive with an unencrypted partition, and compressed memory without a drive behind it. */
const ZRAM = [
  '/sys/class/block/sda/dev:8:0',
  '/sys/class/block/sda2/dev:8:2',
  '/sys/block/sda/sda2/partition:2',
  '/sys/class/block/zram0/dev:252:0',
  '/sys/block/zram0/backing_dev:none',
].join('\n')

// Red Hat 9 as Anaconda installs it (resume=/dev/mapper/rhel-swap), with swap switched off as kubelet requires.
test('a device for hibernation without a swap area in use takes no image', () => {
  expect(over([], '8:2').verdict).toBe('satisfied')
  expect(stepText(over([], '8:2'))).toContain('no swap area is in use, and an image is written to no other place')
  expect(over([], null).verdict).toBe('satisfied')
})

// kernel/power/swap.c, swsusp_swap_check: the device that is set takes an image where a swap area on it is in use, and no other does.
test('a device for hibernation without a swap area on it takes no image, whatever other area is in use', () => {
  const elsewhere = over([{ name: '/dev/zram0', kind: 'partition' }], '8:2', ZRAM)
  expect(elsewhere.verdict).toBe('satisfied')
  expect(stepText(elsewhere)).toContain('no swap area in use is on it')
  expect(over([{ name: '/dev/sda2', kind: 'partition' }], '8:2', ZRAM).verdict).toBe('not-satisfied')
  const both = [
    { name: '/dev/zram0', kind: 'partition' },
    { name: '/swapfile', kind: 'file' },
  ] as const
  expect(stepText(over(both, '8:2', ZRAM))).toContain('contradicts: hibernation image')
})

test('with a swap area in use it counts', () => {
  expect(over([{ name: '/swapfile', kind: 'file' }], '8:2').verdict).toBe('not-satisfied')
  expect(stepText(over([{ name: '/dev/zram0', kind: 'partition' }], '8:2'))).toContain('contradicts: hibernation image')
})
