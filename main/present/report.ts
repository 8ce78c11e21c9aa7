import type { Scope } from '../../schemas/types.ts'
import { oneLine, plain } from '../core/base/plain-text.ts'
import { type Block, type Paper, plainCell, type ReportDocument, type Section } from '../core/base/report-document.ts'
import { tally } from '../core/conclusion/tally.ts'
import { acceptancesOf } from '../core/register/register.ts'
import type { Framework } from '../core/rules/framework.ts'
import type { ReportInput } from './input.ts'
import { type PresentationInput, presentationOf } from './presentation.ts'
import { acceptanceSection } from './report/acceptance-section.ts'
import { controlSection } from './report/controls/controls.ts'
import { gapSection, inconclusiveSection } from './report/controls/gaps.ts'
import { checkSection, testSection } from './report/controls/tests-of-controls.ts'
import { contentsSection, cover, signOffSection } from './report/cover.ts'
import { custodySection, statusOf, verificationSection, versionSection } from './report/custody.ts'
import { decisionSection, requestSection } from './report/decisions.ts'
import { findingSection } from './report/findings.ts'
import { claimSection } from './report/nodes/claims.ts'
import { isolationSection } from './report/nodes/isolation.ts'
import { locationSection } from './report/nodes/location.ts'
import { nodeSection } from './report/nodes/nodes.ts'
import { PAGE, pageOne } from './report/page-one.ts'
import type { Matter } from './report/parts/input.ts'
import { short } from './report/parts/short.ts'
import { chosenFrameworks, when } from './report/parts/wording.ts'
import { recordSection } from './report/records.ts'
import { boundarySection, dayOf, factBlock } from './report/scope/boundary.ts'
import { evidenceSection } from './report/scope/evidence.ts'
import { ceilingSection, glossarySection, howtoSection, limitSection } from './report/scope/limits.ts'
import { methodSection, profileSection } from './report/scope/method.ts'
import { populationSection } from './report/scope/population.ts'

/** Proposed rules, if selected: each in its own section, after a banner and a dated statement of its status. */
const overlaySections = (matter: Matter): readonly Section[] =>
  chosenFrameworks(matter).overlays.map((framework) => overlaySection(matter, framework))

function overlaySection(matter: Matter, framework: Framework): Section {
  const section = controlSection(matter, framework)
  const [banner, ...rest] = section.blocks
  const list = matter.catalog.references?.find(({ id }) => id === framework.id)
  const known = list === undefined ? 'as known at the catalog’s release' : `as known on ${dayOf(list.asOf)}`
  const status = factBlock([
    { label: 'Status', value: plainCell(`${statusOf(framework)}, ${known}`) },
    { label: 'Text', value: plainCell(plain(framework.version, 300)) },
    { label: 'Source', value: framework.source.map((source) => ({ text: oneLine(source, 500) })) },
    { label: 'Evaluated as of', value: plainCell(when(matter.assessment.asOf)) },
  ])
  return { ...section, blocks: banner === undefined ? [status] : [banner, status, ...rest] }
}

export { documentText, type ReportDocument } from '../core/base/report-document.ts'
export type { ReportInput } from './input.ts'

/**
 * The report as plain data, in the order in which it is read: conclusion, contents, findings, tests of controls, scope, documents, limitations, sign-off,
 * verification. Pure: every date comes from `asOf` and the recordings, so the same input gives the same document.
 */
export function buildReport(input: ReportInput): ReportDocument {
  const matter = matterOf(input)
  const { current } = chosenFrameworks(matter)
  const parts = [
    { ...findingSection(matter), flows: true },
    ...under('Tests of controls and results', ...current.map((framework) => testSection(matter, framework))),
    { ...boundarySection(matter), flows: true },
    { ...populationSection(matter), flows: true },
    requestSection(matter),
    limitSection(),
    { ...signOffSection(matter), flows: true },
    { ...verificationSection(matter), flows: true },
  ]
  return {
    ...described(matter, 'Evidence report'),
    density: 'reading',
    sections: [pageOne(matter), contentsSection(), ...parts.map(numbered)],
  }
}

/** Page 1 as a separate document. */
export function buildExecutive(input: ReportInput): ReportDocument {
  const matter = matterOf(input)
  return { ...described(matter, 'Executive summary'), density: 'reading', sections: [alone(pageOne(matter))] }
}

/** Removes links, because their targets are not on a single page; findings are named by their reference instead. */
const alone = (section: Section): Section => ({
  ...section,
  blocks: section.blocks.map(unlinked),
  ...(section.shorter && { shorter: section.shorter.map((blocks) => blocks.map(unlinked)) }),
})

const unlinked = (block: Block): Block => {
  if (block.kind !== 'table') return block
  const named = block.columns.some(({ title }) => title === PAGE) ? withReferences(block) : block
  return { ...named, rows: named.rows.map((row) => row.map((cell) => cell.map(({ link: _, ...line }) => line))) }
}

/** Adds the reference of a finding to its severity, and removes the last column with its page. */
function withReferences(block: Extract<Block, { kind: 'table' }>): typeof block {
  const [first, second, ...others] = block.columns.slice(0, -1)
  if (first === undefined || second === undefined) return block
  return {
    ...block,
    columns: [{ ...first, title: 'Severity, finding', width: 19 }, { ...second, width: 58 }, ...others],
    rows: block.rows.map((row) => {
      const reference = row.at(-1)?.[0]?.link
      const [severity, ...cells] = row.slice(0, -1)
      return [(severity ?? []).map((line) => ({ ...line, text: `${line.text} ${reference ?? ''}`.trim() })), ...cells]
    }),
  }
}

/**
 * The annexes of the report: everything that a finding or a result rests on, for detailed review. Each is in the pack as data as well.
 */
export function buildAnnexes(input: ReportInput): ReportDocument {
  const matter = matterOf(input)
  const { current } = chosenFrameworks(matter)
  const parts = [
    gapSection(matter),
    methodSection(matter),
    ...under('Versions and thresholds', versionSection(matter), profileSection(matter)),
    ...under(
      'Results by control',
      ...current.map((framework) => controlSection(matter, framework)),
      checkSection(matter),
    ),
    ...under(
      'Nodes',
      nodeSection(matter),
      isolationSection(matter),
      locationSection(matter),
      inconclusiveSection(matter),
    ),
    claimSection(matter),
    acceptanceSection(matter),
    decisionSection(matter),
    recordSection(matter),
    ceilingSection(matter),
    ...under('Proposed rules', ...overlaySections(matter)),
    ...under('Chain of custody and verification', custodySection(matter), howtoSection(matter)),
    ...under('Appendix', evidenceSection(matter), glossarySection()),
  ]
  return {
    ...described(matter, 'Annexes'),
    density: 'annex',
    sections: [cover(matter), ...parts].map((section, at) => ({ ...section, title: `A${at + 1}  ${section.title}` })),
  }
}

/** Members that every document of a pack has in common. */
function described(
  { assessment, evidenceDigest, producer, demo, signer }: Matter,
  kind: string,
): Omit<ReportDocument, 'sections'> {
  const entity = short(assessment.scope.engagement?.entity ?? assessment.scope.fleet, 60)
  const key = signer === null ? 'Not signed.' : `Signer certificate SHA-256 ${grouped(signer.fingerprint)}.`
  return {
    title: `${kind}: ${entity}`,
    language: 'en',
    subject: `Evidence digest ${evidenceDigest}`,
    producer,
    demo,
    paper: paperOf(assessment.scope),
    runningHead: `${entity}, ${kind.toLowerCase()}${assessment.scope.engagement?.status === 'draft' ? ', draft' : ''}`,
    runningFoot: `Not an audit opinion, attestation or legal advice. ${key} As of ${when(assessment.asOf)}.`,
  }
}

/** The first and last bytes of a fingerprint, which a reader compares on paper. */
const grouped = (fingerprint: string): string =>
  `${fingerprint.slice(0, 8).match(/.{4}/g)?.join(' ') ?? ''} … ${fingerprint.slice(-8).match(/.{4}/g)?.join(' ') ?? ''}`

/** The paper that was chosen; otherwise US Letter where the HIPAA Security Rule, a law of the United States, is examined; A4 (ISO 216) otherwise. */
export const paperOf = ({ frameworks, paper }: Scope): Paper =>
  paper ?? (frameworks.includes('hipaa') ? 'letter' : 'a4')

/** Input of every part of the report, and of the outputs next to it. */
export const matterOf = (input: ReportInput): Matter => ({ ...input, ...resultsOf(input) })

type Results = Pick<Matter, 'tally' | 'shown' | 'accepted'>

/** Counts and presentation, computed once for all documents with the same parts; no part is changed after it was created. */
function resultsOf(input: ReportInput): Results {
  const parts = partsOf(input)
  const known = RESULTS.get(input.assessment)
  if (known !== undefined && parts.every((part, at) => part === known.parts[at])) return known.results
  const tallied = tally(input.assessment, input.catalog.checks)
  const results: Results = {
    tally: tallied,
    shown: presentationOf({ ...input, tally: tallied }),
    accepted: acceptancesOf(input.register.riskAcceptances, input.assessment.asOf),
  }
  RESULTS.set(input.assessment, { parts, results })
  return results
}

/** The last results of an assessment, with the parts that they were computed from. */
const RESULTS = new WeakMap<
  ReportInput['assessment'],
  { readonly parts: readonly unknown[]; readonly results: Results }
>()

const partsOf = ({
  catalog,
  register,
  recordings,
  earlier,
  remediations,
}: Omit<PresentationInput, 'tally'>): readonly unknown[] => [catalog, register, recordings, earlier, remediations]

const under = (part: string, ...sections: readonly Section[]): readonly Section[] =>
  sections.map((section) => ({ ...section, part }))

const numbered = (section: Section, at: number): Section => ({
  ...section,
  runningTitle: section.runningTitle ?? section.title,
  title: `${at + 1}  ${section.title}`,
})
