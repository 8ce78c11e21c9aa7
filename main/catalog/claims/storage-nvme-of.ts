import { defineCheck } from '../../core/check.ts'
import type { ClaimTest } from '../../core/claim.ts'
import { hasRemoteStorage, storageRemote } from '../probes/storage-remote.ts'
import { contradicts, decide, named, supports, unclear } from '../steps.ts'

const LIMITS =
  'Controllers that the kernel has open at this moment. The location of the target, its other users and the protection of its data are not shown. Storage that is offered but not attached is not covered.'
/** Transports of NVMe over Fabrics; a loop inside the system is none. */
const FABRICS: readonly string[] = ['rdma', 'tcp', 'fc']

export const storageNvmeOf: ClaimTest = {
  id: 'storage.nvme-of',
  title: 'Storage is attached by NVMe over Fabrics.',
  takes: { kind: 'nothing' },
  limitations: LIMITS,
  of(value) {
    if (value !== null) return null
    return defineCheck({
      id: 'storage.nvme-of',
      property: 'operations',
      expected: 'At least one NVMe controller is reached over a fabric: RDMA, TCP or Fibre Channel.',
      limitations: LIMITS,
      requires: { remote: storageRemote },
      evaluate({ remote }) {
        const attached = remote.nvme.filter(({ transport }) => FABRICS.includes(transport))
        if (attached.length > 0)
          return decide([
            supports(
              `Attached over a fabric: ${named(attached.map(({ name, transport }) => `${name} over ${transport}`))}.`,
              storageRemote,
            ),
          ])
        return decide([
          hasRemoteStorage(remote)
            ? contradicts(
                'Drives are attached over a network by other protocols, and none by NVMe over Fabrics.',
                storageRemote,
              )
            : unclear('No drive is attached over a network at this moment; one can be at any time.', storageRemote),
        ])
      },
    })
  },
}
