import type { Check } from '../../core/check.ts'
import type { Probe } from '../../core/probe.ts'
import { encryptionAtRestBlockGraph } from '../checks/encryption-at-rest-block-graph.ts'
import { encryptionAtRestCipher } from '../checks/encryption-at-rest-cipher.ts'
import { encryptionAtRestCrashDumps } from '../checks/encryption-at-rest-crash-dumps.ts'
import { encryptionAtRestKeyCustody } from '../checks/encryption-at-rest-key-custody.ts'
import { encryptionAtRestScratch } from '../checks/encryption-at-rest-scratch.ts'
import { encryptionAtRestSwap } from '../checks/encryption-at-rest-swap.ts'
import { encryptionAtRestUnlockMode } from '../checks/encryption-at-rest-unlock-mode.ts'
import { encryptionInTransitFabric } from '../checks/encryption-in-transit-fabric.ts'
import { encryptionInTransitPlaintextListeners } from '../checks/encryption-in-transit-plaintext-listeners.ts'
import { encryptionInTransitRemoteMounts } from '../checks/encryption-in-transit-remote-mounts.ts'
import { encryptionInTransitSshAlgorithms } from '../checks/encryption-in-transit-ssh-algorithms.ts'
import { encryptionInTransitVpn } from '../checks/encryption-in-transit-vpn.ts'
import { encryptionModuleFipsMode } from '../checks/encryption-module-fips-mode.ts'
import { coreDumpPattern } from '../probes/core-dump-pattern.ts'
import { storageCrypttab } from '../probes/crypttab.ts'
import { storageDmTable } from '../probes/dm-table.ts'
import { fipsMode } from '../probes/fips-mode.ts'
import { kernelDumps } from '../probes/kdump.ts'
import { cryptoPolicy } from '../probes/kernel-crypto-policy.ts'
import { listenerProcesses, networkListeners } from '../probes/listeners.ts'
import { rdmaLinks } from '../probes/rdma-links.ts'
import { sshdEffective } from '../probes/sshd-effective.ts'
import { storageBlockDevices } from '../probes/storage-block-devices.ts'
import { storageHibernation } from '../probes/storage-hibernation.ts'
import { storageLsblk } from '../probes/storage-lsblk.ts'
import { storageMounts } from '../probes/storage-mounts.ts'
import { workingDirectories } from '../probes/storage-working-directories.ts'
import { storageSwaps } from '../probes/swaps.ts'
import { vpnInterfaces } from '../probes/vpn-interfaces.ts'
import { storageZfs } from '../probes/zfs-encryption.ts'
import { storageZpool } from '../probes/zfs-pools.ts'

export const probes: readonly Probe<unknown>[] = [
  storageMounts,
  storageSwaps,
  storageHibernation,
  storageBlockDevices,
  storageLsblk,
  storageDmTable,
  storageCrypttab,
  storageZfs,
  storageZpool,
  workingDirectories,
  coreDumpPattern,
  kernelDumps,
  fipsMode,
  cryptoPolicy,
  sshdEffective,
  networkListeners,
  listenerProcesses,
  rdmaLinks,
  vpnInterfaces,
]

export const checks: readonly Check[] = [
  encryptionAtRestBlockGraph,
  encryptionAtRestCipher,
  encryptionAtRestSwap,
  encryptionAtRestScratch,
  encryptionAtRestCrashDumps,
  encryptionAtRestKeyCustody,
  encryptionAtRestUnlockMode,
  encryptionModuleFipsMode,
  encryptionInTransitSshAlgorithms,
  encryptionInTransitPlaintextListeners,
  encryptionInTransitRemoteMounts,
  encryptionInTransitFabric,
  encryptionInTransitVpn,
]
