import { defineCheck, type Step } from '../../core/check.ts'
import { storageBlockDevices } from '../probes/storage-block-devices.ts'
import { type Mount, storageMounts } from '../probes/storage-mounts.ts'
import { storageSwaps } from '../probes/swaps.ts'
import { leavesUnclear, speaksAgainst, speaksFor, weigh } from '../steps.ts'
import { quoted } from '../storage/argue.ts'
import { isNetworkMount, valuesOf } from '../storage/kinds.ts'
import { mountRoots, readStorage, STORAGE_WANTS, swapRoots } from '../storage/roots.ts'

export const encryptionInTransitRemoteMounts = defineCheck({
  id: 'encryption.in-transit.remote-mounts',
  property: 'encryption-in-transit',
  claim: 'Every file system and drive that this node uses over a network encrypts its traffic.',
  limits:
    'Read from the client’s mount options; the server may treat other clients differently, and how it stores the data is not seen. Traffic of parallel NFS to data servers followed the TLS setting only from kernels of 2024 on. File systems that are mounted on demand count only while they are mounted.',
  needs: { mounts: storageMounts, devices: storageBlockDevices, swaps: storageSwaps },
  wants: STORAGE_WANTS,
  evaluate({ mounts, devices, swaps }, wanted) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const because = mounts.mounts.filter(isNetworkMount).map(argueMount)
    for (const { name, walked } of [...mountRoots(storage), ...swapRoots(storage)]) {
      if (!walked.remote) continue
      const way = walked.path.join(' → ')
      if (walked.outcome === 'exposed')
        because.push(speaksAgainst(`${name} crosses a network in clear: ${way}.`, storageBlockDevices))
      else if (walked.outcome === 'encrypted')
        because.push(speaksFor(`${name} is encrypted before it crosses the network: ${way}.`, storageBlockDevices))
      else because.push(leavesUnclear(`${name} crosses a network; ${walked.why}: ${way}.`, storageBlockDevices))
    }
    if (because.length > 0) return weigh(because)
    if (!wanted.lsblk.ok) {
      return weigh([
        leavesUnclear('No network file system is mounted; how the drives are attached was not read.', storageMounts),
      ])
    }
    const text = `${mounts.mounts.length} mounts were read; none is a network file system, and no drive below them is attached over a network.`
    return { verdict: 'not-applicable', because: [leavesUnclear(text, storageMounts)] }
  },
})

/** Mount options: nfs(5), mount.cifs(8), Documentation/filesystems/ceph.rst. */
function argueMount(mount: Mount): Step {
  const name = `${quoted(mount.point)} (${mount.fsType.replace(/[^\w.-]/g, '?').slice(0, 30)})`
  const option = (key: string): string | undefined => valuesOf(mount, key)[0]
  const yes = (how: string): Step => speaksFor(`${name} encrypts its traffic: ${how}.`, storageMounts)
  const no = (how: string): Step => speaksAgainst(`${name} sends its traffic in clear: ${how}.`, storageMounts)
  switch (mount.fsType) {
    case 'nfs':
    case 'nfs4': {
      const tls = option('xprtsec')
      const sec = option('sec')
      if (tls === 'tls' || tls === 'mtls') return yes(`xprtsec=${tls}`)
      if (sec === 'krb5p') return yes('sec=krb5p')
      if (sec === undefined) return leavesUnclear(`${name} does not show its security flavor.`, storageMounts)
      return no(
        /^krb5i?$/.test(sec) ? `sec=${sec} protects logins or integrity only` : 'neither sec=krb5p nor xprtsec is set',
      )
    }
    case 'cifs':
    case 'smb3':
      return mount.options.includes('seal') ? yes('seal is set') : no('seal is not set')
    case 'ceph':
      return option('ms_mode') === 'secure' ? yes('ms_mode=secure') : no('ms_mode is not secure')
    case 'fuse.sshfs':
      return yes('it runs over SSH')
    case '9p':
    case 'virtiofs':
      return leavesUnclear(
        `${name} is shared by the host of this machine; the way it takes from there is not seen.`,
        storageMounts,
      )
    default:
      return leavesUnclear(
        `${name} does not show in its mount options whether its traffic is encrypted.`,
        storageMounts,
      )
  }
}
