import { createIdentity, openIdentity } from '../../main/adapters/identity/index.ts'
import { renderReport } from '../../main/adapters/pdf/index.ts'
import { createSealing } from '../../main/adapters/seal/index.ts'
import { REMEDIATIONS } from '../../main/catalog/definition/remediation.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { assess, latest } from '../../main/core/conclusion/assess.ts'
import type { KeptRules } from '../../main/core/conclusion/assessor.ts'
import { traceBytes, traceNode, traceOf } from '../../main/core/history/trace.ts'
import {
  assemblePack,
  assessmentBytes,
  evidenceDigestOf,
  manifestLines,
  PATHS,
  type PackFiles,
  payloadFiles,
  type StampAuthority,
} from '../../main/core/pack/pack.ts'
import { recordingFiles } from '../../main/core/pack/pack-files.ts'
import type { Clock, PackSource, Signer } from '../../main/core/ports/ports.ts'
import { defineProbe, known, run, unknown } from '../../main/core/recording/probe.ts'
import type { CapturedAnswer, LoadedRecording } from '../../main/core/recording/recording.ts'
import { EMPTY_REGISTER } from '../../main/core/register/register.ts'
import { type Catalog, catalogDigest } from '../../main/core/rules/catalog.ts'
import { defineCheck } from '../../main/core/rules/check.ts'
import type { Checkpoint } from '../../main/core/run-chain/head.ts'
import { buildReport, type ReportDocument } from '../../main/present/report.ts'
import { type VerifiedPack, verifyPack } from '../../main/verify/pack.ts'
import type { PageComparer } from '../../main/verify/steps/pages.ts'
import type { RulesSources } from '../../main/verify/steps/rules.ts'
import { NO_TRUST, type Trust } from '../../main/verify/steps/trust.ts'
import type { Assessment, ChosenProfile, Recording, Register } from '../../schemas/types.ts'
import { BARE_CATALOG, UNDECIDED } from './bare-catalog.ts'
import { realClock, realEntropy, validator } from './deps.ts'
import { must } from './outcomes.ts'

/** A small pack, made the way the product makes one, over a catalog of one probe and one check. */
export const sealing = createSealing(realClock, realEntropy)

const swaps = defineProbe({
  id: 'swap.areas',
  title: 'Swap areas',
  why: 'Shows whether memory can be written to a disk.',
  commands: { list: run(['cat', '/proc/swaps']) },
  parse: ({ list }) =>
    list.exitCode === 0 ? known(list.text.trim().split('\n').length - 1) : unknown('the list was not read'),
})

export const sampleCatalog: Catalog = {
  ...BARE_CATALOG,
  version: 'sample-1',
  probes: [swaps],
  checks: [
    defineCheck({
      id: 'encryption.at-rest.swap',
      property: 'encryption-at-rest',
      expected: 'No swap area is in use.',
      limitations: 'Says nothing about times before or after.',
      requires: { areas: swaps },
      evaluate: ({ areas }) => ({
        verdict: areas === 0 ? 'satisfied' : 'not-satisfied',
        observations: [
          {
            direction: areas === 0 ? 'supports' : 'contradicts',
            text: `${areas} swap areas were listed.`,
            probe: swaps.id,
          },
        ],
      }),
    }),
  ],
  frameworks: [
    {
      id: 'soc2',
      title: 'Sample',
      version: '1',
      status: 'sample',
      proposed: false,
      source: [],
      notes: [],
      controls: [
        {
          key: 'C1',
          id: 'C1',
          title: 'Sample',
          summary: 'Sample',
          kind: 'criterion',
          level: 'criterion',
          group: 'C',
          parent: null,
          evidenceType: 'mixed',
          nodeEvidence: 'primary',
          mappings: [{ check: 'encryption.at-rest.swap', shows: 'Sample' }],
          notCovered: 'Everything else.',
          documentsRequired: [],
          responsibility: [],
          refs: {},
        },
      ],
    },
  ],
  assessIsolation: () => ({
    ...UNDECIDED,
    environment: 'undetermined',
    platform: null,
    tenancy: 'undetermined',
    attachments: [],
    grade: 'D',
    observations: [{ direction: 'unclear', text: 'Nothing was asked.', probe: null }],
  }),
}

export const AS_OF = '2026-11-20T10:00:00.000Z'
const TAKEN = '2026-11-20T09:00:00.000Z'

export function sampleRecording(node: string, swapLines: string, demo = false): LoadedRecording {
  const stdout = new TextEncoder().encode(`Filename Type Size Used Priority\n${swapLines}`)
  const stderr = new Uint8Array()
  const answer: CapturedAnswer = {
    meta: {
      probe: swaps.id,
      command: 'list',
      argv: ['cat', '/proc/swaps'],
      source: 'node',
      privilege: 'user',
      status: 'done',
      exitCode: 0,
      startedAt: TAKEN,
      durationMs: 3,
      stdout: { sha256: sha256(stdout), size: stdout.length },
      stderr: { sha256: sha256(stderr), size: 0 },
    },
    stdout,
    stderr,
  }
  const recording: Recording = {
    schema: 'barewitness.recording/1',
    id: `r-${node}`,
    run: 'run-1',
    node: { name: node, address: '192.0.2.1', port: 22, user: 'bwaudit', sudo: false },
    hostKey: {
      type: 'ssh-ed25519',
      fingerprint: `SHA256:${node.slice(-1).repeat(43)}`,
      trust: { how: 'fingerprint', detail: 'sample' },
    },
    session: { transport: 'replay', authMethod: 'publickey', privilege: 'none' },
    collector: { version: '0.1.0', catalogVersion: 'sample-1', catalogDigest: catalogDigest(sampleCatalog) },
    startedAt: TAKEN,
    endedAt: TAKEN,
    clock: null,
    outcome: { status: 'complete', failure: null },
    demo,
    synthetic: 'made for a test',
  }
  return { recording, captures: [answer] }
}

export interface SampleOptions {
  readonly signer: Signer
  readonly recordings?: readonly LoadedRecording[]
  readonly population?: readonly string[]
  readonly profile?: ChosenProfile
  /** The sample catalog where none is given. */
  readonly catalog?: Catalog
  /** Changes the assessment before it is packed, as a forger would. */
  readonly forge?: (assessment: Assessment) => Assessment
  readonly packName?: string
  /** More payload. */
  readonly extra?: ReadonlyMap<string, Uint8Array>
  readonly authority?: StampAuthority
  readonly register?: Register
  /** What the register attaches, by path. */
  readonly attachments?: ReadonlyMap<string, Uint8Array>
  /** What the report embeds in place of every result. */
  readonly embeds?: (payload: PackFiles) => ReportParts['embedded']
}

/** Every file of a sealed pack, its report a real one. */
export async function samplePack(options: SampleOptions): Promise<Map<string, Uint8Array>> {
  const { signer, register = EMPTY_REGISTER, catalog = sampleCatalog, profile } = options
  const population = options.population ?? ['node-a', 'node-b']
  const recordings = options.recordings ?? [
    sampleRecording('node-a', ''),
    sampleRecording('node-b', '/dev/vda2 partition 1 0 -2\n'),
  ]
  const honest = assess({
    catalog,
    scope: { fleet: 'sample', population, frameworks: ['soc2'], ...(profile && { profile }) },
    recordings,
    asOf: AS_OF,
    register,
  })
  const assessment = options.forge?.(honest) ?? honest
  const rested = assessment.nodes.flatMap(({ node }) => latest(recordings, node) ?? [])
  const payload = new Map([
    ...payloadFiles({ assessment, catalog, register, attachments: options.attachments ?? new Map() }),
    ...rested.flatMap((loaded) => recordingFiles(loaded)),
    ...(options.extra ?? []),
  ])
  const traced = assessment.nodes.map((node) => traceNode(catalog, latest(recordings, node.node), node))
  payload.set(PATHS.trace, traceBytes(traceOf(catalog, { run: 'run-1', planned: null, assessment, nodes: traced })))
  const embedded = options.embeds?.(payload)
  payload.set(
    PATHS.report,
    await sampleReport({
      assessment,
      recordings: rested,
      payload,
      signer,
      register,
      catalog,
      ...(embedded && { embedded }),
    }),
  )
  payload.set(PATHS.executive, await sampleExecutive(payload, signer))
  payload.set(PATHS.html, new TextEncoder().encode('<!DOCTYPE html><title>Sample</title>\n'))
  const pack = assemblePack({
    payload,
    recordings: rested,
    assessment,
    run: 'run-1',
    producer: PRODUCER,
    signer,
    authority: options.authority ?? null,
    packName: options.packName ?? 'sample.barewitness.zip',
  })
  const seal = await sealing.signDetached(signer, pack.toSeal)
  return inHand(new Map([...payload, ...pack.tags, [PATHS.seal, seal]]))
}

const PRODUCER = 'Barewitness 0.1.0'

interface ReportParts {
  readonly assessment: Assessment
  readonly recordings: readonly LoadedRecording[]
  readonly payload: PackFiles
  readonly signer: Signer
  readonly register?: Register
  readonly catalog?: Catalog
  /** What it embeds; every result unless stated otherwise. */
  readonly embedded?: readonly { readonly name: string; readonly bytes: Uint8Array }[]
}

/** The signed report over a payload. */
async function sampleReport({
  assessment,
  recordings,
  payload,
  signer,
  register = EMPTY_REGISTER,
  catalog = sampleCatalog,
  embedded = [{ name: 'assessment.json', bytes: assessmentBytes(assessment) }],
}: ReportParts): Promise<Uint8Array> {
  const document = buildReport({
    assessment,
    catalog,
    recordings,
    producer: PRODUCER,
    remediations: REMEDIATIONS,
    evidenceDigest: evidenceDigestOf(manifestLines(payload)),
    packName: 'sample',
    signer,
    demo: assessment.demo,
    register,
  })
  const attachments = embedded.map((file) => ({ ...file, description: 'Results' }))
  return await sealing.signPdf(await renderReport(document, { attachments, created: AS_OF }), signer)
}

/** A PDF of our form in the place of the executive page. */
async function sampleExecutive(payload: PackFiles, signer: Signer): Promise<Uint8Array> {
  const document: ReportDocument = {
    title: 'Sample',
    language: 'en',
    subject: `Evidence digest ${evidenceDigestOf(manifestLines(payload))}`,
    producer: PRODUCER,
    demo: false,
    runningHead: 'Sample',
    runningFoot: 'Sample',
    sections: [{ id: 'page', title: 'Sample', blocks: [] }],
  }
  return await sealing.signPdf(await renderReport(document, { attachments: [], created: AS_OF }), signer)
}

/** The files of a pack that is in memory as a whole. */
export const inHand = (files: PackFiles): Map<string, Uint8Array> =>
  new Map(
    [...files].map(([path, content]) => {
      if (!(content instanceof Uint8Array)) throw new Error(`${path} lies elsewhere`)
      return [path, content]
    }),
  )

/** A real local identity in a folder, opened. */
export async function sampleSigner(folder: string, name: string, clock: Clock = realClock): Promise<Signer> {
  const made = await createIdentity({
    folder,
    name,
    subject: `Sample ${name}`,
    passphrase: 'a long passphrase',
    clock,
    entropy: realEntropy,
  })
  return must(made.ok ? await openIdentity(folder, name, 'a long passphrase') : made)
}

/** A pack in memory. */
export const sourceOf = (files: ReadonlyMap<string, Uint8Array>): PackSource => ({
  paths: [...files.keys()].sort(),
  sha256: async (path) => sha256(files.get(path) ?? new Uint8Array()),
  size: (path) => files.get(path)?.length ?? null,
  read: async (path) => {
    const bytes = files.get(path)
    if (bytes === undefined) throw new Error(path)
    return bytes
  },
})

/** For tests of everything else: writing pages again takes longer than all of it. */
export const SAME_PAGES: PageComparer = { add: () => {}, compare: async () => ({ kind: 'same' }) }

/** No rules but those of the catalog at hand. */
export const NO_KEPT_RULES: KeptRules = { of: async () => null, refused: () => [] }
export const SAMPLE_RULES: RulesSources = { catalog: sampleCatalog, kept: NO_KEPT_RULES }

export interface VerifyChanges {
  readonly pages?: PageComparer
  readonly catalog?: Catalog
  readonly kept?: KeptRules
  readonly verifiedAt?: string
  readonly authorities?: readonly Uint8Array[]
  readonly lists?: readonly Uint8Array[]
  readonly lastHead?: Checkpoint
  readonly departures?: readonly string[]
  readonly index?: Promise<readonly string[]>
}

export const verifySource = (
  source: PackSource,
  signers: Trust['signers'] = NO_TRUST.signers,
  changes: VerifyChanges = {},
): Promise<VerifiedPack> =>
  verifyPack({
    source,
    departures: changes.departures ?? [],
    index: changes.index ?? null,
    seal: sealing.reader,
    pages: changes.pages ?? SAME_PAGES,
    catalog: changes.catalog ?? sampleCatalog,
    kept: changes.kept ?? NO_KEPT_RULES,
    validator,
    trust: { signers, authorities: changes.authorities ?? [], lists: changes.lists ?? [] },
    checkpoint: changes.lastHead ?? null,
    verifiedAt: changes.verifiedAt ?? realClock.now(),
    file: 'sample.barewitness.zip',
    keep: true,
  })

export const outcomes = ({ report }: VerifiedPack): Readonly<Record<string, string>> =>
  Object.fromEntries(report.checks.map(({ check, outcome }) => [check, outcome]))
