import { defineCheck, unclearAbout } from '../../core/check.ts'
import { osIdentity } from '../probes/os-identity.ts'
import { storageBlockDevices } from '../probes/storage-block-devices.ts'
import { storageLustre } from '../probes/storage-lustre.ts'
import { storageMounts } from '../probes/storage-mounts.ts'
import { storageRemote } from '../probes/storage-remote.ts'
import { storageSwaps } from '../probes/swaps.ts'
import { decide, unclear } from '../steps.ts'
import { argueDrive, waysBeside } from '../storage/remote-drives.ts'
import { argueMount, mayCrossNetwork } from '../storage/remote-mounts.ts'
import { mountRoots, readStorage, STORAGE_WANTS, swapRoots } from '../storage/roots.ts'

export const encryptionInTransitRemoteMounts = defineCheck({
  id: 'encryption.in-transit.remote-mounts',
  property: 'encryption-in-transit',
  expected: 'Every file system and drive that this node uses over a network encrypts its traffic.',
  limitations:
    'Read from the client’s side; the server may treat other clients differently, and how it stores the data is not shown. SMB servers that require encryption on their own are not detected. Traffic of parallel NFS to data servers followed the TLS setting only from kernels of 2024 on. File systems that are mounted on demand count only while they are mounted, and those of other mount namespaces not at all.',
  requires: { mounts: storageMounts, devices: storageBlockDevices, swaps: storageSwaps },
  optional: { ...STORAGE_WANTS, remote: storageRemote, lustre: storageLustre, system: osIdentity },
  evaluate({ mounts, devices, swaps }, { remote, lustre, system, ...wanted }) {
    const storage = readStorage(mounts, devices, swaps, wanted)
    const drives = [...mountRoots(storage), ...swapRoots(storage)].filter(({ walked }) => walked.remote)
    const because = [
      ...mounts.mounts.filter(mayCrossNetwork).flatMap((mount) => argueMount(mount, { lustre, system })),
      ...drives.map((drive) => argueDrive(drive, remote)),
      ...(remote.ok ? waysBeside(remote.fact, drives) : unclearAbout(storageRemote, remote)),
    ]
    if (because.length > 0) return decide(because)
    if (!wanted.lsblk.ok) {
      return decide([
        unclear('No network file system is mounted; how the drives are attached was not read.', storageMounts),
      ])
    }
    const text = `${mounts.mounts.length} mounts were read; none is a network file system, and no drive below them is attached over a network.`
    return { verdict: 'not-applicable', observations: [unclear(text, storageMounts)] }
  },
})
