import type { Period } from '../../../../schemas/types.ts'
import { plain } from '../../plain-text.ts'
import { signerCell } from '../../report/cover.ts'
import { dayOf, type FactRows, factBlock, typed } from '../../report/declared.ts'
import {
  type Block,
  type Cell,
  heading,
  type Line,
  monoCell,
  plainCell,
  type Section,
  text,
} from '../../report/model.ts'
import { of, plural, when } from '../../report/wording.ts'
import { nodeCount, PERIOD_TITLES, type PeriodReportInput, seePart } from './input.ts'

const IS =
  'An account of the runs of one fleet over a period, derived from two things that are in the pack: the chain of runs, in which every run, plan and recorded gap has a signed place, and the trace that each run left under its own seal. Whoever holds the pack derives the same account again, row by row.'
const IS_NOT =
  'It is not an opinion, an attestation or legal advice. Whether controls were suitably designed or operated effectively is for an independent practitioner to judge, with other evidence besides. It does not say that nothing went wrong: a deviation that no run saw is not in it, and neither is anything that no server can show.'

/** Page 1: which period, which fleet, whose seal, what this is and what it is not. */
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
        under: `${dayOf(period.from)} to ${dayOf(period.to)}, days of UTC, both included`,
      },
      ...(demo ? [DEMO] : []),
      ...loud(period),
      factBlock(facts(input)),
      heading(3, 'What this report is'),
      text(IS),
      heading(3, 'What this report is not'),
      text(IS_NOT),
      heading(3, 'Contents'),
      { kind: 'contents' },
    ],
  }
}

const DEMO: Block = {
  kind: 'banner',
  title: 'Demo data',
  text: 'Runs of this period were made from the built-in demo fleet. It says nothing about any real server and must not be used as evidence.',
}

/** What nobody may read over, before anything else. */
function loud({ calendar }: Period): readonly Block[] {
  const { unrecorded, planned } = calendar.counts
  return unrecorded === 0
    ? []
    : [
        {
          kind: 'banner',
          title: 'Planned runs are missing without a word',
          text: `${of(unrecorded, planned)} planned runs neither took place nor have an entry in the chain that says why. ${seePart('gaps')} names the days.`,
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
      label: 'Planned runs',
      value: [
        { text: `${of(counts.met, counts.planned)} took place, ${counts.late} of them late` },
        {
          text: `${of(counts.recorded, counts.planned)} missed with a record of it, ${of(counts.unrecorded, counts.planned)} without`,
        },
      ],
    },
    { label: 'Days', value: plainCell(`${of(counts.daysWith, counts.days)} days on which at least one node answered`) },
    { label: 'Judged as of', value: plainCell(when(period.asOf)) },
    { label: 'Runs sealed by', value: keyCell(keys) },
    { label: 'Made by', value: plainCell(plain(input.producer)) },
    {
      label: 'Chain of runs',
      value: [
        { text: `${plural(period.chain.size, 'entry', 'entries')}, root` },
        { text: period.chain.root, style: 'mono' },
      ],
    },
    { label: 'Period pack', value: plainCell(plain(input.packName)) },
    { label: 'Evidence digest', value: monoCell(input.evidenceDigest) },
    {
      label: 'Signer',
      value: signerCell(signer),
    },
  ]
}

const MOST_KEYS = 6

/** Whose seals the runs stand under: more than one is no fault, and something to ask about. */
function keyCell(keys: readonly string[]): Cell {
  if (keys.length === 0) return plainCell('No run is in the period.')
  const shown = keys.slice(0, MOST_KEYS).map((key): Line => ({ text: key, style: 'mono' }))
  const left = keys.length - shown.length
  return [
    { text: `${plural(keys.length, 'key')}, certificate SHA-256` },
    ...shown,
    ...(left > 0 ? [{ text: `and ${left} more, in the list of runs`, style: 'quiet' } as const] : []),
  ]
}

/** The period that people declared before, beside the one of this account. */
function declaredCell({ period }: PeriodReportInput): Cell {
  const { engagement } = period
  if (engagement === null) return plainCell('Nothing was declared.')
  const { framing, status } = engagement
  const asDeclared =
    framing.kind === 'date' ? `as of ${dayOf(framing.date)}` : `${dayOf(framing.from)} to ${dayOf(framing.to)}`
  const same = framing.kind === 'period' && framing.from === period.from && framing.to === period.to
  return [
    { text: `${asDeclared}, ${status === 'draft' ? 'draft' : 'final'}` },
    ...(same ? [] : [{ text: 'This account covers other days than those declared.', style: 'strong' } as const]),
  ]
}
