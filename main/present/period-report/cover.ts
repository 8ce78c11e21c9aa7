import type { Period } from '../../../schemas/types.ts'
import { of, plural } from '../../core/phrases.ts'
import { plain } from '../../core/plain-text.ts'
import {
  type Block,
  type Cell,
  heading,
  type Line,
  monoCell,
  plainCell,
  type Section,
  text,
} from '../../core/report-document.ts'
import { signerCell } from '../report/cover.ts'
import { dayOf, type FactRows, factBlock, typed } from '../report/declared.ts'
import { when } from '../report/wording.ts'
import { nodeCount, PERIOD_TITLES, type PeriodReportInput, seePart } from './input.ts'

const IS =
  'A report on the runs of one fleet over a period, derived from the run chain, in which every run, schedule and missed run has a signed entry, and from the run trace that each run sealed. Anyone who holds the pack can reproduce this report.'
const IS_NOT =
  'It is not an opinion, an attestation or legal advice. An independent practitioner concludes whether controls were suitably designed and operated effectively, with additional evidence. Not tested: operation between runs, and matters that cannot be tested on servers. Deviations that no run observed are not included.'

/** Page 1: period, fleet, signer, nature of the report and exclusions. */
export function periodCover(input: PeriodReportInput): Section {
  const { period, demo } = input
  return {
    id: 'cover',
    title: PERIOD_TITLES.cover,
    blocks: [
      {
        kind: 'title',
        over: 'Period report',
        text: plain(period.fleet, 80),
        under: `${dayOf(period.from)} to ${dayOf(period.to)}, UTC days, both included`,
      },
      ...(demo ? [DEMO] : []),
      ...loud(period),
      factBlock(facts(input)),
      heading(3, 'Nature of this report'),
      text(IS),
      heading(3, 'Exclusions'),
      text(IS_NOT),
      heading(3, 'Contents'),
      { kind: 'contents' },
    ],
  }
}

const DEMO: Block = {
  kind: 'banner',
  title: 'Demo data',
  text: 'Runs of this period were produced from the built-in demo fleet. They do not describe any real server and must not be used as evidence.',
}

/** Unexplained missed runs, stated before anything else. */
function loud({ calendar }: Period): readonly Block[] {
  const { unrecorded, planned } = calendar.counts
  return unrecorded === 0
    ? []
    : [
        {
          kind: 'banner',
          title: 'Unexplained missed runs',
          text: `${of(unrecorded, planned)} scheduled runs did not take place and have no missed-run entry in the run chain. For the days, see ${seePart('gaps')}.`,
        },
      ]
}

function facts(input: PeriodReportInput): FactRows {
  const { period, signer } = input
  const { engagement } = period
  const { counts } = period.calendar
  const keys = [...new Set(period.runs.map((run) => run.signer))]
  return [
    ...(engagement === null
      ? []
      : [
          { label: 'Entity', value: typed(engagement.entity, 300) },
          { label: 'Purpose', value: typed(engagement.purpose, 1000) },
          { label: 'Audience', value: typed(engagement.audience, 500) },
          { label: 'Declared', value: declaredCell(input) },
        ]),
    {
      label: 'Fleet',
      value: plainCell(`${plain(period.fleet, 200)}; ${plural(nodeCount(input), 'node')} declared in the period`),
    },
    {
      label: 'Scheduled runs',
      value: [
        { text: `${of(counts.completed, counts.planned)} took place, ${counts.late} of them late` },
        {
          text: `${of(counts.recorded, counts.planned)} missed, explained; ${of(counts.unrecorded, counts.planned)} missed, unexplained`,
        },
      ],
    },
    { label: 'Days', value: plainCell(`${of(counts.daysWith, counts.days)} days with at least one node collected`) },
    { label: 'Evaluated as of', value: plainCell(when(period.asOf)) },
    { label: 'Runs sealed by', value: keyCell(keys) },
    { label: 'Produced by', value: plainCell(plain(input.producer)) },
    {
      label: 'Run chain',
      value: [
        { text: `${plural(period.chain.size, 'entry', 'entries')}, root` },
        { text: period.chain.root, style: 'mono' },
      ],
    },
    { label: 'Evidence pack', value: plainCell(plain(input.packName)) },
    { label: 'Evidence digest', value: monoCell(input.evidenceDigest) },
    {
      label: 'Signer',
      value: signerCell(signer),
    },
  ]
}

const MOST_KEYS = 6

/** Keys that sealed the runs: more than one is permitted, but worth inquiry. */
function keyCell(keys: readonly string[]): Cell {
  if (keys.length === 0) return plainCell('No runs in the period.')
  const shown = keys.slice(0, MOST_KEYS).map((key): Line => ({ text: key, style: 'mono' }))
  const left = keys.length - shown.length
  return [
    { text: `${plural(keys.length, 'key')}, certificate SHA-256` },
    ...shown,
    ...(left > 0 ? [{ text: `and ${left} more, in the list of runs`, style: 'quiet' } as const] : []),
  ]
}

/** The period declared in the engagement, compared with that of this report. */
function declaredCell({ period }: PeriodReportInput): Cell {
  const { engagement } = period
  if (engagement === null) return plainCell('None.')
  const { reportingBasis, status } = engagement
  const asDeclared =
    reportingBasis.kind === 'date'
      ? `as of ${dayOf(reportingBasis.date)}`
      : `${dayOf(reportingBasis.from)} to ${dayOf(reportingBasis.to)}`
  const same =
    reportingBasis.kind === 'period' && reportingBasis.from === period.from && reportingBasis.to === period.to
  return [
    { text: `${asDeclared}, ${status === 'draft' ? 'draft' : 'final'}` },
    ...(same ? [] : [{ text: 'This report covers different days from those declared.', style: 'strong' } as const]),
  ]
}
