import { quote } from '../../../core/base/plain-text.ts'
import type { Parsed } from '../../../core/recording/probe.ts'
import { compare } from '../../../core/recording/recording.ts'
import { type DraftObservation, defineCheck, unclearAbout } from '../../../core/rules/check.ts'
import { count, decide, named, stepOn, unclear } from '../../base/steps.ts'
import { defineSubject } from '../../base/subject.ts'
import {
  type DmTarget,
  dmTargets,
  type SysfsBlock,
  storageBlockDevices,
  storageDmTable,
  storageLsblk,
  storageSwaps,
} from '../block-devices/index.ts'
import { storageZfs } from '../block-devices/zfs.ts'
import { ephiPlace, linkOnWay, mountsOf, workingDirectories } from '../ephi/paths.ts'
import { isReadOnlyImage, mountKind } from '../mounts/kinds.ts'
import { type Mount, storageMounts } from '../mounts/probes.ts'
import data from './checks.json' with { type: 'json' }
import { type CipherReading, gradeCipher, gradeZfsCipher } from './grades.ts'
import { encryptionAtRestKeyCustody, type KeySource, keySource } from './key-custody.ts'
import { storageCrypttab, storageKeyFiles, storageUnlockHelpers, type UnlockHelpers } from './probes.ts'
import {
  AT_REST_LIMITS,
  argueRoots,
  directRoots,
  exemptSteps,
  isWrittenDirectly,
  mountRoots,
  openVolumeRoots,
  pathRoots,
  quoted,
  readStorage,
  root,
  STORAGE_WANTS,
  type Storage,
  swapRoots,
  UNLOCK_LIMITS,
  type Unused,
  unusedDevices,
} from './roots.ts'
import { encryptionAtRestSwap, storageHibernation } from './swap.ts'
import { ENCRYPTING, OPAL_VOLUME } from './walk.ts'

/**
 * Starts from everything that holds data, not from the drives: plaintext escapes next to encrypted drives (swap files, overlays, bind
 * mounts, loop images) are found only from above. Anchor: NIST SP 800-111 §4; DISA RHEL-09-231190 asks the same by hand.
 */
export const encryptionAtRestBlockGraph = defineCheck({
  id: 'encryption.at-rest.block-graph',
  property: 'encryption-at-rest',
  expected: 'Every mounted file system, swap area and open encrypted volume is on encrypted storage or in memory.',
  limitations: `${AT_REST_LIMITS} Which paths hold ePHI is known only where the fleet file declares them. Boot partitions are listed, not evaluated. Data on drives that is not mounted is listed, not evaluated; keys of single folders (fscrypt) are not credited; symbolic links and mounts of other namespaces are not followed. A self-encrypting drive counts as unencrypted here, unless a LUKS2 volume uses it (OPAL), which leaves the result open.`,
  requires: { mounts: storageMounts, devices: storageBlockDevices, swaps: storageSwaps },
  optional: STORAGE_WANTS,
  evaluate({ mounts, devices, swaps }, wanted, { node }) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const declared = pathRoots(storage, node.ephiPaths ?? [], 'declared ePHI path')
    const direct = directRoots(storage, wanted.zpool)
    const steps = argueRoots([
      ...mountRoots(storage),
      ...swapRoots(storage),
      ...openVolumeRoots(storage),
      ...direct,
      ...declared,
    ])
    const idle = argueUnused(unusedDevices(storage, wanted.zpool).filter((one) => !isWrittenDirectly(one)))
    return { verdict: decide(steps).verdict, observations: [...steps, ...exemptSteps(storage), ...idle] }
  },
})

/** Reported next to the verdict: nothing uses these devices now, but their content remains. */
function argueUnused(unused: readonly Unused[]): readonly DraftObservation[] {
  const isClosed = ({ signature }: Unused): boolean => signature === 'crypto_LUKS'
  const textOf = ({ name, signature }: Unused): string => `${name} (${signature})`
  const [closed, others] = [unused.filter(isClosed), unused.filter((one) => !isClosed(one))]
  return [
    ...stepOn(unclear, 'Not evaluated, because they are closed encrypted volumes', closed.map(textOf), storageLsblk),
    ...stepOn(
      unclear,
      'Not evaluated, because they are not in use, though they may hold data in clear text',
      others.map(textOf),
      storageLsblk,
    ),
  ]
}

/** The part of DISA RHEL-09-231190 and NIST SP 800-111 that is not about declared ePHI: copies, logs and caches that no one declared. */
export const encryptionAtRestOtherMounts = defineCheck({
  id: 'encryption.at-rest.other-mounts',
  property: 'encryption-at-rest',
  expected: 'Every mounted file system outside the declared ePHI paths is on encrypted storage.',
  limitations: `${AT_REST_LIMITS} Boot and EFI partitions, read-only images and file systems in memory are excluded; swap, and data on drives that is not mounted, have their own checks. A mount that holds a declared ePHI path, or is below one, is tested by encryption.at-rest.ephi-paths alone. Self-encrypting drives without LUKS2 and keys of single folders (fscrypt) are not credited.`,
  requires: { mounts: storageMounts, devices: storageBlockDevices, swaps: storageSwaps },
  optional: { ...STORAGE_WANTS, directories: workingDirectories },
  evaluate({ mounts, devices, swaps }, { directories, ...wanted }, { node }) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const paths = node.ephiPaths ?? []
    const declared = new Set<Mount>(paths.flatMap((path) => mountsOf(ephiPlace(storage, path, directories))))
    const tested = argueRoots(
      mountRoots(storage, (mount) => !declared.has(mount) && mountKind(mount) !== 'memory' && !isReadOnlyImage(mount)),
    )
    const scope: readonly DraftObservation[] =
      paths.length > 0
        ? []
        : [unclear('No ePHI path is declared for this server, so every mount counts as another.', null)]
    const beside = [...scope, ...exemptSteps(storage)]
    if (tested.length > 0) return { verdict: decide(tested).verdict, observations: [...tested, ...beside] }
    const text = `${count(mounts.mounts.length, 'mount')} were read. Outside the declared ePHI paths they are boot partitions, read-only images, interfaces of the kernel and memory.`
    return { verdict: 'not-applicable', observations: [unclear(text, storageMounts), ...beside] }
  },
})

/** Mount points that hold copies of working data by their name: /scratch, /mnt/local_nvme0, /data/checkpoints, /var/lib/docker. */
const WORKING =
  /(^|\/)(scratch|local[-_]?(scratch|ssd|nvme|disk)|cache|checkpoints?|ckpts?|tmp|temp)[-_]?\w{0,16}(\/|$)/i
const CONTAINERS = /^\/var\/lib\/(docker|containerd|containers|kubelet|rancher|k0s|microk8s|enroot|lxc|lxd|incus)(\/|$)/

/** A place where something is mounted on use counts by what is mounted there now. */
const holds = (mount: Mount, storage: Storage): boolean =>
  mountKind(mount) === 'automount' ? storage.holding(mount.point) === mount : mountKind(mount) !== 'pseudo'

export const encryptionAtRestScratch = defineCheck({
  id: 'encryption.at-rest.scratch',
  property: 'encryption-at-rest',
  expected: 'Scratch, cache, checkpoint, temporary and container directories are on encrypted storage or in memory.',
  limitations: `${AT_REST_LIMITS} Directories are recognized by conventional names, container engine settings and the declared paths; others are not searched for. Symbolic links are not resolved: where such a directory is one itself, the result is inconclusive.`,
  requires: {
    mounts: storageMounts,
    devices: storageBlockDevices,
    swaps: storageSwaps,
    directories: workingDirectories,
  },
  optional: STORAGE_WANTS,
  evaluate({ mounts, devices, swaps, directories }, wanted) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const working = mounts.mounts
      .filter((mount) => holds(mount, storage) && (WORKING.test(mount.point) || CONTAINERS.test(mount.point)))
      .map((mount) => root(quoted(mount.point), storage.mount(mount)))
    const paths = ['/tmp', '/var/tmp', ...directories.paths]
    const links = paths.flatMap((path) => linkOnWay(directories.links, path, mounts.mounts) ?? [])
    const folders = paths.filter((path) => linkOnWay(directories.links, path, mounts.mounts) === undefined)
    return decide([
      ...argueRoots([...working, ...pathRoots(storage, folders, 'directory')]),
      ...stepOn(unclear, 'Symbolic links or files, which were not followed', [...new Set(links)], workingDirectories),
    ])
  },
})

/** NIST SP 800-111 §4.2.1 requires approved algorithms; SP 800-38E limits XTS to AES with keys of 256 and 512 bits. */
export const encryptionAtRestCipher = defineCheck({
  id: 'encryption.at-rest.cipher',
  property: 'encryption-at-rest',
  expected: 'Every open encrypting layer uses AES in an approved mode with an approved key length.',
  limitations: `${AT_REST_LIMITS} The choice of algorithm does not show that the module is validated. Volumes that are not open, key slots and key derivation are not read; a node in FIPS mode has to derive keys with PBKDF2 instead of Argon2, and slots of a TPM, a token or Clevis hold random keys, so neither would be a weakness.`,
  requires: { table: storageDmTable, mounts: storageMounts, devices: storageBlockDevices },
  optional: { zfs: storageZfs },
  evaluate({ table, mounts, devices }, { zfs }) {
    const kinds = new Map(
      [...devices.devices.values()].map(({ dmName, dmUuid }) => [dmName ?? '', kindOf(dmUuid ?? '')]),
    )
    const layers = [...table.devices]
      .sort(([a], [b]) => compare(a, b))
      .flatMap(([name, targets]) => targets.flatMap((target) => argueTarget(name, kinds.get(name) ?? '', target)))
    const datasets = zfs.ok
      ? [...zfs.fact.datasets].filter(
          ([, { encryption }]) => encryption !== 'off' && encryption !== '-' && encryption !== '',
        )
      : []
    const sets = datasets
      .sort(([a], [b]) => compare(a, b))
      .map(([name, { encryption }]) => step(`ZFS data set ${quote(name)}`, gradeZfsCipher(encryption), storageZfs.id))
    const seen = [...devices.devices.values()]
    const unlisted = seen.flatMap(({ dmName, dmUuid }) =>
      dmName !== null && ENCRYPTING.test(dmUuid ?? '') && dmTargets(table, dmName) === undefined ? [dmName] : [],
    )
    const byDrive = seen.flatMap(({ dmName, dmUuid }) =>
      dmName !== null &&
      OPAL_VOLUME.test(dmUuid ?? '') &&
      dmTargets(table, dmName)?.some(({ kind }) => kind === 'crypt') === false
        ? [dmName]
        : [],
    )
    const programs = mounts.mounts.filter((mount) => mountKind(mount) === 'stacked').map(({ point }) => point)
    const unread: readonly DraftObservation[] = [
      ...(unlisted.length > 0
        ? [unclear(`Open and encrypting by kind, and not in the table: ${named(unlisted.sort())}.`, storageDmTable)]
        : []),
      ...(byDrive.length > 0
        ? [
            unclear(
              `Encrypted by the drive itself (OPAL), whose cipher is not read: ${named(byDrive.sort())}.`,
              storageBlockDevices,
            ),
          ]
        : []),
      ...(programs.length > 0
        ? [unclear(`Files are encrypted one by one, by means not read here: ${named(programs)}.`, storageMounts)]
        : []),
    ]
    const hidden: readonly DraftObservation[] =
      !zfs.ok &&
      (seen.some(({ kernelName }) => /^zd\d/.test(kernelName)) || mounts.mounts.some(({ fsType }) => fsType === 'zfs'))
        ? [
            {
              direction: 'unclear',
              text: `ZFS is in use, but its encryption was not read: ${zfs.reason}.`,
              probe: storageZfs.id,
            },
          ]
        : []
    const because = [...layers, ...sets, ...hidden, ...unread]
    if (because.length > 0)
      return { verdict: decide(because).verdict, observations: [...because, ...argueHeaders(devices)] }
    return {
      verdict: 'not-applicable',
      observations: [
        {
          direction: 'unclear',
          text: 'The device-mapper table was read and holds no encrypting layer.',
          probe: storageDmTable.id,
        },
      ],
    }
  },
})

/** Reported next to the verdict: the header of a volume is not its cipher. */
function argueHeaders({ devices }: SysfsBlock): readonly DraftObservation[] {
  const old = [...devices.values()].flatMap(({ dmName, dmUuid }) =>
    dmName !== null && kindOf(dmUuid ?? '') === 'LUKS1' ? [dmName] : [],
  )
  return old.length === 0
    ? []
    : [
        {
          direction: 'unclear',
          text: `${named(old.sort())}: the header is LUKS1, which derives keys with PBKDF2 only and keeps the key where an administrator can read it.`,
          probe: storageBlockDevices.id,
        },
      ]
}

function argueTarget(name: string, kind: string, target: DmTarget): readonly DraftObservation[] {
  if (target.kind !== 'crypt') return []
  const shown = `${quote(name)}${kind === '' ? '' : ` (${kind})`}`
  return [step(shown, gradeCipher(target.cipher, target.keyBytes), storageDmTable.id)]
}

const step = (name: string, { strength, description }: CipherReading, probe: string): DraftObservation => ({
  direction: strength === 'sound' ? 'supports' : 'contradicts',
  text: `${name}: ${description}.`,
  probe,
})

const kindOf = (uuid: string): string => /^CRYPT-(LUKS1|LUKS2|PLAIN)-/.exec(uuid)?.[1] ?? ''

/** A recorded fact, not an assertion: no rule sets the mode, but a reader must see it next to every verdict about encrypted volumes. */
const encryptionAtRestUnlockMode = defineCheck({
  id: 'encryption.at-rest.unlock-mode',
  property: 'encryption-at-rest',
  expected: 'The way encrypted volumes are opened at start is recorded.',
  ends: 'recorded',
  limitations: `${UNLOCK_LIMITS} Shows the mechanisms that crypttab and the start-up settings name, not who could trigger them; tokens in the headers of volumes are not read. A volume that opens without a person may also open for a person who removes the whole node.`,
  requires: { crypttab: storageCrypttab },
  optional: { keyFiles: storageKeyFiles, helpers: storageUnlockHelpers, devices: storageBlockDevices },
  evaluate({ crypttab }, { keyFiles, helpers, devices }) {
    const found = keyFiles.ok ? keyFiles.fact.paths : []
    const entries = crypttab.entries.map((entry) => {
      const source = keySource(entry, found)
      return unclear(`${quote(entry.name)}: ${modeOf(source)}: ${source.description}.`, storageCrypttab)
    })
    const empty = crypttab.present ? 'crypttab lists no volumes.' : 'The node has no crypttab.'
    return {
      verdict: 'informational',
      observations: [
        ...(entries.length > 0 ? entries : [unclear(empty, storageCrypttab)]),
        ...(helpers.ok ? helped(helpers.fact) : unclearAbout(storageUnlockHelpers, helpers)),
        ...unclearAbout(storageKeyFiles, keyFiles),
        ...openNow(devices),
      ],
    }
  },
})

function modeOf({ attended }: KeySource): string {
  if (attended === null) return 'not determined whether a person is needed'
  return attended ? 'needs a person' : 'opens without a person'
}

const SAYS: Readonly<Record<string, string>> = {
  tang: 'a server on the network (Tang)',
  tpm2: 'the node’s TPM',
  sss: 'a rule over several sources',
  pkcs11: 'a PKCS #11 token',
}

function helped({
  clevis,
  clevisPins,
  remoteShell,
  imageKeys,
  kernelWords,
}: UnlockHelpers): readonly DraftObservation[] {
  const from = clevisPins.map((pin) => SAYS[pin] ?? pin).join(', ')
  const what = from === '' ? '' : ` It can take keys from: ${from}.`
  const noted = (text: string): DraftObservation => unclear(text, storageUnlockHelpers)
  return [
    ...(clevis === 'set-up'
      ? [
          noted(
            `Clevis is configured to supply the passphrase at start, so that bound volumes open without a person.${what}`,
          ),
        ]
      : clevis === 'installed'
        ? [noted(`Clevis is installed and not configured to supply a passphrase at start.${what}`)]
        : []),
    ...(remoteShell
      ? [noted('The start-up image holds an SSH server, through which a person can type a passphrase.')]
      : []),
    ...(imageKeys.length > 0 ? [noted(`Key files are added to the start-up image: ${named(imageKeys)}.`)] : []),
    ...(kernelWords.length > 0 ? [noted(`The kernel was started with ${named(kernelWords)}.`)] : []),
  ]
}

/** What is readable on a running node, apart from what is encrypted at rest. */
function openNow(devices: Parsed<SysfsBlock>): readonly DraftObservation[] {
  if (!devices.ok) return unclearAbout(storageBlockDevices, devices)
  const open = [...devices.fact.devices.values()].flatMap(({ dmName, dmUuid }) =>
    dmName !== null && ENCRYPTING.test(dmUuid ?? '') ? [dmName] : [],
  )
  return open.length === 0
    ? []
    : [
        unclear(
          `${count(open.length, 'encrypted volume')} ${open.length === 1 ? 'is' : 'are'} open now and can be read in clear text with administrator rights: ${named(open.sort())}.`,
          storageBlockDevices,
        ),
      ]
}

export const diskEncryptionSubject = defineSubject({
  id: 'disk-encryption',
  title: 'Encryption at rest',
  probes: [storageHibernation, storageCrypttab, storageKeyFiles, storageUnlockHelpers],
  checks: [
    encryptionAtRestBlockGraph,
    encryptionAtRestCipher,
    encryptionAtRestSwap,
    encryptionAtRestScratch,
    encryptionAtRestKeyCustody,
    encryptionAtRestUnlockMode,
    encryptionAtRestOtherMounts,
  ],
  data,
})
