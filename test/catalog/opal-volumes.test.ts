import { expect, test } from 'vitest'
import { parseDmTable, parseSysfsBlock } from '../../main/catalog/data-protection/block-devices/index.ts'
import { parseMountinfo } from '../../main/catalog/data-protection/mounts/probes.ts'
import { known, type Parsed } from '../../main/core/recording/probe.ts'
import { stepText } from '../support/concluded.ts'
import { checkOf, concludeOn } from '../support/evaluated.ts'

const KEY = '0'.repeat(128)
const UUID = '0f1e2d3c4b5a69788796a5b4c3d2e1f0'

/** A server whose only file system is on a volume that cryptsetup opened as `type`, over the table that the kernel shows for it. */
const on = (check: string, type: string, table: string) =>
  concludeOn(checkOf(check), 'demo-metal-04', [
    ['storage.mounts', parseMountinfo('1 0 253:0 / / rw - ext4 /dev/mapper/data rw\n')],
    [
      'storage.block-devices',
      parseSysfsBlock(
        [
          '/sys/class/block/nvme0n1/dev:259:0',
          '/sys/class/block/dm-0/dev:253:0',
          '/sys/block/dm-0/slaves/nvme0n1/dev:259:0',
          '/sys/block/dm-0/dm/name:data',
          `/sys/block/dm-0/dm/uuid:CRYPT-${type}-${UUID}-data`,
        ].join('\n'),
      ),
    ],
    ['storage.dm-table', parseDmTable(table)],
    ['storage.swaps', known({ areas: [] })],
    ['storage.zfs', { ok: false, reason: 'no zfs' }],
    ['storage.crypttab', known({ present: false, entries: [] })],
    ['storage.lsblk', { ok: false, reason: 'not read' }],
  ] as readonly (readonly [string, Parsed<unknown>])[])

// cryptsetup 2.7 and later: luksFormat --hw-opal-only leaves the encryption to the drive; the mapping over its locking range is linear, under a
// UUID of its own (lib/internal.h, CRYPT_LUKS2_HW_OPAL; lib/luks2/luks2_json_metadata.c).
const LINEAR = 'data: 0 8 linear 259:0 8\n'

test('a volume that the drive itself encrypts (OPAL) is neither unencrypted nor known to be encrypted', () => {
  const mounts = on('encryption.at-rest.block-graph', 'LUKS2-OPAL', LINEAR)
  expect(mounts.verdict).toBe('inconclusive')
  expect(stepText(mounts)).toContain('the drive itself encrypts this volume (OPAL)')
  expect(on('encryption.at-rest.block-graph', 'LUKS2', LINEAR).verdict).toBe('not-satisfied')
})

test('its cipher and where its key lies are open, and not a question that does not apply', () => {
  const cipher = on('encryption.at-rest.cipher', 'LUKS2-OPAL', LINEAR)
  expect(cipher.verdict).toBe('inconclusive')
  expect(stepText(cipher)).toContain('Encrypted by the drive itself (OPAL)')
  expect(on('encryption.at-rest.key-custody', 'LUKS2-OPAL', LINEAR).verdict).toBe('inconclusive')
})

test('with a layer of dm-crypt over it (--hw-opal) that layer counts', () => {
  const table = `data: 0 8 crypt aes-xts-plain64 ${KEY} 0 259:0 8\n`
  expect(on('encryption.at-rest.block-graph', 'LUKS2-OPAL', table).verdict).toBe('satisfied')
  expect(on('encryption.at-rest.cipher', 'LUKS2-OPAL', table).verdict).toBe('satisfied')
})
