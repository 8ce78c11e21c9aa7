import type { NodeAssessment } from '../../../schemas/types.ts'
import { PRODUCER } from '../../../schemas/version.ts'
import type { OpenPack, Ports } from '../../core/all-ports.ts'
import { LARGEST_TEXT } from '../../core/base/budgets.ts'
import { packNameOf } from '../../core/base/layout.ts'
import { PATHS } from '../../core/pack/pack.ts'
import { nodeAssessmentPath, type PackContent, type PackFiles } from '../../core/pack/pack-files.ts'
import { outlineOf } from '../../core/recording/recording.ts'
import { type Catalog, catalogDigest, catalogFor, catalogReference } from '../../core/rules/catalog.ts'
import { firstDifference } from '../../present/html/evidence.ts'
import { htmlPieces } from '../../present/html/page.ts'
import { buildExecutive, buildReport } from '../../present/report.ts'
import type { PageComparer, PagesCompared, PeriodPageComparer, SealedPages } from '../../verify/steps/pages.ts'
import { bytesOf } from '../../verify/steps/read.ts'
import { falsifiedRules, statusOfRules } from '../../verify/steps/rules.ts'
import { collectGarbageBetween, tidyAfter } from '../common/memory-pressure.ts'
import { nodeParts } from '../evaluate/evaluate.ts'
import { recordingsOf } from './continued-export.ts'
import { periodPdf } from './period-runs.ts'
import { reportInputOf } from './report-input.ts'

/**
 * Renders the reports of an opened pack again, with the rules and the layout of this program. A pack from other rules or
 * another version is not compared: its pages differ for that reason, which shows nothing about its signer.
 */
export function pageComparer(
  ports: Pick<Ports, 'reports' | 'sealing' | 'tidyMemory' | 'validator'>,
  ours: Catalog,
  pack: OpenPack,
  share: <T>(value: T) => T,
): PageComparer {
  const nodes: NodeAssessment[] = []
  const gathered = nodeParts(share)
  const rendered = async ({ reading, statement, register, earlier, signer }: SealedPages): Promise<Rendered> => {
    const { assessment: index } = reading
    if (index === null) return notCompared('its results cannot be read')
    if (statement.predicate.producer !== PRODUCER)
      return notCompared(`it was written by another version than this one, ${PRODUCER}`)
    const catalog = catalogFor(ours, index.scope)
    if (index.catalog.digest !== catalogDigest(catalog)) return notCompared('it was evaluated with other rules')
    const recordings = await recordingsOf(ports, pack)
    if (!recordings.ok) return notCompared('its recordings cannot be read')
    const assessment = { ...index, schema: 'barewitness.assessment/1' as const, nodes }
    const payload = await resultsIn(pack, nodes)
    collectGarbageBetween(ports, nodes.length)
    const input = await reportInputOf({
      ...gathered.parts,
      assessment,
      catalog,
      recordings: recordings.value,
      register,
      earlier,
      payload,
      evidenceDigest: statement.predicate.report.evidenceDigest,
      packName: packNameOf(statement.predicate.run),
      signer,
    })
    if (!input.ok) return notCompared('its recordings cannot be read')
    const { about, embedded } = input.value
    const { asOf: created } = assessment
    const tidied =
      <T>(render: () => T) =>
      (): T => {
        collectGarbageBetween(ports, nodes.length)
        return render()
      }
    const report = () => ports.reports.render(buildReport(about), { attachments: [embedded], created })
    const executive = () => ports.reports.render(buildExecutive(about), { attachments: [], created })
    return {
      kind: 'rendered',
      pdfs: [
        [PATHS.report, tidied(report)],
        [PATHS.executive, tidied(executive)],
      ],
      html: tidied(() => htmlPieces(about)),
    }
  }
  return {
    add: ({ recording, stated }, scope) => {
      tidyAfter(ports, gathered.parts.outlines.length)
      if (stated !== null) nodes.push(share(stated))
      if (recording !== null && stated !== null) gathered.add(recording, outlineOf(recording, share), stated, scope)
    },
    compare: async (sealed) => {
      const made = await rendered(sealed).catch(notWritten)
      if (made.kind !== 'rendered') return made
      return await compared(ports, pack, made.pdfs, made.html)
    },
  }
}

/** Renders a period report again, as pageComparer() does for a run. */
export const periodPageComparer =
  (ports: Pick<Ports, 'reports' | 'sealing'>, ours: Catalog, pack: OpenPack): PeriodPageComparer =>
  async (sealed) => {
    const { producer, catalog: stated } = sealed.period
    const here = catalogReference(ours, {})
    const rulesStatus = statusOfRules(stated, here)
    if (rulesStatus === 'falsified') return { kind: 'differ', problems: [falsifiedRules(stated, here)] }
    if (producer !== PRODUCER) return notCompared(`it was written by another version than this one, ${PRODUCER}`)
    if (rulesStatus === 'unknown') return notCompared('it was written by a version with other rules')
    const render = (): Promise<Uint8Array> => periodPdf(ports, ours, sealed)
    return await compared(ports, pack, [[PATHS.report, render]]).catch(notWritten)
  }

/**
 * The results as stored in a pack. All other checks of the pack have passed, so these are the bytes that follow from
 * its evidence, and none needs to be generated or hashed again.
 */
async function resultsIn(pack: OpenPack, nodes: readonly NodeAssessment[]): Promise<PackFiles> {
  return new Map<string, PackContent>([
    [PATHS.assessment, await pack.read(PATHS.assessment)],
    ...nodes.map(({ node }) => nodeAssessmentPath(node)).map((path) => [path, pack.stored(path)] as const),
  ])
}

async function compared(
  { sealing }: Pick<Ports, 'sealing'>,
  pack: OpenPack,
  pdfs: readonly Written[],
  html: (() => Iterable<string>) | null = null,
): Promise<PagesCompared> {
  const problems: string[] = []
  for (const [path, render] of pdfs) {
    const stored = await bytesOf(pack, path)
    if (stored === null) problems.push(`${path} cannot be read.`)
    else problems.push(...(await sealing.comparePages(stored, await render())).map((one) => `${path}: ${one}`))
  }
  if (html !== null) problems.push(...(await htmlProblems(pack, html())))
  return problems.length === 0 ? { kind: 'same' } : { kind: 'differ', problems }
}

/** The HTML report is compared byte by byte, because it contains no signature. */
async function htmlProblems(pack: OpenPack, pieces: Iterable<string>): Promise<readonly string[]> {
  const stored = await bytesOf(pack, PATHS.html, LARGEST_TEXT)
  if (stored === null) return [`${PATHS.html} cannot be read.`]
  const difference = firstDifference(stored, pieces)
  return difference === null ? [] : [`${PATHS.html}: ${difference}`]
}

/** A PDF of a pack, and how it is rendered again. */
type Written = readonly [path: string, render: () => Promise<Uint8Array>]

type NotCompared = Extract<PagesCompared, { kind: 'not-compared' }>
type Rendered =
  | NotCompared
  | {
      readonly kind: 'rendered'
      readonly pdfs: readonly Written[]
      readonly html: () => Iterable<string>
    }

/** Content of a pack must never prevent the other verification checks. */
const notWritten = (thrown: unknown): NotCompared =>
  notCompared(`they could not be rendered again: ${thrown instanceof Error ? thrown.message : String(thrown)}`)

const notCompared = (why: string): NotCompared => ({ kind: 'not-compared', why })
