import type { CheckOutcome, VerificationCheckResult } from '../../../schemas/verification.ts'
import { rootOf } from '../base/digest.ts'
import { plural, quote } from '../base/plain-text.ts'
import { type ChainEntry, type PackedEntry, packOf } from './entry.ts'
import { type Checkpoint, headOf } from './head.ts'
import { entrySentence, notesOn, shortened, unsigned } from './notes.ts'
import type { ChainReading } from './read.ts'

/** Printed with every result except failed. */
const OWNER_KEPT = 'A run chain kept by its owner does not show runs that were never entered.'

const answer = (outcome: CheckOutcome, summary: string, details: readonly string[]): VerificationCheckResult => ({
  check: 'continuity',
  outcome,
  summary,
  details,
})

/**
 * Continuity check: whether the run chain of a pack extends the checkpoint that the reader kept.
 * `reading` is null for a pack without a run chain, `own` (see ownEntry()) when the pack’s statement or seal cannot be read, `checkpoint`
 * without a checkpoint.
 */
export function chainAnswer(
  reading: ChainReading | null,
  own: PackedEntry | null,
  checkpoint: Checkpoint | null,
): VerificationCheckResult {
  if (reading === null)
    return checkpoint === null
      ? answer('indeterminate', 'The pack contains no run chain.', [OWNER_KEPT])
      : answer('failed', 'The pack contains no run chain, but you supplied a checkpoint.', [seen(checkpoint)])
  const problems = [...reading.problems, ...ownProblems(reading, own)]
  if (problems.length > 0) return answer('failed', 'The run chain in the pack is inconsistent.', shortened(problems))
  if (checkpoint === null) return unseen(reading, own)
  if (checkpoint.chain !== reading.id)
    return answer('failed', 'Does not extend your checkpoint: it is a different run chain.', [
      `The pack contains run chain ${reading.id} of fleet ${quote(reading.fleet)}.`,
      seen(checkpoint),
    ])
  return against(reading, own, checkpoint)
}

const ownProblems = ({ fleet }: ChainReading, own: PackedEntry | null): readonly string[] =>
  own === null || own.fleet === fleet
    ? []
    : [`The pack is of fleet ${quote(own.fleet)}, but its run chain is of fleet ${quote(fleet)}.`]

function unseen(reading: ChainReading, own: PackedEntry | null): VerificationCheckResult {
  const [first] = reading.entries
  const stated = first === undefined ? 'no earlier entries' : `${tally(entriesOf(reading))} since ${first.entry.at}`
  const summary = `No checkpoint supplied. The run chain has ${stated}. To check continuity, supply a checkpoint from an earlier pack.`
  return { ...answer('indeterminate', summary, facts(reading, own, 0)), needs: 'checkpoint' }
}

/** The same run chain, compared with the reader’s checkpoint. */
function against(reading: ChainReading, own: PackedEntry | null, checkpoint: Checkpoint): VerificationCheckResult {
  const { size, root, lastRun, seenAt } = checkpoint
  const { entries, leaves } = reading
  if (size > entries.length + 1)
    return answer('failed', `Does not extend your checkpoint: ${entries.length + 1} instead of ${size} entries.`, [
      'Either entries were removed, or this pack is older than your checkpoint.',
      seen(checkpoint),
    ])
  if (size === entries.length + 1) {
    if (own === null)
      return answer(
        'indeterminate',
        'It cannot be compared with your checkpoint: its statement or its seal cannot be read.',
        [seen(checkpoint), OWNER_KEPT],
      )
    if (headOf(reading, own, seenAt).root === root)
      return answer('passed', 'This is the pack of your checkpoint, at the same entry of the run chain.', [
        seen(checkpoint),
        ...facts(reading, own, 0),
      ])
    return answer('failed', `Does not extend your checkpoint: two packs exist for entry ${size}.`, [
      `Your checkpoint has run ${quote(lastRun)} there; this pack is of ${own.kind === 'run' ? named(own) : quote(packOf(own))}. It or an earlier entry differs.`,
      seen(checkpoint),
    ])
  }
  if (rootOf(leaves.slice(0, size)) !== root) {
    const was = entries[size - 1]?.entry
    const replaced = was === undefined || ((was.kind === 'run' || was.kind === 'period') && packOf(was) === lastRun)
    return answer('failed', `Does not extend your checkpoint: the first ${size} entries were changed.`, [
      replaced
        ? 'A checkpoint does not show which entries differ. Compare data/log/leaves.txt with that of an older pack.'
        : `Entry ${size} is run ${quote(lastRun)} in your checkpoint, and ${named(was)} in this pack.`,
      seen(checkpoint),
    ])
  }
  const added = [...entriesOf(reading).slice(size), ...(own === null ? [] : [own])]
  return answer('passed', `Extends your checkpoint by ${tally(added)}; no entry removed or changed.`, [
    seen(checkpoint),
    ...facts(reading, own, size),
  ])
}

/** Entries other than runs after the first `from` entries, further notes, and the limitation of a run chain. */
function facts(reading: ChainReading, own: PackedEntry | null, from: number): readonly string[] {
  const statements = entriesOf(reading)
    .slice(from)
    .flatMap((entry) => entrySentence(entry) ?? [])
  return [
    ...shortened(statements),
    ...notesOn([...entriesOf(reading), ...(own === null ? [] : [own])]),
    ...unsigned(reading.entries),
    OWNER_KEPT,
  ]
}

const entriesOf = ({ entries }: ChainReading): readonly ChainEntry[] => entries.map(({ entry }) => entry)

const NAMES = {
  gap: 'a missed run',
  plan: 'a schedule',
  baseline: 'a baseline',
  retired: 'a deletion of evidence',
  period: 'a period report',
} as const
const named = (entry: ChainEntry): string => (entry.kind === 'run' ? `run ${quote(entry.run)}` : NAMES[entry.kind])

const seen = ({ chain, fleet, size, lastRun, seenAt }: Checkpoint): string =>
  `Your checkpoint: run chain ${chain} of fleet ${quote(fleet)}, ${seenAt}, ${plural(size, 'entry', 'entries')}, the last one run ${quote(lastRun)}.`

function tally(entries: readonly ChainEntry[]): string {
  const count = (wanted: ChainEntry['kind']): number => entries.filter(({ kind }) => kind === wanted).length
  const [runs, gaps] = [count('run'), count('gap')]
  const others = entries.length - runs - gaps
  const counted = `${plural(runs, 'run')} and ${plural(gaps, 'missed run')}`
  return others === 0 ? counted : `${counted}, with ${plural(others, 'other entry', 'other entries')},`
}
