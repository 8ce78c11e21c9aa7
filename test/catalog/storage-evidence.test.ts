import { describe, expect, test } from 'vitest'
import { keySource } from '../../main/catalog/data-protection/disk-encryption/key-custody.ts'
import { storageKeyFiles, storageUnlockHelpers } from '../../main/catalog/data-protection/disk-encryption/probes.ts'
import { kernelDumpTarget, parseKdump } from '../../main/catalog/data-protection/dumps/dumps.ts'
import { parseWorkingDirectories } from '../../main/catalog/data-protection/ephi/paths.ts'
import { storageBirth } from '../../main/catalog/hardware/drives/first-use.ts'
import { drivesNvmeControllers, drivesOpal, OPAL_DEVICES } from '../../main/catalog/hardware/drives/index.ts'
import {
  parseChecksumState,
  parseZfsStatus,
  storageBtrfsScrubs,
  storageDmIntegrity,
  storageScrubTimers,
} from '../../main/catalog/hardware/storage-integrity/probes.ts'
import { type Answer, known } from '../../main/core/recording/probe.ts'
import { answer, fact } from '../support/answers.ts'
import { stepText } from '../support/concluded.ts'
import { checkOf, concludeOn } from '../support/evaluated.ts'

/**
 * Forms after the sources named in each probe; the head of a ZFS pool that decays after zpool-status(8), sedutil's newer line after its
 * public issue reports. The identify data of QEMU's drive are from the storage lab of ours.
 */

const all = (names: readonly string[], given: Readonly<Record<string, Answer>>, rest: Answer): Record<string, Answer> =>
  Object.fromEntries(names.map((name) => [name, given[name] ?? rest]))
const absent = answer('', { exitCode: 1, errorText: '/dev/nvme9: No such file or directory\n' })

describe('drives that encrypt themselves', () => {
  const opal = (flags: string, exitCode = 0) =>
    fact(
      drivesOpal.parse(
        all(
          OPAL_DEVICES,
          { nvme0: answer(`\n/dev/nvme0 NVMe X\nLocking function (0x0002)\n    ${flags}\n`, { exitCode }) },
          absent,
        ),
      ),
    ).drives.get('nvme0')

  test('flags in both known forms', () => {
    expect(
      opal('Locked = N, LockingEnabled = N, LockingSupported = Y, MBRDone = N, MBREnabled = N, MediaEncrypt = Y'),
    ).toEqual({
      mediaEncrypt: true,
      lockingEnabled: false,
      locked: false,
      showsShadow: false,
    })
    expect(
      opal(
        'Locked = N, LockingEnabled = Y, MBR shadowing Not Supported = N, MBRDone = N, MBREnabled = Y, MediaEncrypt = Y',
      ),
    ).toEqual({ mediaEncrypt: true, lockingEnabled: true, locked: false, showsShadow: true })
  })

  test('half an answer, another form or a failed query is no answer', () => {
    expect([opal('Locked = N, LockingEnabled = Y'), opal('Locked = ?'), opal('MediaEncrypt = Y', 1)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  // TCG Opal SSC 2.01, 3.1.1.3: LockingEnabled is the state of the locking function, and sedutil-cli --initialsetup sets it while the range of the
  // whole drive does not lock yet (DtaDevOpal::initialSetup). Level 0 shows of ranges only that one is locked now.
  test('an active locking function alone does not show that anything locks', () => {
    const judge = (flags: string) =>
      concludeOn(checkOf('encryption.at-rest.sed-state'), 'demo-metal-04', [
        ['inventory.disks', known({ disks: [{ name: 'nvme0n1', model: 'X', serial: 'S1', transport: 'pcie' }] })],
        ['drives.opal', known({ drives: new Map([['nvme0', opal(flags)]]) })],
        ['drives.nvme-controllers', known({ controllers: new Map() })],
      ])
    const flags = 'LockingEnabled = Y, LockingSupported = Y, MBRDone = Y, MBREnabled = Y, MediaEncrypt = Y'
    expect(judge(`Locked = N, ${flags}`).verdict).toBe('inconclusive')
    expect(stepText(judge(`Locked = N, ${flags}`))).toContain('whether any range of it locks')
    expect(judge(`Locked = Y, ${flags}`).verdict).toBe('satisfied')
  })

  test('an NVMe controller reports whether it takes security commands', () => {
    const names = Object.keys(drivesNvmeControllers.commands)
    const read = (text: string) =>
      fact(drivesNvmeControllers.parse(all(names, { nvme0: answer(text) }, absent))).controllers.get('nvme0')
    expect(read('{"sn":"NVSCRATCH1          ","oacs":266}')).toEqual({
      serial: 'NVSCRATCH1',
      takesSecurityCommands: false,
    })
    expect(read('{"sn":"A","oacs":95}')?.takesSecurityCommands).toBe(true)
    expect([read('{"sn":"A","oacs":"95"}'), read('{"sn":"A"'), read('[]')]).toEqual([undefined, undefined, undefined])
  })
})

describe('sums and scrubs', () => {
  const POOL = (scan: string, row: string, errors: string): string =>
    `  pool: tank\n state: DEGRADED\nstatus: One or more devices has experienced an error.\n  scan: ${scan}\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n\ttank        DEGRADED     0     0     0\n\t  ${row}\n\nerrors: ${errors}\n`

  test('zpool status', () => {
    const [pool] = fact(
      parseZfsStatus(
        POOL(
          'scrub repaired 128K in 1 days 02:03:04 with 0 errors on Sun Oct 11 03:36:35 2026',
          'sda  DEGRADED     0     0    17  too many errors',
          "2 data errors, use '-v' for a list",
        ),
      ),
    ).pools
    expect(pool).toMatchObject({
      name: 'tank',
      state: 'DEGRADED',
      scrubbed: '2026-10-11',
      counted: 17,
      hasKnownErrors: true,
    })
    const other = (scan: string): string | null | undefined =>
      fact(parseZfsStatus(POOL(scan, 'sda ONLINE 0 0 0', 'No known data errors'))).pools[0]?.scrubbed
    expect([
      other('none requested'),
      other('resilvered 1G in 00:01:02 with 0 errors on Sun Oct 11 03:36:35 2026'),
    ]).toEqual([null, null])
    expect(
      fact(parseZfsStatus(POOL('none requested', 'sda ONLINE 0 0 1.2K', 'No known data errors'))).pools[0]?.counted,
    ).toBeNull()
    expect(fact(parseZfsStatus('no pools available\n')).pools).toEqual([])
    expect(parseZfsStatus('')).toMatchObject({ ok: false })
    expect(parseZfsStatus('  pool: tank\n state: ONLINE\n')).toMatchObject({ ok: false })
  })

  test('md and btrfs counters; levels that compare nothing are left out', () => {
    const text = [
      '/sys/block/md0/md/level:raid6',
      '/sys/block/md1/md/level:raid0',
      '/sys/block/md0/md/mismatch_cnt:8',
      '/sys/block/md0/md/last_sync_action:check',
      '/sys/block/md0/md/degraded:1',
      '/sys/fs/btrfs/u/devinfo/1/error_stats:write_errs 1',
      '/sys/fs/btrfs/u/devinfo/2/error_stats:corruption_errs 2',
    ]
    expect(fact(parseChecksumState(text.join('\n')))).toEqual({
      arrays: [{ name: 'md0', level: 'raid6', mismatches: 8, lastAction: 'check', degraded: 1 }],
      btrfs: [{ id: 'u', errors: 3 }],
    })
    expect(parseChecksumState('/sys/fs/btrfs/u/devinfo/1/error_stats:invalid')).toMatchObject({ ok: false })
  })

  test('btrfs keeps the oldest start and every error of a file system’s devices', () => {
    const line = (device: number, start: number, csum: number, finished: number): string =>
      `u-1:${device}|data_extents_scrubbed:1|read_errors:0|csum_errors:${csum}|verify_errors:0|super_errors:0|uncorrectable_errors:0|t_start:${start}|t_resumed:0|duration:1|canceled:0|finished:${finished}\n`
    const read = (given: Answer) => storageBtrfsScrubs.parse({ scrubs: given })
    expect(fact(read(answer(line(1, 200, 0, 1) + line(2, 100, 3, 0)))).scrubs).toEqual([
      { id: 'u-1', startedAt: 100, isFinished: false, errors: 3 },
    ])
    expect(fact(read(answer('', { exitCode: 1 }))).scrubs).toEqual([])
    expect(read(answer('u:1|t_start:1|finished:1\n'))).toMatchObject({ ok: false })
    expect(read(answer('', { exitCode: 2, errorText: 'grep: /var/lib/btrfs: Permission denied' }))).toMatchObject({
      ok: false,
    })
  })

  test('dm-integrity counts sectors that do not match', () => {
    const read = (text: string) => storageDmIntegrity.parse({ status: answer(text) })
    expect(fact(read('a b: 0 8 integrity 3 8 -\nc: 0 8 integrity 0 8 4096\n')).layers).toEqual([
      { name: 'a b', mismatches: 3 },
      { name: 'c', mismatches: 0 },
    ])
    expect([fact(read('')).layers, fact(read('No devices found\n')).layers, read('c: 0 8 integrity\n').ok]).toEqual([
      [],
      [],
      false,
    ])
  })

  test('timers: what is not there has no entry, what never ran has no day', () => {
    const unit = (id: string, load: string, last: string): string =>
      `LastTriggerUSec=${last}\nId=${id}\nLoadState=${load}\nActiveState=active\n`
    const text = [
      unit('mdcheck_start.timer', 'loaded', 'Sun 2026-11-01 01:00:07 CET'),
      unit('raid-check.timer', 'not-found', ''),
      unit('btrfs-scrub.timer', 'loaded', 'n/a'),
    ].join('\n')
    expect(fact(storageScrubTimers.parse({ timers: answer(text) })).timers).toEqual([
      { unit: 'mdcheck_start.timer', isActive: true, last: '2026-11-01' },
      { unit: 'btrfs-scrub.timer', isActive: true, last: null },
    ])
    expect(storageScrubTimers.parse({ timers: answer('') })).toMatchObject({ ok: false })
  })
})

describe('first use', () => {
  const read = (born: Answer) =>
    storageBirth.parse({ born, written: answer('/sys/fs/ext4/sda1/lifetime_write_kbytes:7\n') })

  test('a date, an unknown one, and a path that is not there', () => {
    const errorText = "stat: cannot statx '/lost+found': No such file or directory\n"
    const { born, written } = fact(read(answer('1772445600 /\n0 /boot\n', { exitCode: 1, errorText })))
    expect([...born, ...written]).toEqual([
      ['/', 1772445600],
      ['/boot', null],
      ['sda1', 7],
    ])
  })

  test('busybox prints its own form, which is no date', () => {
    expect([read(answer('%W /\n')).ok, read(answer('')).ok]).toEqual([false, false])
  })
})

describe('how volumes open', () => {
  const entry = (keyFile: string | null, ...options: string[]) => ({
    name: 'data',
    device: '/dev/sdb',
    keyFile,
    options,
  })

  test.each([
    [entry(null), 'prompt', null],
    [entry(null, 'luks', 'tpm2-device=auto'), 'hardware', false],
    [entry(null, 'tpm2-device=auto', 'tpm2-pin=yes'), 'hardware', true],
    [entry(null, 'fido2-device=auto'), 'hardware', true],
    [entry(null, 'pkcs11-uri=pkcs11:'), 'hardware', null],
    [entry('/dev/urandom', 'swap'), 'random', false],
    [entry('/etc/keys/data.key'), 'file', false],
    [entry('/data.key:LABEL=keys'), 'elsewhere', false],
    [entry('/dev/disk/by-partlabel/key'), 'elsewhere', false],
    [entry(null, 'try-empty-password=true'), 'empty', false],
    [entry(null, 'try-empty-password=no'), 'prompt', null],
    [entry('x', 'keyscript=/lib/cryptsetup/scripts/decrypt_opensc'), 'hardware', true],
    [entry('x', 'keyscript=decrypt_keyctl'), 'prompt', true],
    [entry('x', 'keyscript=/root/give-key'), 'script', null],
    [entry('LABEL=keys'), 'script', null],
  ])('%o is %s', (given, kind, attended) => expect(keySource(given)).toMatchObject({ kind, attended }))

  test('without a key file, one in the place where systemd looks is taken', () => {
    expect(keySource(entry(null), ['/run/cryptsetup-keys.d/data.key'])).toMatchObject({
      kind: 'file',
      path: '/run/cryptsetup-keys.d/data.key',
    })
    expect(keySource(entry(null), ['/etc/cryptsetup-keys.d/other.key']).kind).toBe('prompt')
    expect(keySource(entry(null, '_netdev')).description).toContain('once the network is up')
  })

  test('names of key files, and folders that could not be listed', () => {
    const read = (given: Answer) => storageKeyFiles.parse({ names: given })
    const gone = { exitCode: 2, errorText: "ls: cannot access '/run/cryptsetup-keys.d': No such file or directory\n" }
    expect(fact(read(answer('/etc/cryptsetup-keys.d:\na.key\n', gone))).paths).toEqual(['/etc/cryptsetup-keys.d/a.key'])
    expect(
      read(
        answer('', {
          exitCode: 2,
          errorText: "ls: cannot open directory '/etc/cryptsetup-keys.d': Permission denied\n",
        }),
      ).ok,
    ).toBe(false)
    expect(read(answer('a.key\n')).ok).toBe(false)
  })

  test('Clevis on dracut, keys for the start-up image, words of the kernel', () => {
    const none = answer('', { exitCode: 1 })
    const helpers = fact(
      storageUnlockHelpers.parse({
        programs: answer(
          '/usr/bin/clevis-decrypt-tpm2\n/usr/bin/clevis-luks-unlock\n/usr/lib/dracut/modules.d/60clevis\n',
          {
            exitCode: 2,
            errorText: "ls: cannot access '/usr/bin/clevis-decrypt-tang': No such file or directory\n",
          },
        ),
        image: answer('/etc/dracut.conf.d/key.conf:install_items+=" /etc/keys/root.key "\n'),
        kernel: answer('rd.luks.key=/etc/keys/root.key\nluks.options=tpm2-device=auto\n'),
      }),
    )
    expect(helpers).toEqual({
      clevis: 'set-up',
      clevisPins: ['tpm2'],
      remoteShell: false,
      imageKeys: ['install_items+=" /etc/keys/root.key "'],
      kernelWords: ['rd.luks.key=/etc/keys/root.key', 'luks.options=tpm2-device=auto'],
    })
    const unreadable = answer('', { exitCode: 2, errorText: 'grep: /etc/dracut.conf.d/a.conf: Permission denied\n' })
    expect(
      storageUnlockHelpers.parse({ programs: answer('/usr/bin/clevis-luks-unlock\n'), image: unreadable, kernel: none })
        .ok,
    ).toBe(false)
  })
})

describe('where dumps and containers put data', () => {
  test('SUSE names its folder or the scheme of another system', () => {
    const target = (line: string) => kernelDumpTarget(fact(parseKdump(answer('1\n'), `/etc/sysconfig/kdump:${line}\n`)))
    expect(target('KDUMP_SAVEDIR="/var/crash')).toEqual({ kind: 'folder', at: '/var/crash' })
    expect(target('KDUMP_SAVEDIR="file:///srv/crash')).toEqual({ kind: 'folder', at: '/srv/crash' })
    expect(target('KDUMP_SAVEDIR="sftp:')).toEqual({ kind: 'remote', at: 'sftp' })
  })

  test('engines’ data roots in JSON on one line, in both quotes of TOML, and the cache of network file systems', () => {
    const engines = [
      '/etc/docker/daemon.json:"data-root": "/plain/docker"',
      "/etc/containerd/config.toml:root = '/fast/containerd'",
      '/etc/containers/storage.conf:graphroot = "/fast/containers"',
      '/etc/cachefilesd.conf:dir /fast/fscache',
    ].join('\n')
    expect(fact(parseWorkingDirectories('/:\n\n/var:\n\n/var/lib:\n', engines)).paths).toEqual([
      '/fast/containerd',
      '/fast/containers',
      '/fast/fscache',
      '/plain/docker',
    ])
  })
})
