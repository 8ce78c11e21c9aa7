import { CONCLUSIONS } from '../../../main/catalog/definition/definition.ts'
import { hipaa, REQUESTS, soc2 } from '../../../main/catalog/definition/frameworks/frameworks.ts'
import { REMEDIATIONS } from '../../../main/catalog/definition/remediation.ts'
import { sha256 } from '../../../main/core/base/digest.ts'
import { assess } from '../../../main/core/conclusion/assess.ts'
import { defineProbe, known, type Probe, run, runAsRoot, unknown } from '../../../main/core/recording/probe.ts'
import type { CapturedAnswer, LoadedRecording } from '../../../main/core/recording/recording.ts'
import { EMPTY_REGISTER } from '../../../main/core/register/register.ts'
import type { Catalog } from '../../../main/core/rules/catalog.ts'
import { defineCheck } from '../../../main/core/rules/check.ts'
import type { ReportInput } from '../../../main/present/report.ts'
import type { Capture, Recording, Register, Scope } from '../../../schemas/types.ts'
import type { Property } from '../../../schemas/words.ts'
import { BARE_CATALOG, UNDECIDED } from '../bare-catalog.ts'

/** A small catalog of its own, so that the report is tested apart from what the real one asks. */
const TOPICS: readonly (readonly [id: string, property: Property, claim: string, limits: string, root: boolean])[] = [
  [
    'tenancy.no-hypervisor',
    'isolation',
    'The operating system runs directly on hardware.',
    'A hypervisor built to hide cannot be excluded from inside the operating system.',
    false,
  ],
  [
    'tenancy.no-guests',
    'isolation',
    'No guest machines run on this node.',
    'Says nothing about moments between collections.',
    true,
  ],
  [
    'tenancy.pci-topology',
    'isolation',
    'Devices sit on physical PCI root ports.',
    'A passed-through device can sit on an emulated port that copies a real one.',
    false,
  ],
  [
    'encryption.at-rest.ephi-paths',
    'encryption-at-rest',
    'Every mounted data volume passes through an encrypting layer.',
    'Data is readable on a running, unlocked node.',
    true,
  ],
  [
    'encryption.at-rest.cipher',
    'encryption-at-rest',
    'Encrypted volumes use a listed cipher.',
    'Says nothing about the quality or custody of keys.',
    true,
  ],
  [
    'encryption.in-transit.tls-listeners',
    'encryption-in-transit',
    'Listening services answer with TLS 1.2 or newer.',
    'Only listeners that were found are covered.',
    false,
  ],
  [
    'location.rtt-bound',
    'location',
    'Signal times allow the declared place.',
    'Bounds a distance, not a building; a relay can add delay.',
    false,
  ],
  [
    'access.sshd-effective',
    'access',
    'The SSH server refuses password logins.',
    'Covers the SSH server, not consoles or other services.',
    true,
  ],
  ['access.accounts', 'access', 'Login accounts are on the declared roster.', 'Does not show who holds a key.', true],
  ['audit.auditd-running', 'audit', 'The audit daemon runs.', 'Does not show that anyone reads its records.', true],
  ['time.sync', 'audit', 'The clock follows a time source.', 'Does not show that the source is right.', false],
  [
    'integrity.secure-boot',
    'integrity',
    'Firmware reports that boot images are checked.',
    'Firmware reports about itself.',
    false,
  ],
]

const probes: readonly Probe<unknown>[] = TOPICS.map(([id, , claim, , root]) =>
  defineProbe<string, 'read'>({
    id: `probe.${id}`,
    title: `Question behind ${id}`,
    why: `To see whether this holds: ${claim}`,
    commands: {
      read: (root ? runAsRoot : run)([
        'cat',
        `/sys/devices/system/node/${id}/a-rather-long-path-to-a-file-that-wraps`,
        { glob: '/sys/block/dm-*/dm/uuid' },
        '--format=a b',
      ]),
    },
    parse: ({ read }) => (read.text.trim() === '' ? unknown('the answer was empty') : known(read.text.trim())),
  }),
)

const checks = TOPICS.map(([id, property, expected, limitations], index) => {
  const probe = probes[index] as Probe<string>
  return defineCheck({
    id,
    property,
    expected,
    limitations,
    requires: { said: probe },
    evaluate: ({ said }) => {
      const direction = said.startsWith('no') ? 'contradicts' : 'supports'
      const verdict = said.startsWith('no') ? 'not-satisfied' : said.startsWith('none') ? 'not-applicable' : 'satisfied'
      return {
        verdict,
        observations: [{ direction, text: `The node answered “${said.slice(0, 90)}”.`, probe: probe.id }],
      }
    },
  })
})

export const sampleCatalog: Catalog = {
  ...BARE_CATALOG,
  version: '0.1.0',
  probes,
  checks,
  frameworks: [hipaa, soc2],
  requests: REQUESTS,
  conclusions: CONCLUSIONS,
  assessIsolation: (readings) => {
    const first = readings.get('probe.tenancy.no-hypervisor')
    const virtual = first?.ok === true && String(first.fact).startsWith('no')
    return {
      ...UNDECIDED,
      environment: first?.ok === true ? (virtual ? 'virtual-machine' : 'bare-metal') : 'undetermined',
      platform: virtual ? 'KVM' : null,
      tenancy: 'single-observed',
      attachments: [
        {
          kind: 'gpu',
          device: '0000:17:00.0',
          attachment: virtual ? 'passthrough' : 'physical',
          text: 'NVIDIA H200 behind a root port of the processor',
        },
        { kind: 'disk', device: 'nvme0n1', attachment: 'physical', text: 'NVMe drive with its own serial number' },
      ],
      grade: first?.ok === true ? 'C' : 'D',
      observations: [
        {
          direction: virtual ? 'contradicts' : 'supports',
          text: 'The processor’s hypervisor bit is as expected for this answer.',
          probe: 'probe.tenancy.no-hypervisor',
        },
        {
          direction: 'unclear',
          text: 'No hardware key was read, so the answers are not tied to a machine.',
          probe: null,
        },
      ],
    }
  },
}

export const SAMPLE_AS_OF = '2026-11-20T12:00:00.000Z'
const at = (second: number): string => `2026-11-20T09:12:${String(second % 60).padStart(2, '0')}.250Z`

export interface SampleNode {
  readonly name: string
  readonly answers: (check: string, index: number) => string | null
  readonly privilege?: 'root' | 'sudo' | 'none'
  readonly synthetic?: string
  readonly failure?: { readonly code: string; readonly detail: string }
}

export function sampleRecording({
  name,
  answers,
  privilege = 'sudo',
  synthetic,
  failure,
}: SampleNode): LoadedRecording {
  const captures =
    failure !== undefined
      ? []
      : TOPICS.map(([id, , , , root], index) => capture(id, root, privilege, answers(id, index), index))
  const recording: Recording = {
    schema: 'barewitness.recording/1',
    id: name,
    run: 'sample',
    node: { name, address: '192.0.2.10', port: 22, user: 'bwaudit', sudo: privilege === 'sudo' },
    hostKey: {
      type: 'ssh-ed25519',
      fingerprint: `SHA256:${'A'.repeat(43)}`,
      trust: { how: 'known-hosts', detail: 'known_hosts, line 4' },
    },
    session: failure === undefined ? { transport: 'ssh2', authMethod: 'publickey', privilege } : null,
    collector: { version: '0.1.0', catalogVersion: '0.1.0', catalogDigest: sha256('catalog') },
    startedAt: at(1),
    endedAt: at(59),
    clock: { offsetSeconds: -0.02, uncertaintySeconds: 0.01 },
    outcome: failure === undefined ? { status: 'complete', failure: null } : { status: 'failed', failure },
    demo: false,
    synthetic: synthetic ?? null,
  }
  return { recording, captures }
}

function capture(
  id: string,
  root: boolean,
  privilege: 'root' | 'sudo' | 'none',
  answer: string | null,
  index: number,
): CapturedAnswer {
  const denied = root && privilege === 'none'
  const stdout = new TextEncoder().encode(denied || answer === null ? '' : `${answer}\n`)
  const stderr = new TextEncoder().encode(answer === null && !denied ? 'cat: No such file or directory\n' : '')
  const probe = probes[index]
  const spec = probe?.commands.read
  const meta: Capture = {
    probe: `probe.${id}`,
    command: 'read',
    argv: spec?.kind === 'run' ? spec.argv.map((part) => (typeof part === 'string' ? part : part.glob)) : [],
    source: 'node',
    privilege: root && privilege !== 'none' ? privilege : 'user',
    status: denied ? 'not-run' : 'done',
    exitCode: denied ? null : answer === null ? 1 : 0,
    startedAt: at(index + 2),
    durationMs: 3 + index,
    stdout: { sha256: sha256(stdout), size: stdout.length },
    stderr: { sha256: sha256(stderr), size: stderr.length },
  }
  return { meta, stdout, stderr }
}

const SMALL: readonly SampleNode[] = [
  { name: 'gpu-fra-01', answers: (id) => `yes: ${id} as expected` },
  {
    name: 'gpu-fra-02',
    answers: (id) =>
      id.startsWith('encryption.at-rest')
        ? 'no: /dev/nvme1n1p2 is mounted at /srv/ephi without an encrypting layer'
        : `yes: ${id}`,
  },
  {
    name: 'vm-posing-as-metal-with-a-very-long-name-in-rack-17.fra.example.net',
    answers: (id, index) =>
      id.startsWith('tenancy') ? `no: ${id} shows 日本語 \u202e and R&D <b>` : index % 4 === 3 ? null : `yes: ${id}`,
    privilege: 'none',
    synthetic: 'Built by hand from the answers of a guest machine',
  },
  {
    name: 'db-3',
    answers: () => null,
    failure: { code: 'ssh.unreachable', detail: 'connect ECONNREFUSED 192.0.2.10:22' },
  },
]

/** Six declared nodes: supported, contradicted, a made-up one read without rights, one unreachable, one without a recording, one clean. */
export const sampleInput = (changes: SampleChanges = {}): ReportInput =>
  input('clinic-prod', [...SMALL, { name: 'gpu-fra-03', answers: (id) => `yes: ${id}` }], ['ams-backup-01'], changes)

/** What a test declares besides: parts of the scope, what people said, and what the catalog has more. */
export interface SampleChanges {
  readonly scope?: Partial<Scope>
  readonly register?: Register
  readonly catalog?: Partial<Catalog>
}

/** The nodes of bigInput(), from zero. */
export const bigName = (n: number): string => `gpu-${String(n + 1).padStart(3, '0')}.hpc-west.example.net`

/** A fleet of the given size, each fourth node with a contradiction and each tenth unreachable. */
export const bigInput = (size: number, changes: SampleChanges = {}): ReportInput =>
  input(
    'hpc-west',
    Array.from({ length: size }, (_, n): SampleNode => {
      const name = bigName(n)
      if (n % 10 === 9)
        return { name, answers: () => null, failure: { code: 'ssh.timed-out', detail: 'no banner in 20 s' } }
      return {
        name,
        answers: (id, index) =>
          n % 4 === 1 && index % 5 === 3 ? `no: ${id} on ${name}` : index === n % 40 ? null : `yes: ${id} on ${name}`,
      }
    }),
    [],
    changes,
  )

function input(
  fleet: string,
  nodes: readonly SampleNode[],
  missing: readonly string[],
  { scope, register = EMPTY_REGISTER, catalog: more }: SampleChanges,
): ReportInput {
  const recordings = nodes.map(sampleRecording)
  const population = [...nodes.map(({ name }) => name), ...missing]
  const catalog = { ...sampleCatalog, ...more }
  return {
    assessment: assess({
      catalog,
      scope: { fleet, population, frameworks: ['hipaa', 'soc2'], ...scope },
      recordings,
      asOf: SAMPLE_AS_OF,
      register,
    }),
    catalog,
    recordings,
    producer: 'Barewitness 0.1.0',
    remediations: REMEDIATIONS,
    evidenceDigest: sha256('evidence'),
    packName: `${fleet}-20261120`,
    signer: { subject: 'CN=Barewitness local identity', fingerprint: sha256('certificate') },
    demo: false,
    register,
    generatedFor: 'Lindenhof Clinic, security office',
  }
}
