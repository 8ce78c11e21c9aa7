import type { Engagement, EvidenceDocument, ProviderProfile, Register } from '../../../schemas/types.ts'
import type { DemoDeclared } from '../../core/all-ports.ts'
import { endOfDay } from '../../core/base/days.ts'
import { sha256 } from '../../core/base/digest.ts'
import { REQUESTS } from '../../core/register/documents.ts'
import { demoLocation } from './demo-location.ts'

/** The remaining members of a claim that tests decide. */
const BY_TESTS = { otherwise: null, why: null, documentRequired: null } as const

/** A fictitious provider and its claims: the demo makes no statement about a real one. */
export const DEMO_PROVIDER: ProviderProfile = {
  schema: 'barewitness.provider/1',
  id: 'example-hosting',
  name: 'Example Hosting (made up)',
  asOf: '2026-11-01',
  notes: ['Made up for the demo, like its nodes.'],
  sources: [
    {
      id: 'page',
      kind: 'page',
      title: 'Dedicated GPU servers (made up)',
      where: 'hosting.example/gpu',
      on: '2026-11-01',
    },
    {
      id: 'contract',
      kind: 'contract',
      title: 'Hosting contract 17 (made up)',
      where: 'Schedule A',
      on: '2026-02-01',
    },
  ],
  claims: [
    {
      id: 'no-hypervisor',
      text: 'The servers run without a provider hypervisor.',
      source: 'page',
      tests: [{ check: 'tenancy.no-hypervisor' }],
      ...BY_TESTS,
    },
    {
      id: 'whole-devices',
      text: 'GPUs and network adapters are dedicated as whole devices.',
      source: 'page',
      tests: [{ check: 'tenancy.gpu-exclusive' }, { check: 'tenancy.pcie-inventory' }],
      ...BY_TESTS,
    },
    {
      id: 'eight-gpus',
      text: 'GPU servers have eight GPUs.',
      source: 'contract',
      nodes: ['demo-gpu-01', 'demo-gpu-02', 'demo-metal-04', 'demo-nosudo-06'],
      tests: [{ test: 'gpu.count', value: 8 }],
      ...BY_TESTS,
    },
    {
      id: 'nvlink-4',
      text: 'GPUs are connected by NVLink 4, with every link in use.',
      source: 'page',
      nodes: ['demo-gpu-01', 'demo-gpu-02', 'demo-nosudo-06'],
      tests: [{ test: 'gpu.nvlink-links', value: 4 }],
      ...BY_TESTS,
    },
    {
      id: 'port-100g',
      text: 'Each server has a 100 Gbit/s network port.',
      source: 'contract',
      tests: [{ test: 'network.ethernet-rate', value: 100 }],
      ...BY_TESTS,
    },
    {
      id: 'country-us',
      text: 'Servers are in the United States, except those in Frankfurt.',
      source: 'contract',
      nodes: ['demo-gpu-01', 'demo-gpu-02', 'demo-guest-03', 'demo-shared-05', 'demo-nosudo-06'],
      tests: [{ test: 'location.country', value: 'US' }],
      ...BY_TESTS,
    },
    {
      id: 'own-network-port',
      text: 'No other customer shares the switch port.',
      source: 'page',
      tests: [],
      otherwise: 'not-observable',
      why: 'Other ports of a switch are on the provider’s side of the cable.',
      documentRequired: null,
    },
    {
      id: 'drives-destroyed',
      text: 'Drives are destroyed when a server is returned.',
      source: 'contract',
      tests: [],
      otherwise: 'document-required',
      why: 'This happens after the server was returned.',
      documentRequired: 'A certificate that lists the serial number of each drive',
    },
  ],
}

const DAY_MS = 86_400_000
const OFFICER = 'M. Ortiz (demo)'
const ENGINEER = 'J. Lin (demo)'
const LEAD = 'A. Weber (demo)'

/**
 * The provider inventory as its portal would export it: one entry that is in no fleet file, and one that is not a
 * server.
 */
const INVENTORY = `Asset ID,Hostname,Service tag,Monthly
SRV-2201,demo-gpu-01,DEMO-S0001,
SRV-2202,demo-gpu-02,DEMO-S0002,
SRV-2203,demo-guest-03,,
SRV-2204,demo-metal-04,DEMO-S0004,
SRV-2205,demo-shared-05,DEMO-S0005,
SRV-2206,demo-nosudo-06,,
SRV-2207,demo-gone-07,,
SRV-2208,demo-changed-08,,
SRV-2209,gpu-spare,DEMO-S0009,
NET-0007,top-of-rack switch,DEMO-N0007,
`

/** Declarations and documents of the demo fleet, synthetic like its nodes. Every date is relative to the given time. */
export function demoDeclared(asOf: string, nodes: readonly string[]): DemoDeclared {
  const day = (days: number): string => new Date(Date.parse(asOf) + days * DAY_MS).toISOString().slice(0, 10)
  const moment = (days: number): string => new Date(Date.parse(asOf) + days * DAY_MS).toISOString()
  const inventory = new TextEncoder().encode(INVENTORY)
  return {
    engagement: engagementOf(nodes, inventory, day),
    inventory,
    provider: DEMO_PROVIDER,
    ...demoLocation(nodes, day),
    ...registerEntries(day, moment),
  }
}

type Days = (days: number) => string

function engagementOf(nodes: readonly string[], inventory: Uint8Array, day: Days): Engagement {
  const by = { owner: OFFICER, on: day(-20) }
  return {
    schema: 'barewitness.engagement/1',
    entity: 'Example Clinic (demo)',
    audience: 'Security officer and external assessor (demo)',
    purpose: 'Annual technical evaluation, and input for a SOC 2® examination',
    // A host of imaging workloads commits to availability and confidentiality: both categories have controls that the
    // demo nodes test.
    categories: ['availability', 'confidentiality'],
    reportingBasis: { kind: 'date', date: day(0) },
    fieldwork: day(21),
    status: 'draft',
    distribution: 'For the clinic and its assessor only',
    ...by,
    boundary: {
      ...by,
      system: 'GPU servers that run imaging inference, with their local storage and their SSH access',
      services: ['Imaging inference', 'Model training on de-identified images'],
      sites: ['US East (contract)', 'Frankfurt am Main (contract)'],
      outside: [
        { what: 'Identity provider and bastion', why: 'Covered by the SOC report of its own provider' },
        { what: 'Workstations of clinicians', why: 'Separate system with its own evaluation' },
      ],
    },
    responsibilities: [
      ['Building, power, cooling', 'Runs', 'Reviews the report'],
      ['Hardware, firmware, management controller', 'Runs', 'Defines by contract, monitors'],
      ['Operating system, accounts, logs, patches', '–', 'Runs'],
      ['Encryption and keys', '–', 'Runs'],
      ['Return and disposal of drives', 'Performs it and documents each disposal', 'Compares serial numbers'],
    ].map(([area = '', provider = '', customer = '']) => ({ ...by, area, provider, customer })),
    subserviceOrganizations: [
      {
        ...by,
        name: 'Example Hosting (made up)',
        services: 'Dedicated servers, network port, remote hands',
        method: 'carve-out',
        report: { title: 'SOC 2® Type 2 report', from: day(-480), to: day(-115), bridgedUntil: day(-25) },
        controls: [
          {
            text: 'Physical access to the data halls is restricted and logged',
            controls: [{ framework: 'soc2', control: 'soc2:CC6.4' }],
          },
          { text: 'Power and cooling are monitored', controls: [{ framework: 'soc2', control: 'soc2:A1.2' }] },
        ],
      },
    ],
    complementaryUserEntityControls: [
      {
        ...by,
        id: 'UEC-3',
        of: 'Example Hosting (made up)',
        text: 'Customers manage accounts and SSH keys on their servers',
        controls: [{ framework: 'soc2', control: 'soc2:CC6.1' }],
        checks: ['access.unique-accounts', 'access.sshd.root-login'],
      },
      {
        ...by,
        id: 'UEC-5',
        of: 'Example Hosting (made up)',
        text: 'Customers encrypt the data they store',
        controls: [{ framework: 'soc2', control: 'soc2:CC6.7' }],
        checks: ['encryption.at-rest.block-graph'],
      },
    ],
    ephi: {
      ...by,
      stores: [
        {
          name: 'Image store',
          path: '/data/ephi',
          nodes: ['demo-gpu-01', 'demo-gpu-02'],
          what: 'Images being read',
        },
        { name: 'Result cache', path: '/scratch/results', nodes: ['demo-gpu-02'], what: 'Reports before transfer' },
      ],
      flows: [
        { name: 'Upload', from: 'Hospital archive', to: '/data/ephi', protection: 'TLS to the inference API' },
        { name: 'Hand-over', from: '/scratch/results', to: 'Hospital archive', protection: 'SSH' },
      ],
    },
    population: { ...by, source: 'Asset register of the clinic (demo)', nodes: [...nodes] },
    inventory: {
      ...by,
      source: 'Portal of Example Hosting (made up)',
      kind: 'portal-export',
      file: { name: 'servers.csv', size: inventory.length, sha256: sha256(inventory) },
      rows: INVENTORY.split('\n')
        .slice(1, -1)
        .map((line) => {
          const [id = '', name = '', serial = ''] = line.split(',')
          return { id, name: name === '' ? null : name, address: null, serial: serial === '' ? null : serial }
        }),
      excluded: [{ id: 'NET-0007', why: 'Network switch, not a server' }],
    },
    signOff: [
      { role: 'collector', name: ENGINEER, title: 'Platform engineer', on: day(0) },
      { role: 'reviewer', name: OFFICER, title: 'Compliance officer', on: null },
      { role: 'approver', name: LEAD, title: 'Security official', on: null },
    ],
  }
}

function registerEntries(day: Days, moment: Days): Pick<DemoDeclared, 'register' | 'documents'> {
  const id = (name: string): string => sha256(`demo ${name}`).slice(0, 32)
  const people = {
    owner: ENGINEER,
    requestedBy: ENGINEER,
    approvedBy: LEAD,
    approverRole: 'Security official',
    withdrawn: null,
  }
  const decided = {
    factors: null,
    alternativeMeasure: null,
    decidedAt: moment(-60),
    expiresAt: endOfDay(day(300)),
    ...people,
  }
  const inspected = (days: number, lookedAt: string): Pick<EvidenceDocument, 'level' | 'inspection'> => ({
    level: 'inspected',
    inspection: { by: LEAD, at: moment(days), lookedAt, conclusion: 'supports' },
  })
  const bytes = new Map<string, Uint8Array>()
  const record = (
    name: string,
    more: Pick<EvidenceDocument, 'summary' | 'level' | 'inspection'> & {
      readonly request: string
      readonly days: number
      readonly until: number
    },
  ): EvidenceDocument => {
    const { request, days, until, ...rest } = more
    const content = new TextEncoder().encode(`Demo document: ${name}. It takes the place of a document of your own.\n`)
    bytes.set(sha256(content), content)
    return {
      id: id(name),
      kind: 'file',
      name,
      mediaType: 'text/plain',
      size: content.length,
      sha256: sha256(content),
      controls: [{ framework: REQUESTS, control: request }],
      need: null,
      providedBy: OFFICER,
      owner: OFFICER,
      attachedAt: moment(days),
      validUntil: endOfDay(day(until)),
      withdrawn: null,
      ...rest,
    }
  }
  const register: Register = {
    schema: 'barewitness.register/1',
    riskAcceptances: [
      {
        id: id('fabric'),
        check: 'encryption.in-transit.fabric',
        nodes: ['demo-gpu-01', 'demo-gpu-02'],
        run: null,
        reason: 'The fabric between the GPU servers carries training data without ePHI.',
        compensatingControl: 'A separate partition, and no ePHI path on volumes that the fabric serves.',
        acceptedAt: moment(-40),
        expiresAt: endOfDay(day(45)),
        ...people,
      },
      {
        id: id('passwords'),
        check: 'access.sshd.password-auth',
        nodes: ['demo-guest-03', 'demo-shared-05'],
        run: null,
        reason: 'Key distribution was still in progress.',
        compensatingControl: 'Access from the bastion only.',
        acceptedAt: moment(-130),
        expiresAt: endOfDay(day(-8)),
        ...people,
      },
    ],
    documents: [
      record('business-associate-agreement.txt', {
        request: 'ER-31',
        summary: 'The agreement with Example Hosting (made up), signed by both parties.',
        ...inspected(
          -88,
          'Parties, signatures, dates, covered services, and the clauses on incidents and subcontractors.',
        ),
        days: -90,
        until: 275,
      }),
      record('soc2-report-cover.txt', {
        request: 'ER-34',
        summary: 'Received from the provider; not inspected yet.',
        level: 'received',
        days: -6,
        until: 250,
      }),
      record('disposal-certificate.txt', {
        request: 'ER-37',
        summary: 'Two drives decommissioned last year.',
        ...inspected(-398, 'Serial numbers of both drives, compared with the asset register.'),
        days: -400,
        until: -35,
      }),
    ],
    documentRequests: [
      {
        framework: REQUESTS,
        control: 'ER-03',
        need: 'Risk analysis report with scope, date and approval',
        owner: OFFICER,
        due: endOfDay(day(-3)),
      },
      {
        framework: 'soc2',
        control: 'soc2:CC9.2',
        need: 'Provider assessment, contract, BAA, review of its SOC report and user-entity controls',
        owner: OFFICER,
        due: endOfDay(day(21)),
      },
    ],
    decisions: [
      {
        id: id('encryption at rest'),
        framework: 'hipaa',
        control: 'hipaa:164.312(a)(2)(iv)',
        decision: 'implemented',
        reason: 'Every volume with ePHI must be on LUKS; known deviations are being remediated.',
        riskAnalysis: 'RA-2026-04, item 7 (demo)',
        ...decided,
      },
      {
        id: id('clearinghouse'),
        framework: 'hipaa',
        control: 'hipaa:164.308(a)(4)(ii)(A)',
        decision: 'not-applicable',
        reason: 'The clinic is not a health care clearinghouse and operates none.',
        riskAnalysis: null,
        ...decided,
      },
    ],
  }
  return { register, documents: bytes }
}
