import type { DraftObservation } from '../../core/check.ts'
import { plain } from '../../core/plain-text.ts'
import type { Parsed } from '../../core/probe.ts'
import { storageBlockDevices } from '../probes/storage-block-devices.ts'
import { hasRemoteStorage, type RemoteStorage, storageRemote } from '../probes/storage-remote.ts'
import { contradicts, supports, unclear } from '../steps.ts'
import type { Root } from './argue.ts'

/** The drive's own name, at the end of the way. */
export const leafOf = ({ walked }: Root): string =>
  /^(?:one of \d+: )?([a-z]+\d*)/.exec(walked.path.at(-1) ?? '')?.[1] ?? ''

/** iSCSI has no encryption (CHAP is a login), nor have Fibre Channel and RDMA; Ceph and NBD may have it where the node does not show it. */
export function argueDrive(drive: Root, remote: Parsed<RemoteStorage>): DraftObservation {
  const { name, walked } = drive
  const way = walked.path.join(' → ')
  const leaf = leafOf(drive)
  if (walked.outcome === 'encrypted')
    return supports(`${name} is encrypted before it crosses the network: ${way}.`, storageBlockDevices)
  if (walked.outcome !== 'exposed')
    return unclear(`${name} crosses a network; ${walked.why}: ${way}.`, storageBlockDevices)
  if (/^(rbd|nbd)\d/.test(leaf))
    return unclear(
      `${name} crosses a network; whether its connection is encrypted is not shown: ${way}.`,
      storageBlockDevices,
    )
  // With several paths to a drive its name does not show its controllers, so all of them must use TLS.
  if (leaf.startsWith('nvme') && remote.ok && remote.fact.nvme.length > 0 && remote.fact.nvme.every(usesTls))
    return supports(`${name} crosses the network over NVMe/TCP with TLS: ${way}.`, storageRemote)
  return contradicts(`${name} crosses a network in clear text: ${way}.`, storageBlockDevices)
}

const usesTls = ({ transport, hasTls }: RemoteStorage['nvme'][number]): boolean => transport === 'tcp' && hasTls

/** Ways to other machines that no mount or swap was seen to use; lsblk before 2.37 states “nvme” of every NVMe drive, wherever it is. */
export function waysBeside(remote: RemoteStorage, drives: readonly Root[]): readonly DraftObservation[] {
  const seen = new Set(drives.map((drive) => leafOf(drive).replace(/\d+$/, '')))
  const nvme = remote.nvme.filter((one) => one.transport !== 'loop' && !usesTls(one))
  return [
    ...(seen.has('nvme')
      ? []
      : nvme
          .slice(0, 8)
          .map(({ name, transport }) =>
            unclear(
              `${plain(name, 20)} is an NVMe controller on another system (${plain(transport, 20)}${transport === 'tcp' ? ', without TLS' : ''}); which data crosses it was not seen.`,
              storageRemote,
            ),
          )),
    ...(hasRemoteStorage(remote) && [...seen].every((kind) => kind === 'nvme')
      ? [
          unclear(
            'The kernel has a way open to drives of other machines (iSCSI, SRP, Ceph, NBD or DRBD); which data crosses it was not seen.',
            storageRemote,
          ),
        ]
      : []),
  ]
}
