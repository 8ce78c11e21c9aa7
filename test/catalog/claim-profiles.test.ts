import { expect, test } from 'vitest'
import { catalog } from '../../main/catalog/definition/index.ts'
import { assess } from '../../main/core/conclusion/assess.ts'
import type { ClaimResult, ProviderProfile } from '../../schemas/types.ts'
import { FIXTURE_TIME, fixtureRecording } from '../support/fixtures.ts'

/** What the recorded nodes answer to the promises that ship. demo-gpu-01 is a whole GPU server, demo-guest-03 a guest, demo-metal-04 a guest that looks like a machine. */

const [first] = catalog.providers
if (first === undefined) throw new Error('no profile ships')

/** All profiles as one, so that each node is assessed once. */
const all: ProviderProfile = {
  ...first,
  claims: catalog.providers.flatMap(({ id, claims }) => claims.map((claim) => ({ ...claim, id: `${id} ${claim.id}` }))),
}

const NODES = ['demo-gpu-01', 'demo-guest-03', 'demo-metal-04'] as const
const assessed = (asOf: string) =>
  assess({
    catalog,
    scope: { fleet: 'fixtures', population: [...NODES, 'never-seen'], frameworks: [], provider: all },
    recordings: NODES.map((name) => fixtureRecording(name, catalog.probes)),
    asOf,
  }).nodes

const LETTERS: Readonly<Record<string, ClaimResult['result']>> = {
  o: 'corroborated',
  c: 'contradicted',
  u: 'inconclusive',
  n: 'not-observable',
  r: 'document-required',
  a: 'not-applicable',
}

// In the order demo-gpu-01, demo-guest-03, demo-metal-04.
const EXPECTED: Readonly<Record<string, string>> = {
  'onesource-cloud dedicated-server': 'occ',
  'onesource-cloud no-hypervisor': 'occ',
  'onesource-cloud exclusive-gpu': 'oao',
  'onesource-cloud exclusive-memory': 'occ',
  'onesource-cloud exclusive-devices': 'occ',
  'onesource-cloud local-drives': 'occ',
  'onesource-cloud dedicated-storage': 'rrr',
  'onesource-cloud dedicated-network-port': 'ouc',
  'onesource-cloud switch-port': 'nnn',
  'onesource-cloud nvlink': 'occ',
  'onesource-cloud nvlink-900': 'oaa',
  'onesource-cloud gpu-model': 'occ',
  'onesource-cloud eight-gpus': 'oaa',
  'onesource-cloud nvswitch': 'occ',
  'onesource-cloud rdma': 'oco',
  'onesource-cloud infiniband-rate': 'oao',
  'onesource-cloud ethernet-rate': 'uaa',
  'onesource-cloud datapath': 'rrr',
  'onesource-cloud united-states': 'oou',
  'onesource-cloud oneplus-platform': 'rro',
  'onesource-cloud managed-24x7': 'rrr',
  'onesource-cloud hipaa-ready': 'rrr',
  'onesource-cloud regulated-sectors': 'rrr',
  'onesource-cloud nist-800-125': 'rrr',
  'onesource-cloud mig': 'oco',
  'onesource-cloud kubernetes-slurm': 'nnn',
  'hostrunway one-tenant': 'occ',
  'hostrunway one-tenant-record': 'rrr',
  'hostrunway every-core': 'occ',
  'hostrunway every-gpu': 'oao',
  'hostrunway every-byte-of-hbm': 'oaa',
  'hostrunway every-pcie-lane': 'oac',
  'hostrunway whole-devices': 'occ',
  'hostrunway nvlink-4': 'occ',
  'hostrunway local-nvme': 'occ',
  'hostrunway nvme-raid': 'occ',
  'hostrunway roce-v2': 'ucc',
  'hostrunway fabric-100g': 'cuc',
  'hostrunway fabric-100g-carried': 'nnn',
  'rackbank no-hypervisor': 'occ',
  'rackbank no-shared-tenancy': 'occ',
  'rackbank gpu-model': 'oco',
  'rackbank nvlink': 'occ',
  'rackbank rdma-fabric': 'oco',
  'rackbank infiniband-hdr': 'oao',
  'rackbank roce-v2': 'uaa',
  'rackbank nvme-over-fabrics': 'uuu',
  'rackbank kubernetes': 'nnn',
  'rackbank near-native': 'nnn',
  'rackbank india': 'ccc',
  'common-statements known-location': 'rrr',
  'common-statements gpudirect-rdma': 'oau',
  'common-statements gpudirect-storage': 'uau',
  'common-statements side-channels': 'occ',
  'common-statements dedicated-power': 'rrr',
  'common-statements fat-tree': 'rrr',
  'common-statements network-path': 'rrr',
  'common-statements cpu-isolation': 'rrr',
  'common-statements noisy-neighbors': 'nnn',
  'common-statements mpi-latency': 'nnn',
  'common-statements nvme-throughput': 'nnn',
  'common-statements hbm-bandwidth': 'nnn',
  'common-statements hypervisor-overhead': 'nnn',
  'common-statements os-choice': 'rrr',
  'common-statements provisioning-time': 'rrr',
  'common-statements boot-time': 'rrr',
  'common-statements egress-fees': 'rrr',
  'common-statements support-hours': 'rrr',
  'common-statements update-currency': 'rrr',
  'common-statements shared-storage': 'rrr',
  'common-statements vector-database': 'rrr',
}

const fresh = assessed(FIXTURE_TIME)
const answers = (node: string, nodes = fresh): ReadonlyMap<string, ClaimResult> =>
  new Map(nodes.find((one) => one.node === node)?.claims?.map((answer) => [answer.claim, answer]))

test.each(Object.entries(EXPECTED))('%s', (claim, letters) => {
  expect(NODES.map((node) => answers(node).get(claim)?.result)).toEqual([...letters].map((letter) => LETTERS[letter]))
})

test('every shipped promise is in the table above, and each answer that rests on a node gives its reasons and captures', () => {
  expect(all.claims.map(({ id }) => id)).toEqual(Object.keys(EXPECTED))
  for (const { id, tests } of all.claims)
    for (const node of NODES) {
      const { result, observations = [] } = answers(node).get(id) ?? {}
      expect([id, node, observations.length > 0]).toEqual([id, node, tests.length > 0])
      // What needs a record can rest on one that was not given, which no capture shows.
      expect([
        id,
        node,
        tests.length === 0 ||
          result === 'document-required' ||
          observations.some(({ captures }) => captures.length > 0),
      ]).toEqual([id, node, true])
    }
})

test('a node that was not collected is answered with what needs a record, and nothing else', () => {
  for (const { id, tests, otherwise, whenUndecided = 'inconclusive' } of all.claims)
    expect(answers('never-seen').get(id)?.result).toBe(tests.length > 0 ? whenUndecided : otherwise)
})

test('evidence that is too old leaves nothing observed', () => {
  const old = assessed('2027-03-01T00:00:00.000Z')
  for (const node of NODES)
    for (const { result } of answers(node, old).values())
      expect(['corroborated', 'not-applicable']).not.toContain(result)
  expect(answers('demo-gpu-01', old).get('hostrunway fabric-100g')?.result).toBe('contradicted')
})
