import type { Figure } from '../../schemas/figure.ts'
import type { NodeAssessment } from '../../schemas/types.ts'
import { figuresOf } from '../catalog/figures/figures.ts'
import { sudoReconciliation } from '../catalog/sudo/rights.ts'
import type { OpenPack, Ports } from '../core/all-ports.ts'
import { type Catalog, catalogDigest, catalogFor, catalogReference } from '../core/catalog.ts'
import { packNameOf } from '../core/layout.ts'
import { PATHS, payloadFiles } from '../core/pack.ts'
import type { Parsed } from '../core/probe.ts'
import { outlineOf, type RecordingOutline } from '../core/recording.ts'
import type { SudoReconciliation } from '../core/sudo-log.ts'
import { MANY_NODES } from '../present/report/figures.ts'
import { buildExecutive, buildReport } from '../present/report.ts'
import type { PageComparer, PagesCompared, PeriodPageComparer, SealedPages } from '../verify/steps/pages.ts'
import { bytesOf } from '../verify/steps/read.ts'
import { falsifiedRules, statusOfRules } from '../verify/steps/rules.ts'
import { recordingsOf } from './continued-export.ts'
import { periodPdf } from './period-files.ts'
import { PRODUCER } from './producer.ts'
import { reportInputOf } from './report-input.ts'

/**
 * Renders the PDFs of an opened pack again, with the rules and the layout of this program. A pack from other rules or
 * another version is not compared: its pages differ for that reason, which shows nothing about its signer.
 */
export function pageComparer(
  world: Pick<Ports, 'reports' | 'sealing' | 'validator'>,
  ours: Catalog,
  pack: OpenPack,
): PageComparer {
  const nodes: NodeAssessment[] = []
  const outlines: RecordingOutline[] = []
  const figures = new Map<string, readonly Figure[]>()
  const sudo = new Map<string, Parsed<SudoReconciliation>>()
  const rendered = async ({ reading, statement, register, earlier, signer }: SealedPages): Promise<Rendered> => {
    const { assessment: index } = reading
    if (index === null) return notCompared('its results cannot be read')
    if (statement.predicate.producer !== PRODUCER)
      return notCompared(`it was written by another version than this one, ${PRODUCER}`)
    const catalog = catalogFor(ours, index.scope)
    if (index.catalog.digest !== catalogDigest(catalog)) return notCompared('it was evaluated with other rules')
    const recordings = await recordingsOf(world, pack)
    if (!recordings.ok) return notCompared('its recordings cannot be read')
    const assessment = { ...index, schema: 'barewitness.assessment/1' as const, nodes }
    const input = await reportInputOf({
      assessment,
      catalog,
      outlines,
      figures,
      sudo,
      recordings: recordings.value,
      register,
      earlier,
      payload: payloadFiles({ assessment, catalog, register }),
      evidenceDigest: statement.predicate.report.evidenceDigest,
      packName: packNameOf(statement.predicate.run),
      signer,
    })
    if (!input.ok) return notCompared('its recordings cannot be read')
    const { about, embedded } = input.value
    const { asOf: created } = assessment
    return {
      kind: 'rendered',
      pdfs: [
        [PATHS.report, () => world.reports.render(buildReport(about), { attachments: [embedded], created })],
        [PATHS.executive, () => world.reports.render(buildExecutive(about), { attachments: [], created })],
      ],
    }
  }
  return {
    add: ({ recording, stated }, scope) => {
      if (stated !== null) nodes.push(stated)
      if (recording === null || stated === null) return
      outlines.push(outlineOf(recording))
      sudo.set(stated.node, sudoReconciliation(recording))
      // For a larger fleet, only the selected nodes are drawn.
      if (nodes.length <= MANY_NODES) figures.set(stated.node, figuresOf(recording, stated, scope))
    },
    compare: async (sealed) => {
      const made = await rendered(sealed).catch(notWritten)
      if (made.kind !== 'rendered') return made
      return await compared(world, pack, made.pdfs)
    },
  }
}

/** Renders a period report again, as pageComparer() does for a run. */
export const periodPageComparer =
  (world: Pick<Ports, 'reports' | 'sealing'>, ours: Catalog, pack: OpenPack): PeriodPageComparer =>
  async (sealed) => {
    const { producer, catalog: stated } = sealed.period
    const here = catalogReference(ours, {})
    const standing = statusOfRules(stated, here)
    if (standing === 'falsified') return { kind: 'differ', problems: [falsifiedRules(stated, here)] }
    if (producer !== PRODUCER) return notCompared(`it was written by another version than this one, ${PRODUCER}`)
    if (standing === 'unknown') return notCompared('it was written by a version with other rules')
    const render = (): Promise<Uint8Array> => periodPdf(world, ours, sealed)
    return await compared(world, pack, [[PATHS.report, render]]).catch(notWritten)
  }

async function compared(
  { sealing }: Pick<Ports, 'sealing'>,
  pack: OpenPack,
  pdfs: readonly Written[],
): Promise<PagesCompared> {
  const problems: string[] = []
  for (const [path, render] of pdfs) {
    const stored = await bytesOf(pack, path)
    if (stored === null) problems.push(`${path} cannot be read.`)
    else problems.push(...(await sealing.comparePages(stored, await render())).map((one) => `${path}: ${one}`))
  }
  return problems.length === 0 ? { kind: 'same' } : { kind: 'differ', problems }
}

/** A PDF of a pack, and how it is rendered again. */
type Written = readonly [path: string, render: () => Promise<Uint8Array>]

type NotCompared = Extract<PagesCompared, { kind: 'not-compared' }>
type Rendered =
  | NotCompared
  | {
      readonly kind: 'rendered'
      readonly pdfs: readonly Written[]
    }

/** Content of a pack must never prevent the other verification checks. */
const notWritten = (thrown: unknown): NotCompared =>
  notCompared(`they could not be rendered again: ${thrown instanceof Error ? thrown.message : String(thrown)}`)

const notCompared = (why: string): NotCompared => ({ kind: 'not-compared', why })
