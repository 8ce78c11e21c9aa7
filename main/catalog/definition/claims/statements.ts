import type { ClaimCondition, ClaimReading, ClaimTestReference, ProviderClaim } from '../../../../schemas/types.ts'

/** Ways to write the claims of one profile, all from the same source. */
interface Statements {
  /** A claim that the tests decide. */
  readonly tested: (
    id: string,
    text: string,
    tests: readonly ClaimTestReference[],
    about?: Partial<Pick<ProviderClaim, 'condition' | 'whenUndecided' | 'why' | 'documentRequired'>>,
  ) => ProviderClaim
  /** A claim that only a document shows: why no server does, and which document. */
  readonly documented: (id: string, text: string, why: string, documentRequired: string) => ProviderClaim
  /** A claim that neither a test nor a document is asked for. */
  readonly unobserved: (id: string, text: string, why: string) => ProviderClaim
}

/** Builders of claims from one source of a profile. */
export function statementsOf(source: string): Statements {
  return {
    tested: (id, text, tests, about = {}) => ({
      id,
      text,
      source,
      tests,
      otherwise: null,
      why: null,
      documentRequired: null,
      ...about,
    }),
    documented: (id, text, why, documentRequired) => ({
      id,
      text,
      source,
      tests: [],
      otherwise: 'document-required',
      why,
      documentRequired,
    }),
    unobserved: (id, text, why) => ({
      id,
      text,
      source,
      tests: [],
      otherwise: 'not-observable',
      why,
      documentRequired: null,
    }),
  }
}

/** Origin of a profile that paraphrases public pages without a kept copy. */
export const FROM_PUBLIC_PAGES: readonly string[] = [
  'Taken from the provider’s public pages as they were known on the date given, paraphrased. Compare each line with your contract: the contract prevails, and a page can change.',
  'Titles and addresses of the pages were not recorded. No quotation is given, and no copy of a page is kept.',
]
export const FOR_EVERY_NODE =
  'Lines about GPUs apply to every node here. For a fleet with other nodes, copy this profile and name the nodes of each line.'

const where = (text: string, test: string, value: ClaimReading['value']): ClaimCondition => ({
  text,
  tests: [{ test, value }],
})

export const WITH_GPU = where('Where the node has a GPU.', 'gpu.present', null)
export const ON_BASEBOARD = where(
  'Where the GPUs are H100 or H200 modules on a baseboard (SXM).',
  'gpu.board',
  'hopper-sxm',
)
export const ON_INFINIBAND = where('Where the node has an InfiniBand fabric.', 'network.fabric-kind', 'infiniband')
export const ON_ROCE = where('Where the node has an RDMA port over Ethernet.', 'network.fabric-kind', 'roce')

/** Tests of a GPU that is whole and used by its customer alone; a roster is the customer’s, so that deviations from it decide nothing. */
export const EXCLUSIVE_GPU: readonly ClaimTestReference[] = [
  { test: 'gpu.whole', value: null },
  { check: 'tenancy.gpu-exclusive', supportsOnly: true },
  { check: 'tenancy.gpu-processes', supportsOnly: true },
]
/** Tests of a system without a hypervisor, on which accounts are those of the roster. */
export const EXCLUSIVE_SYSTEM: readonly ClaimTestReference[] = [
  { check: 'tenancy.no-hypervisor' },
  { check: 'tenancy.user-census', supportsOnly: true },
]
