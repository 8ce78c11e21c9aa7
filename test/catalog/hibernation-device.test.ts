import { expect, test } from 'vitest'
import { known } from '../../main/core/recording/probe.ts'
import { stepText } from '../support/concluded.ts'
import { checkOf, concludeOn } from '../support/evaluated.ts'

/** A server whose drive is not encrypted, and what its kernel reports of swap and of the device for hibernation. */
const over = (
  areas: readonly { readonly name: string; readonly kind: 'file' | 'partition' }[],
  device: string | null,
) =>
  concludeOn(checkOf('encryption.at-rest.swap'), 'demo-metal-04', [
    ['storage.swaps', known({ areas })],
    ['storage.hibernation', known(device === null ? { kind: 'no-device' } : { kind: 'device', device })],
  ])

// Red Hat 9 as Anaconda installs it (resume=/dev/mapper/rhel-swap), with swap switched off as kubelet requires.
test('a device for hibernation without a swap area in use takes no image', () => {
  expect(over([], '8:2').verdict).toBe('satisfied')
  expect(stepText(over([], '8:2'))).toContain('no swap area is in use, and an image is written to no other place')
  expect(over([], null).verdict).toBe('satisfied')
})

test('with a swap area in use it counts', () => {
  expect(over([{ name: '/swapfile', kind: 'file' }], '8:2').verdict).toBe('not-satisfied')
  expect(stepText(over([{ name: '/dev/zram0', kind: 'partition' }], '8:2'))).toContain('contradicts: hibernation image')
})
