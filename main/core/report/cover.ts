import { plain } from '../plain-text.ts'
import { compare } from '../recording.ts'
import { reached } from '../tally.ts'
import { dayOf, declaredBy, type FactRows, typed } from './declared.ts'
import { EMBEDDED_NAMES, type EmbeddedForm } from './embedded.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, heading, monoCell, plainCell, quiet, type Section, text } from './model.ts'
import { answeredLine, populationLine } from './population.ts'
import { profileCell } from './profile.ts'
import { see, titles } from './titles.ts'
import { asExamined, between, names, plural, when } from './wording.ts'

/** Page 1: what this is, which nodes, when, by whom, and how to check it. */
export function cover(matter: Matter): Section {
  const { assessment, demo } = matter
  const synthetic = assessment.nodes.filter((node) => node.synthetic !== null)
  const blocks: Block[] = [
    {
      kind: 'title',
      over: 'Evidence report',
      text: plain(assessment.scope.fleet, 80),
      under: 'Single tenancy, encryption, location and access control, as observed on dedicated servers',
    },
  ]
  if (demo) blocks.push(DEMO)
  if (synthetic.length > 0 && !demo)
    blocks.push({
      kind: 'banner',
      title: 'Contains recordings that were made up or edited',
      text: `These nodes rest on recordings that were made up, not taken from a machine: ${names(synthetic.map(({ node }) => node))}.`,
    })
  blocks.push(...standing(matter), { kind: 'facts', rows: facts(matter) })
  blocks.push(heading(3, 'What this report is'), text(IS), heading(3, 'What this report is not'), text(IS_NOT))
  blocks.push(heading(3, 'Contents'), { kind: 'contents' }, quiet(WHERE[matter.embeds ?? 'whole']))
  return { id: 'cover', title: titles.cover, blocks }
}

/** What nobody declared, or that what was declared is a draft: before anything else is read. */
function standing({ assessment }: Matter): readonly Block[] {
  const { engagement } = assessment.scope
  if (engagement === undefined) return [UNDECLARED]
  return engagement.status === 'draft' ? [DRAFT] : []
}

const UNDECLARED: Block = {
  kind: 'banner',
  title: 'No engagement was declared',
  text: 'So this report names no entity, purpose, audience, period, status or distribution limit, no boundary, no split of responsibility and no sign-off, and no list of the provider was compared. Which nodes are meant is known from the fleet file alone.',
}

const DRAFT: Block = {
  kind: 'banner',
  title: 'Draft',
  text: 'The engagement is marked as a draft. What people declare in it can still change.',
}

const DEMO: Block = {
  kind: 'banner',
  title: 'Demo data',
  text: 'This report was made from the built-in demo fleet. It says nothing about any real server and must not be used as evidence.',
}

const IS =
  'A reading of what the declared servers answered to a fixed list of read-only questions, at the times given. Each statement names the node, the time, the rights used and the recorded answers it rests on. Anyone who holds the evidence pack can evaluate the same answers again and compare.'
const IS_NOT =
  'It is not an audit opinion, an attestation or legal advice, and it does not decide whether a law or a framework is satisfied. Items that rest on policies, contracts or decisions of people are listed as such. A supported item means that evidence supports it, within the limits printed beside it.'
const WHERE: Readonly<Record<EmbeddedForm, string>> = {
  whole: `The evaluated results are embedded in this file as ${EMBEDDED_NAMES.whole}. The raw answers are in the evidence pack.`,
  index: `The results of so many nodes do not fit into this file. Embedded as ${EMBEDDED_NAMES.index} are the states of controls, and each node with the SHA-256 of its results. Those results, and the raw answers, are in the evidence pack.`,
}

/** For whom, about what and of when, as declared. */
function engagementRows({ assessment: { scope }, earlier }: Matter): FactRows {
  const { engagement } = scope
  if (engagement === undefined) return []
  const { framing, status, distribution } = engagement
  return [
    { label: 'Entity', value: typed(engagement.entity, 300) },
    { label: 'Purpose', value: typed(engagement.purpose, 1000) },
    { label: 'Audience', value: typed(engagement.audience, 500) },
    {
      label: framing.kind === 'date' ? 'Date' : 'Period',
      value:
        framing.kind === 'date'
          ? plainCell(dayOf(framing.date))
          : [
              { text: `${dayOf(framing.from)} to ${dayOf(framing.to)}, as planned` },
              { text: 'One collection shows one moment of it, not the period.', style: 'quiet' },
              ...(earlier === undefined
                ? []
                : [
                    {
                      text: `What ${plural(earlier.runs.length, 'earlier run')} of it found stands in ${see('exceptions')}.`,
                      style: 'quiet',
                    } as const,
                  ]),
            ],
    },
    { label: 'Status', value: plainCell(status === 'draft' ? 'Draft' : 'Final') },
    {
      label: 'Distribution',
      value: distribution === null ? plainCell('No limit was declared') : typed(distribution, 500),
    },
    { label: 'Declared', value: plainCell(declaredBy(engagement)) },
  ]
}

/** Strong where somebody has to account for a row, so that it is not read over. */
const populationCell = (line: string, { coverage }: Matter['assessment']): Cell => [
  (coverage?.uncovered ?? 0) > 0 ? { text: line, style: 'strong' } : { text: line },
]

function facts(matter: Matter): FactRows {
  const { assessment, recordings, signer } = matter
  const { nodes, scope, catalog } = assessment
  const starts = recordings.map(({ recording }) => recording.startedAt).sort(compare)
  const ends = recordings.map(({ recording }) => recording.endedAt).sort(compare)
  const silent = nodes.filter((node) => !reached(node))
  const reach: Cell = [
    { text: answeredLine(matter) },
    ...(silent.length > 0
      ? [
          {
            text: `Without evidence: ${names(
              silent.map(({ node }) => node),
              6,
            )}`,
          },
        ]
      : []),
  ]
  const period = starts[0] === undefined ? 'Nothing was observed' : between(starts[0], ends.at(-1) ?? '')
  const frameworks = matter.catalog.frameworks.filter(({ id }) => scope.frameworks.includes(id))
  const population = populationLine(matter)
  return [
    ...(matter.generatedFor === undefined ? [] : [{ label: 'Made for', value: plainCell(plain(matter.generatedFor)) }]),
    ...engagementRows(matter),
    ...(population === null ? [] : [{ label: 'Population', value: populationCell(population, assessment) }]),
    { label: 'Nodes', value: reach },
    { label: 'Observed', value: plainCell(period) },
    { label: 'Judged as of', value: plainCell(when(assessment.asOf)) },
    { label: 'Compared against', value: profileCell(matter) },
    { label: 'Frameworks', value: frameworks.map(({ title }) => ({ text: asExamined(plain(title)) })) },
    { label: 'Made by', value: plainCell(`${matter.producer}, rules engine ${plain(assessment.engine, 40)}`) },
    {
      label: 'Catalog',
      value: [{ text: `Version ${plain(catalog.version, 40)}, SHA-256` }, { text: catalog.digest, style: 'mono' }],
    },
    { label: 'Evidence pack', value: plainCell(plain(matter.packName)) },
    { label: 'Evidence digest', value: monoCell(matter.evidenceDigest) },
    {
      label: 'Signer',
      value: signerCell(signer),
    },
  ]
}

/** Whose seal it is, as a cover names it. */
export const signerCell = (signer: Matter['signer']): Cell =>
  signer === null
    ? plainCell('None. This copy carries no signature.')
    : [
        { text: `${plain(signer.subject)}, certificate SHA-256` },
        { text: signer.fingerprint, style: 'mono' },
        { text: 'Compare this fingerprint with one that the signer gave you by another way.', style: 'quiet' },
      ]
