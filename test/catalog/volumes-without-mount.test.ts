import { expect, test } from 'vitest'
import { parseDmTable, parseLsblk, parseSysfsBlock } from '../../main/catalog/data-protection/block-devices/index.ts'
import { parseMountinfo } from '../../main/catalog/data-protection/mounts/probes.ts'
import { known, type Parsed } from '../../main/core/recording/probe.ts'
import { stepText } from '../support/concluded.ts'
import { checkOf, concludeOn } from '../support/evaluated.ts'

const KEY = '0'.repeat(128)

/** A server whose file systems are on LUKS, with a second drive that carries a logical volume with this signature and no mount. */
const withVolume = (fstype: string, isEncrypted = false) =>
  concludeOn(checkOf('encryption.at-rest.block-graph'), 'demo-metal-04', [
    ['storage.mounts', parseMountinfo('1 0 253:0 / / rw - ext4 /dev/mapper/root rw\n')],
    [
      'storage.block-devices',
      parseSysfsBlock(
        [
          '/sys/class/block/sda/dev:8:0',
          '/sys/class/block/sdb/dev:8:16',
          '/sys/class/block/dm-0/dev:253:0',
          '/sys/block/dm-0/slaves/sda/dev:8:0',
          '/sys/block/dm-0/dm/name:root',
          '/sys/block/dm-0/dm/uuid:CRYPT-LUKS2-1-root',
          '/sys/class/block/dm-1/dev:253:1',
          '/sys/block/dm-1/slaves/sdb/dev:8:16',
          '/sys/block/dm-1/dm/name:data',
          `/sys/block/dm-1/dm/uuid:${isEncrypted ? 'CRYPT-LUKS2-2-data' : 'LVM-abc'}`,
        ].join('\n'),
      ),
    ],
    [
      'storage.dm-table',
      parseDmTable(
        `root: 0 8 crypt aes-xts-plain64 ${KEY} 0 8:0 0\n${isEncrypted ? `data: 0 8 crypt aes-xts-plain64 ${KEY} 0 8:16 0\n` : 'data: 0 8 linear 8:16 0\n'}`,
      ),
    ],
    [
      'storage.lsblk',
      parseLsblk(
        JSON.stringify({
          blockdevices: [
            { 'maj:min': '8:0', name: 'sda', type: 'disk', fstype: 'crypto_LUKS' },
            {
              'maj:min': '8:16',
              name: 'sdb',
              type: 'disk',
              fstype: 'LVM2_member',
              children: [{ 'maj:min': '253:1', name: 'data', kname: 'dm-1', type: 'lvm', fstype }],
            },
          ],
        }),
      ),
    ],
    ['storage.swaps', known({ areas: [] })],
  ] as readonly (readonly [string, Parsed<unknown>])[])

// ceph-volume(8) makes a logical volume of a drive, to which the OSD writes without a file system; libblkid calls it ceph_bluestore.
test.each(['ceph_bluestore', 'drbd', 'oracleasm'])('a %s volume is written to without a mount', (signature) => {
  const open = withVolume(signature)
  expect(open.verdict).toBe('inconclusive')
  expect(stepText(open)).toContain('without a mount')
  expect(stepText(open)).not.toContain('they are not in use')
  expect(withVolume(signature, true).verdict).toBe('satisfied')
})

test('a file system without a mount is listed, and decides nothing', () => {
  const idle = withVolume('ext4')
  expect(idle.verdict).toBe('satisfied')
  expect(stepText(idle)).toContain('they are not in use')
})
