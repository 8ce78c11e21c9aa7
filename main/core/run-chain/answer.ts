import type { AnswerOutcome, VerificationAnswer } from '../../../schemas/verification.ts'
import { rootOf } from '../merkle.ts'
import { quote } from '../plain-text.ts'
import { plural } from '../report/wording.ts'
import { type ChainEntry, type PackedEntry, packOf } from './entry.ts'
import { type ChainHead, headOf } from './head.ts'
import { entrySentence, notesOn, shortened, unsigned } from './notes.ts'
import type { ChainReading } from './read.ts'

/** Said with every answer that is not `no`. */
const OWNER_KEPT = 'A chain kept by its owner shows nothing about runs that were never entered.'

const answer = (outcome: AnswerOutcome, summary: string, details: readonly string[]): VerificationAnswer => ({
  question: 'chain-continuous',
  outcome,
  summary,
  details,
})

/**
 * Whether the history of runs that a pack states extends the one that the reader last saw.
 * `reading` is null for a pack without a history, `own` (see ownEntry()) when the pack's statement or seal cannot be read, `lastHead`
 * when the reader kept none.
 */
export function chainAnswer(
  reading: ChainReading | null,
  own: PackedEntry | null,
  lastHead: ChainHead | null,
): VerificationAnswer {
  if (reading === null)
    return lastHead === null
      ? answer('not-shown', 'The pack states no history of runs.', [OWNER_KEPT])
      : answer('no', 'The pack states no history of runs, and you last saw one.', [seen(lastHead)])
  const problems = [...reading.problems, ...ownProblems(reading, own)]
  if (problems.length > 0)
    return answer('no', 'The history of runs in the pack does not fit together.', shortened(problems))
  if (lastHead === null) return unseen(reading, own)
  if (lastHead.chain !== reading.id)
    return answer('no', 'This is another chain than the one you last saw.', [
      `The pack states the chain ${reading.id} of fleet ${quote(reading.fleet)}.`,
      seen(lastHead),
    ])
  return against(reading, own, lastHead)
}

const ownProblems = ({ fleet }: ChainReading, own: PackedEntry | null): readonly string[] =>
  own === null || own.fleet === fleet
    ? []
    : [`The pack is of fleet ${quote(own.fleet)}, and its chain of ${quote(fleet)}.`]

function unseen(reading: ChainReading, own: PackedEntry | null): VerificationAnswer {
  const [first] = reading.entries
  const stated =
    first === undefined ? 'nothing before it' : `${tally(entriesOf(reading))} before it, since ${first.entry.at}`
  const summary = `The pack states ${stated}. Whether that is the history you saw before is not shown: name the head you kept.`
  return answer('not-shown', summary, facts(reading, own, 0))
}

/** The same chain, and the head that the reader kept of it. */
function against(reading: ChainReading, own: PackedEntry | null, lastHead: ChainHead): VerificationAnswer {
  const { size, root, lastRun, seenAt } = lastHead
  const { entries, leaves } = reading
  if (size > entries.length + 1)
    return answer(
      'no',
      `The history is shorter than the one you last saw: ${entries.length + 1} instead of ${size} entries.`,
      ['Either entries were cut off, or this pack is older than the one you last saw.', seen(lastHead)],
    )
  if (size === entries.length + 1) {
    if (own === null)
      return answer(
        'not-shown',
        'Whether it is the pack you last saw is not shown: its statement or its seal cannot be read.',
        [seen(lastHead), OWNER_KEPT],
      )
    if (headOf(reading, own, seenAt).root === root)
      return answer('yes', 'This is the very pack you last saw, at the same place of the same history.', [
        seen(lastHead),
        ...facts(reading, own, 0),
      ])
    return answer('no', `There are two packs for one place in the chain, entry ${size}.`, [
      `You last saw run ${quote(lastRun)} there; this pack is of ${own.kind === 'run' ? named(own) : quote(packOf(own))}. It, or an entry before it, is another.`,
      seen(lastHead),
    ])
  }
  if (rootOf(leaves.slice(0, size)) !== root) {
    const was = entries[size - 1]?.entry
    const replaced = was === undefined || ((was.kind === 'run' || was.kind === 'period') && packOf(was) === lastRun)
    return answer('no', `The history was rewritten: its first ${size} entries are not those you last saw.`, [
      replaced
        ? 'Which of them differ cannot be told from the head alone. Compare data/log/leaves.txt with the one in an older pack.'
        : `Entry ${size} was run ${quote(lastRun)} when you last saw it, and is now ${named(was)}.`,
      seen(lastHead),
    ])
  }
  const added = [...entriesOf(reading).slice(size), ...(own === null ? [] : [own])]
  return answer('yes', `The history extends what you last saw by ${tally(added)}.`, [
    seen(lastHead),
    ...facts(reading, own, size),
  ])
}

/** What is not a run after the first `from` entries, what else is to be known, and what no chain shows. */
function facts(reading: ChainReading, own: PackedEntry | null, from: number): readonly string[] {
  const said = entriesOf(reading)
    .slice(from)
    .flatMap((entry) => entrySentence(entry) ?? [])
  return [
    ...shortened(said),
    ...notesOn([...entriesOf(reading), ...(own === null ? [] : [own])]),
    ...unsigned(reading.entries),
    OWNER_KEPT,
  ]
}

const entriesOf = ({ entries }: ChainReading): readonly ChainEntry[] => entries.map(({ entry }) => entry)

const NAMES = {
  gap: 'a recorded gap',
  plan: 'a plan',
  baseline: 'a baseline',
  retired: 'a note of evidence taken away',
  period: 'an account of a period',
} as const
const named = (entry: ChainEntry): string => (entry.kind === 'run' ? `run ${quote(entry.run)}` : NAMES[entry.kind])

const seen = ({ chain, fleet, size, lastRun, seenAt }: ChainHead): string =>
  `You last saw the chain ${chain} of fleet ${quote(fleet)} at ${seenAt}: ${plural(size, 'entry', 'entries')}, the last one run ${quote(lastRun)}.`

function tally(entries: readonly ChainEntry[]): string {
  const count = (wanted: ChainEntry['kind']): number => entries.filter(({ kind }) => kind === wanted).length
  const [runs, gaps] = [count('run'), count('gap')]
  const others = entries.length - runs - gaps
  const counted = `${plural(runs, 'run')} and ${plural(gaps, 'recorded gap')}`
  return others === 0 ? counted : `${counted}, with ${plural(others, 'other entry', 'other entries')},`
}
