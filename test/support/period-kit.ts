import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { renderReport } from '../../main/adapters/pdf/index.ts'
import { createPorts, zones } from '../../main/adapters/ports.ts'
import { exportRun } from '../../main/app/export/export.ts'
import { exportPeriod } from '../../main/app/export/period.ts'
import { reviewFile } from '../../main/app/export/review.ts'
import { appendSigned } from '../../main/app/history/append-signed.ts'
import { keepRun } from '../../main/app/history/rebuild-history.ts'
import type { Ports } from '../../main/core/all-ports.ts'
import { jsonBytes } from '../../main/core/base/canonical-json.ts'
import { ok } from '../../main/core/base/failure.ts'
import { assembleBag, evidenceDigestOf, manifestLines, PATHS } from '../../main/core/pack/pack.ts'
import type { RunEvidence } from '../../main/core/period/conclusions.ts'
import { NODES_OF_RUNS, PERIOD_PATH, periodName, periodStatement, subjectDigests } from '../../main/core/period/pack.ts'
import { periodFold, type SampleRequest } from '../../main/core/period/period.ts'
import type { Clock, Signer } from '../../main/core/ports/ports.ts'
import { inMemory } from '../../main/core/recording/recording.ts'
import { EMPTY_REGISTER } from '../../main/core/register/register.ts'
import type { Catalog } from '../../main/core/rules/catalog.ts'
import { type LoggedEntry, parseEntryLine } from '../../main/core/run-chain/entry.ts'
import { chainFiles } from '../../main/core/run-chain/notes.ts'
import { buildPeriodReport } from '../../main/present/period-report.ts'
import { verifyPeriod } from '../../main/verify/period.ts'
import type { PeriodPageComparer } from '../../main/verify/steps/pages.ts'
import type { Engagement, Period } from '../../schemas/types.ts'
import type { VerificationReport } from '../../schemas/verification.ts'
import { PRODUCER } from '../../schemas/version.ts'
import { must } from './outcomes.ts'
import { samplePeriodInput } from './report/period-sample.ts'
import { NO_KEPT_RULES, sampleCatalog, sampleRecording, sampleSigner, sealing, sourceOf } from './sample-pack.ts'

export type Files = Map<string, Uint8Array>
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
export const textIn = (files: ReadonlyMap<string, Uint8Array>, path: string): string =>
  new TextDecoder().decode(files.get(path))

/** The days of the kit are fixed: its signer has been there before them, whenever a test runs. */
const BEFORE: Clock = { ticks: () => process.hrtime.bigint(), now: () => '2026-11-01T09:00:00.000Z' }

/** A few days of a small fleet: a run each night but one that was recorded as missed and one that no one speaks of. */
export interface PeriodKit {
  readonly folder: string
  readonly chainFolder: string
  readonly ports: Ports
  readonly signer: Signer
  readonly stranger: Signer
  readonly at: (now: string) => void
  readonly run: (
    day: number,
    swap?: string,
    nodes?: readonly string[],
    demo?: boolean,
    /** The day whose run the recordings are of; its own day unless stated otherwise. */
    collected?: number,
  ) => Promise<void>
  readonly plan: (withinMinutes?: number) => Promise<void>
  readonly gap: (day: number) => Promise<void>
  readonly account: (
    from: string,
    to: string,
    samples?: readonly SampleRequest[],
    engagement?: Engagement,
  ) => ReturnType<typeof exportPeriod>
}

export async function periodKit(): Promise<PeriodKit> {
  const folder = mkdtempSync(join(tmpdir(), 'bw-period-'))
  const chainFolder = join(folder, 'chains', 'sample')
  let now = '2026-11-22T12:00:00.000Z'
  const real = createPorts(sampleCatalog)
  const ports: Ports = { ...real, clock: { ...real.clock, now: () => now } }
  const signer = await sampleSigner(join(folder, 'ids'), 'owner', BEFORE)
  const stranger = await sampleSigner(join(folder, 'ids'), 'stranger', BEFORE)
  const enter = { fleet: 'sample', chainFolder, openSigner: async () => ok(signer), begin: true }
  const at = (next: string): void => {
    now = next
  }
  const dueOn = (day: number): string => `2026-11-${day}T02:00:00.000Z`
  return {
    folder,
    chainFolder,
    ports,
    signer,
    stranger,
    at,
    plan: async (withinMinutes = 60) => {
      const plan = {
        kind: 'plan',
        schedule: 'nightly',
        cadence: 'every day at 02:00 in UTC',
        withinMinutes,
      } as const
      must(
        await appendSigned(ports, enter, (moment, by) =>
          ok([{ ...plan, from: moment, at: moment, fleet: 'sample', why: 'policy', signer: by }]),
        ),
      )
    },
    gap: async (day) => {
      at(`2026-11-${day}T04:00:00.000Z`)
      must(
        await appendSigned(ports, enter, (moment, by) =>
          ok([
            { kind: 'gap', schedule: 'nightly', due: dueOn(day), at: moment, fleet: 'sample', why: 'down', signer: by },
          ]),
        ),
      )
    },
    run: async (day, swap = '', nodes = ['node-a', 'node-b'], demo = false, collected = day) => {
      at(`2026-11-${day}T02:10:00.000Z`)
      const run = `run-${day}`
      const recordings = nodes.map((node) => {
        const loaded = sampleRecording(node, node === 'node-b' ? swap : '', demo)
        const id = `run-${collected}-${node}`
        return inMemory({ ...loaded, recording: { ...loaded.recording, run: `run-${collected}`, id } })
      })
      const input = {
        run,
        scope: { fleet: 'sample', population: nodes, frameworks: ['soc2'] },
        recordings,
        asOf: now,
        signer,
        stamping: null,
        folder: join(folder, run),
        register: EMPTY_REGISTER,
        attachmentBytes: async () => ok(new Uint8Array()),
        inventory: null,
        also: [],
        chainFolder,
        planned: { schedule: 'nightly', due: dueOn(day) },
      }
      const made = must(await exportRun(ports, sampleCatalog, input as unknown as Parameters<typeof exportRun>[2]))
      const { trace, tagManifest } = made
      const pack = `${run}/${run}.barewitness.zip`
      must(await keepRun(ports, folder, { trace, sealed: { tagManifest, signer: made.signer, pack, at: now } }))
    },
    account: (from, to, samples = [], engagement) =>
      exportPeriod(ports, sampleCatalog, {
        root: folder,
        chainFolder,
        fleet: 'sample',
        from,
        to,
        samples,
        signer,
        stamping: null,
        folder: join(folder, 'out'),
        engagement: engagement ?? null,
      }),
  }
}

/** Every file of a pack. */
export async function filesIn(ports: Ports, path: string): Promise<Files> {
  const opened = must(await ports.packs.open(path))
  const files: Files = new Map()
  for (const one of opened.paths) files.set(one, await opened.read(one))
  await opened.close()
  return files
}

/** The answers about files that are no archive. Pages count as those that belong there, unless a test compares them. */
export async function asked(
  { ports, signer }: Pick<PeriodKit, 'ports' | 'signer'>,
  files: ReadonlyMap<string, Uint8Array>,
  pages: PeriodPageComparer = async () => ({ kind: 'same' }),
): Promise<VerificationReport> {
  const { report } = await verifyPeriod({
    pages,
    source: sourceOf(files),
    departures: [],
    seal: ports.sealing.reader,
    catalog: sampleCatalog,
    kept: NO_KEPT_RULES,
    validator: ports.validator,
    trust: { signers: [signer.certificate], authorities: [], lists: [] },
    checkpoint: null,
    verifiedAt: ports.clock.now(),
    file: 'period',
    zones,
    csv: ports.csv,
    producer: PRODUCER,
  })
  return report
}

export const entriesIn = (files: ReadonlyMap<string, Uint8Array>): readonly LoggedEntry[] =>
  textIn(files, 'data/log/entries.jsonl')
    .split('\n')
    .flatMap((line) => parseEntryLine(line) ?? [])

/** The chain of a pack with other entries, every hash and proof worked out anew. */
export function rechained(files: ReadonlyMap<string, Uint8Array>, entries: readonly LoggedEntry[]): Files {
  const { id, fleet } = JSON.parse(textIn(files, 'data/log/chain.json'))
  const kept = [...files].filter(([path]) => !path.startsWith('data/log/'))
  return new Map([...kept, ...chainFiles({ id, fleet, entries })])
}

/** The account and its lists, made anew from the chain and the traces that are there: as someone would who hides something well. */
export function rederived(
  { ports }: Pick<PeriodKit, 'ports'>,
  files: ReadonlyMap<string, Uint8Array>,
  changes: Partial<Pick<Period, 'from' | 'to' | 'asOf' | 'samples'>> = {},
): Files {
  const period = JSON.parse(textIn(files, PERIOD_PATH)) as Period
  const { id, fleet } = JSON.parse(textIn(files, 'data/log/chain.json'))
  const { from, to, asOf, producer, catalog, engagement, samples } = { ...period, ...changes }
  const chain = { id, fleet, entries: entriesIn(files) }
  const asking = samples.map(({ population, size, seed }) => ({ population, size, seed }))
  const made = { from, to, asOf, producer, catalog, engagement }
  const fold = periodFold({ ...made, rules: sampleCatalog, chain, zones, csv: ports.csv, samples: asking })
  for (const run of fold.runs) {
    const partOf = (path: string): unknown => JSON.parse(textIn(files, `data/runs/${run.entry.run}/${path}`))
    const isThere = files.has(`data/runs/${run.entry.run}/${PATHS.trace}`)
    const parts = (): unknown => ({
      trace: partOf(PATHS.trace),
      scope: partOf(PATHS.scope),
      register: partOf(PATHS.register),
    })
    fold.add(run, isThere ? (parts() as RunEvidence) : null)
  }
  const { period: next, tables } = must(fold.finish())
  return new Map([...files, ...tables, [PERIOD_PATH, jsonBytes(next)]])
}

/** A pack around a payload, with a report, a statement and a seal of its own: all that whoever holds a key can make. */
export async function sealedAround(
  files: ReadonlyMap<string, Uint8Array>,
  signer: Signer,
  { report = true }: { readonly report?: boolean } = {},
): Promise<Files> {
  const payload: Files = new Map([...files].filter(([path]) => path.startsWith('data/') && path !== PATHS.report))
  const period = { ...ANY, ...parsed(textIn(files, PERIOD_PATH)) } as Period
  if (report) payload.set(PATHS.report, await shortReport(payload, signer))
  const { asOf, demo, producer } = period
  const { tags, toSeal } = assembleBag({
    payload,
    signer,
    authority: null,
    packName: 'period.zip',
    producer,
    identifier: periodName(period),
    nodes: NODES_OF_RUNS,
    asOf,
    demo,
    statement: (manifest) => periodStatement(period, { manifest, digests: subjectDigests(payload) }),
  })
  return new Map([...payload, ...(tags as Files), [PATHS.seal, await sealing.signDetached(signer, toSeal)]])
}

const ANY = {
  fleet: 'x',
  from: '2026-11-23',
  to: '2026-11-24',
  asOf: '2026-11-28T09:00:00.000Z',
  demo: false,
  producer: PRODUCER,
  chain: { id: '', size: 0, root: '' },
}

function parsed(text: string): object {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** Stands in the report in place of the evidence digest, until that is known. */
const NO_DIGEST = 'e'.repeat(64)
let rendered: Promise<Uint8Array> | null = null

/** A report of another period, cut to its first page, made out to this evidence. */
async function shortReport(payload: Files, signer: Signer): Promise<Uint8Array> {
  rendered ??= (async () => {
    const whole = buildPeriodReport({ ...samplePeriodInput(), evidenceDigest: NO_DIGEST, signer })
    const document = { ...whole, sections: whole.sections.slice(0, 1) }
    return await renderReport(document, { attachments: [], created: '2026-11-28T09:00:00.000Z' })
  })()
  const blank = Buffer.from(await rendered).toString('latin1')
  if (!blank.includes(NO_DIGEST)) throw new Error('the report does not hold the digest as text')
  const pdf = Buffer.from(blank.replaceAll(NO_DIGEST, evidenceDigestOf(manifestLines(payload))), 'latin1')
  return await sealing.signPdf(new Uint8Array(pdf), signer)
}

/** What a reader finds who trusts the signer of the kit. */
export const reviewedWith = async (
  { ports, signer }: Pick<PeriodKit, 'ports' | 'signer'>,
  path: string,
  catalog: Catalog = sampleCatalog,
): Promise<VerificationReport> =>
  must(
    await reviewFile(ports, catalog, {
      path,
      trust: { signers: [signer.certificate], authorities: [], lists: [] },
      checkpoint: null,
      keep: false,
    }),
  ).report
