import { writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFleets, parseFleet } from '../main/adapters/fleet-file.ts'
import { planFleet } from '../main/core/fleet/fleet.ts'
import type { Fleet } from '../schemas/types.ts'
import { folderOfTests } from './support/folders.ts'
import { must } from './support/outcomes.ts'

const HOST_KEY = `SHA256:${'A'.repeat(43)}`
const refused = (text: string): string => {
  const read = parseFleet(text, 'fleet.yaml')
  return read.ok ? 'accepted' : read.error.detail
}

describe('a fleet file', () => {
  test('gives targets with every default, jump and path resolved', () => {
    const read = parseFleet(
      `name: Clinic
vantage: { name: Office, latitude: 52.5, longitude: 13.4, radiusKm: 1, declaredBy: us }
ephiPaths: [/data]
roster: [root, anna]
nodes:
  - name: bastion
    address: bastion.example
    hostKey: ${HOST_KEY}
    identityFile: ~/.ssh/id
    jumpOnly: true
  - name: inner
    address: 10.0.0.1
    hostKey: ${HOST_KEY}
    jump: [bastion]
  - name: gpu-01
    address: 10.0.0.7
    port: 2222
    user: audit
    identityFile: keys/audit
    jump: [inner]
    sudo: true
    role: inference
    ephiPaths: [/mnt/images]
    transport: openssh
`,
      '/fleets/clinic.yaml',
    )
    if (!read.ok) throw new Error(read.error.detail)
    const ask = async (): Promise<null> => null
    const targets = read.value.targets({ ask })
    expect(targets.map(({ node }) => node.name)).toEqual(['inner', 'gpu-01'])
    const [inner, gpu] = targets
    expect(gpu).toEqual({
      node: {
        name: 'gpu-01',
        address: '10.0.0.7',
        port: 2222,
        user: 'audit',
        sudo: true,
        role: 'inference',
        vantage: { name: 'Office', latitude: 52.5, longitude: 13.4, radiusKm: 1, declaredBy: 'us' },
        ephiPaths: ['/data', '/mnt/images'],
        roster: ['root', 'anna'],
      },
      trust: {
        knownHostsFiles: [join(homedir(), '.ssh/known_hosts'), '/etc/ssh/ssh_known_hosts'],
        decisionsFile: '/fleets/clinic.yaml.known_hosts',
      },
      credentials: { identityFile: '/fleets/keys/audit', agent: false, ask },
      transport: 'openssh',
      jumps: [
        expect.objectContaining({ node: expect.objectContaining({ name: 'bastion' }) }),
        expect.objectContaining({ node: expect.objectContaining({ name: 'inner' }) }),
      ],
    })
    expect(inner?.trust).toEqual({
      fingerprint: HOST_KEY,
      knownHostsFiles: [],
      decisionsFile: '/fleets/clinic.yaml.known_hosts',
    })
    expect(inner?.node).toMatchObject({ port: 22, user: 'bwaudit', sudo: false })
    expect(inner?.credentials).toEqual({ agent: true, ask })
    expect(inner?.jumps[0]?.credentials.identityFile).toBe(join(homedir(), '.ssh/id'))
  })

  test('joins the ePHI flows of the fleet with those of a node, and leaves them out where none is declared', () => {
    const flows = (text: string) => {
      const read = must(parseFleet(text, 'fleet.yaml'))
      return read.targets({ ask: async () => null }).map(({ node }) => node.ephiFlows)
    }
    const own = '{ name: a, address: a, ephiFlows: [{ port: 11112, protocol: tcp, name: DICOM }] }'
    const all = 'ephiFlows: [{ port: 8443, protocol: tcp, name: Inference API }]'
    expect(flows(`name: x\n${all}\nnodes:\n  - ${own}\n  - { name: b, address: b }\n`)).toEqual([
      [
        { port: 8443, protocol: 'tcp', name: 'Inference API' },
        { port: 11112, protocol: 'tcp', name: 'DICOM' },
      ],
      [{ port: 8443, protocol: 'tcp', name: 'Inference API' }],
    ])
    expect(flows('name: x\nnodes:\n  - { name: a, address: a }\n')).toEqual([undefined])
  })

  test('reads JSON as well', () => {
    expect(
      parseFleet(JSON.stringify({ name: 'x', nodes: [{ name: 'a', address: 'a' }] }, null, '\t'), 'fleet.json').ok,
    ).toBe(true)
  })

  test.each([
    [
      'name: x\nnodes:\n  - name: a\n    address: a\n    port: ssh\n',
      'fleet.yaml:5:5: nodes[0].port must be a whole number, not “ssh”',
    ],
    [
      'name: x\nnodes:\n  - name: a\n    address: a\n    prot: 22\n',
      'fleet.yaml:5:5: nodes[0].prot is not a known field',
    ],
    ['name: x\nnodes:\n  - name: a\n', 'fleet.yaml:3:5: nodes[0] lacks “address”'],
    ['name: x\nnodes: []\n', 'fleet.yaml:2:1: nodes must have at least 1'],
    ['', 'fleet.yaml:1:1: the document must be a mapping, not null'],
    [
      'name: x\nnodes:\n  - { name: a, address: a, hostKey: "MD5:00" }\n',
      'nodes[0].hostKey is “MD5:00”, which is not a fingerprint such as SHA256: and 43 characters, as ssh-keygen -l prints it',
    ],
    ['name: x\nnodes:\n  - { name: A, address: a }\n', 'nodes[0].name is “A”, which must be lower-case letters'],
    [
      'name: x\nnodes:\n  - { name: a, address: a b }\n',
      'nodes[0].address is “a b”, which is not a host name or address',
    ],
    ['name: x\nnodes:\n  - { name: a, address: a, port: 70000 }\n', 'nodes[0].port must be at most 65535, not 70000'],
    [
      'name: x\nnodes:\n  - { name: a, address: a }\n  - { name: a, address: b }\n',
      'fleet.yaml:4:7: nodes[1].name is “a”, which another node has',
    ],
    [
      'name: x\nnodes:\n  - { name: a, address: a, jump: [b] }\n',
      'fleet.yaml:3:35: nodes[0].jump[0] is “b”, which is not a node of this fleet',
    ],
    [
      'name: x\nnodes:\n  - { name: a, address: a, jump: [b] }\n  - { name: b, address: b, jump: [a] }\n',
      'nodes[0].jump is circular through “a”',
    ],
    [
      'name: x\nresidency: [{ region: US, nodes: [a, b] }]\nnodes:\n  - { name: a, address: a }\n',
      'residency[0].nodes[1] is “b”, which is not a node of this fleet',
    ],
    [
      'name: x\nresidency: [{ region: US, nodes: [] }]\nnodes:\n  - { name: a, address: a }\n',
      'residency[0].nodes is empty, so the rule applies to no node',
    ],
    ...[
      ['residency: [{ region: US, country: [DE] }]', 'fleet.yaml:2:13: residency[0] has region and country: only one'],
      ['residency: [{ name: x }]', 'fleet.yaml:2:13: residency[0] has no area: one of region, country, polygon'],
      [
        'residency: [{ country: [de] }]',
        'fleet.yaml:2:25: residency[0].country[0] is “de”, which is not a country code',
      ],
      ['residency: [{ polygon: [[50, 170], [50, -170], [40, -170]] }]', 'residency[0].polygon cannot be used: '],
      ['residency: [{ polygon: [[0, 0], [10, 10], [0, 10], [10, 0]] }]', 'residency[0].polygon cannot be used: '],
      ['residency: [{ polygon: [[50, 1], [51, 2]] }]', 'fleet.yaml:2:15: residency[0].polygon must have at least 3'],
      [
        'vantage: { name: O, latitude: 52, longitude: 13, radiusKm: 51, declaredBy: us }',
        'fleet.yaml:2:1: vantage has an accuracy of only 51 km',
      ],
      ['vantage: { name: O, latitude: 52, longitude: 13, radiusKm: 1 }', 'fleet.yaml:2:1: vantage lacks “declaredBy”'],
      [
        'sites: { file: s, source: H, on: 2026-13-01, declaredBy: us }',
        'sites.on is “2026-13-01”, which is not a valid date',
      ],
      [
        'sites: { file: s, source: H, on: 2026-11-01, declaredBy: us, signer: abc }',
        'sites.signer is “abc”, which is not',
      ],
      ['addressDatabases: [{ provenance: x }]', 'fleet.yaml:2:20: addressDatabases[0] lacks “file”'],
      ['vantages: [7]', 'fleet.yaml:2:12: vantages[0] must be text, not 7'],
      ['locationSpreadSeconds: -1', 'fleet.yaml:2:1: locationSpreadSeconds must be at least 0, not -1'],
    ].map(([line = '', problem = '']) => [`name: x\n${line}\nnodes:\n  - { name: a, address: a }\n`, problem]),
    ...[
      ['{ port: 0, protocol: tcp, name: x }', 'ephiFlows[0].port must be at least 1, not 0'],
      ['{ port: 443, protocol: sctp, name: x }', 'ephiFlows[0].protocol must be one of tcp, udp, not “sctp”'],
      ['{ port: 443, protocol: tcp }', 'ephiFlows[0] lacks “name”'],
      ['{ port: 443, protocol: tcp, name: x, to: y }', 'ephiFlows[0].to is not a known field'],
    ].map(([flow = '', problem = '']) => [
      `name: x\nnodes:\n  - { name: a, address: a, ephiFlows: [${flow}] }\n`,
      `nodes[0].${problem}`,
    ]),
    ['name: x\nnodes:\n  - { name: a, address: a, jumpOnly: true }\n', 'nodes contains only jump hosts'],
    [
      'name: x\nknownHosts: nowhere\nnodes:\n  - { name: a, address: a }\n',
      'fleet.yaml:2:1: knownHosts names nowhere, which does not exist',
    ],
    ['name: x\nname: y\nnodes: []\n', 'fleet.yaml:2:1: Map keys must be unique'],
    ['name: [x\n', 'fleet.yaml:2:1: '],
    ['name: x\u202e\nnodes: 5\u202e\n', 'not “5\\u{202e}”'],
  ])('%j is refused', (text, problem) => {
    expect(refused(text)).toContain(problem)
  })

  test('a bomb of aliases is refused', () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) =>
        `a${level}: &a${level} [${Array(10)
          .fill(level === 0 ? 'x' : `*a${level - 1}`)
          .join(', ')}]`,
    )
    expect(refused(`${levels.join('\n')}\n`)).toContain('expands too many aliases')
  })

  test('any text is accepted or refused, never thrown at', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseFleet(text, 'fleet.yaml')))
    fc.assert(fc.property(fc.json(), (text) => void parseFleet(text, 'fleet.json')))
  })

  test('a loop of three, a node that jumps through itself, and a name twice are circles', () => {
    const fleet = (jumps: Record<string, string[]>): Fleet => ({
      name: 'x',
      nodes: Object.entries(jumps).map(([name, jump]) => ({ name, address: name, jump })) as unknown as Fleet['nodes'],
    })
    expect(planFleet(fleet({ a: ['b'], b: ['c'], c: ['a'] })).ok).toBe(false)
    expect(planFleet(fleet({ a: ['a'] })).ok).toBe(false)
    expect(planFleet(fleet({ a: ['b', 'b'], b: [] })).ok).toBe(false)
    expect(planFleet(fleet({ a: ['b', 'c'], b: ['c'], c: [] })).ok).toBe(false)
    expect(planFleet(fleet({ a: ['b'], b: ['c'], c: [] })).ok).toBe(true)
  })
})

const folder = folderOfTests('fleet')

test('files: read from disk, absent, and too large', async () => {
  const path = join(folder, 'fleet.yaml')
  expect(await createFleets().read(path)).toMatchObject({ ok: false, error: { code: 'input.not-found' } })
  writeFileSync(path, 'name: x\nknownHosts: known\nnodes:\n  - { name: a, address: a }\n')
  writeFileSync(join(folder, 'known'), '')
  const read = must(await createFleets().read(path))
  expect(read.targets({ decisionsFile: '/d' })[0]?.trust).toEqual({
    knownHostsFiles: [join(folder, 'known')],
    decisionsFile: '/d',
  })
  writeFileSync(path, '#'.repeat(9 * 1024 * 1024))
  expect(await createFleets().read(path)).toMatchObject({
    ok: false,
    error: { code: 'input.refused', detail: expect.stringContaining('8 MiB') },
  })
})

describe('pinned parts beside the fleet file', () => {
  const fleet = 'name: x\nnodes:\n  - { name: a, address: a }\n'
  const disk = { kind: 'disk', part: 'SAMSUNG MZQL23T8HCLS', value: 'S64G1' }

  test('go to the node that they are of', () => {
    const read = parseFleet(fleet, 'fleet.yaml', JSON.stringify({ a: [disk], gone: [disk] }))
    expect(read.ok && read.value.targets({})[0]?.node.hardware).toEqual([disk])
  })
  test('that cannot be read are an error that names the file: a swap would go unnoticed', () => {
    for (const text of ['{', '[]', '{"a":[{"kind":"soul","part":"x","value":"y"}]}', '{"a":"x"}'])
      expect(parseFleet(fleet, 'fleet.yaml', text)).toMatchObject({
        ok: false,
        error: { code: 'input.refused', detail: expect.stringContaining('fleet.yaml.hardware.json') },
      })
    expect(parseFleet(fleet, 'fleet.yaml', '{"__proto__":[]}').ok).toBe(true)
  })
})
