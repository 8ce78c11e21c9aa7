import type {
  EvidenceChange,
  Flip,
  FlipCause,
  FlipDetail,
  RulesChange,
  RunDrift,
  ScopeChange,
} from '../../schemas/drift.ts'
import { verdictWords } from '../../schemas/words.ts'
import type { Compared, FoundRun, TakenApart } from '../app/drift.ts'
import { evidenceCompared, uncollectedWords } from '../core/drift/uncollected.ts'
import { plain } from '../core/plain-text.ts'

/** Whether anything differs, for the exit code. */
export const differsAtAll = ({ evidence, rules, scope, moves, twice, flips, uncollected }: RunDrift): boolean =>
  [evidence, rules, scope, moves, twice, flips, uncollected].some((list) => list.length > 0)

/** A comparison as lines for a person: three lists that never mix, then parts, then verdicts. */
export function driftLines({ drift, runs, baseline }: Compared): readonly string[] {
  const [before, after] = runs
  const list = (title: string, lines: readonly string[]): readonly string[] => [
    '',
    `${title}: ${lines.length === 0 ? 'nothing' : lines.length}`,
    ...lines.map((line) => `  ${line}`),
  ]
  return [
    `From ${runLine(before)}${baseline?.run === before.trace.run ? ', the baseline' : ''}`,
    `to   ${runLine(after)}`,
    `${drift.compared} nodes answered both times; of ${drift.unchanged} of them no answer differs, apart from what changes by itself.`,
    ...list('Nodes that were not compared, or not in all', drift.uncollected.map(uncollectedWords)),
    ...list('Evidence that changed', evidenceCompared(drift).map(evidenceLine)),
    ...list('Rules that changed', drift.rules.map(rulesLine)),
    ...list('Scope that changed', drift.scope.map(scopeLine)),
    ...(runs.some(({ from }) => from === 'evidence')
      ? ['  A run that was never exported says nothing of what was declared besides its nodes; that is not compared.']
      : []),
    ...list('Parts that moved, came or went', [
      ...drift.moves.map(
        ({ kind, part, value, from, to }) =>
          `${partName(kind, part, value)}: ${from === null ? `came to ${to}` : to === null ? `gone from ${from}` : `from ${from} to ${to}`}`,
      ),
      ...drift.twice.map(
        ({ kind, part, value, nodes, at }) =>
          `${partName(kind, part, value)}: on several nodes at once in ${at.run}: ${nodes.join(', ')}`,
      ),
    ]),
    ...list('Verdicts that came out otherwise', drift.flips.map(flipLine)),
  ]
}

const FROM: Readonly<Record<FoundRun['from'], string>> = {
  sealed: 'sealed',
  kept: 'kept, under no seal',
  evidence: 'from stored evidence, read by the rules of now; nothing of it is sealed',
}

const runLine = ({ trace, from }: FoundRun): string =>
  `${trace.run}, as of ${trace.asOf} (${FROM[from]}${trace.demo ? '; demonstration data' : ''})`

const partName = (kind: string, part: string, value: string): string =>
  kind === part ? `${kind} ${plain(value, 100)}` : `${kind} ${plain(part, 100)} ${plain(value, 100)}`

function evidenceLine({ node, what, is, before, after }: EvidenceChange): string {
  if (what.kind === 'reading')
    return `${node}: ${what.probe} ${is === 'lost' ? 'can no longer be read' : is === 'came' ? 'can be read now' : 'answers otherwise'}`
  const name = { status: 'collection', 'host-key': 'host key', address: 'address' }[what.kind]
  return `${node}: ${name} was ${plain(before ?? '', 255)}, is ${plain(after ?? '', 255)}`
}

function rulesLine({ what, before, after }: RulesChange): string {
  if (what === 'profile') return 'the profile that numbers are compared with is another one'
  const name = { engine: 'version of the program', catalog: 'catalog' }
  if (what === 'engine' || what === 'catalog') return `${name[what]}: was ${before}, is ${after}`
  const [kind, change] = what.split('-')
  return `${kind === 'check' ? 'check' : 'question'} ${change}: ${after ?? before}`
}

function scopeLine({ what, node, part }: ScopeChange): string {
  if (what === 'part') return `declared otherwise: ${plain(part ?? '', 80)}`
  if (what === 'declared') return `${node}: declared otherwise`
  return `${node}: ${what === 'node-added' ? 'added' : 'no longer declared'}`
}

const CAUSES: Readonly<Record<FlipCause, string>> = {
  evidence: 'its answers changed',
  rules: 'the rules changed',
  scope: 'what is declared changed',
  time: 'time passed',
  undecided: 'not decided from the traces alone; --details takes it apart',
}

const wordOf = (verdict: Flip['before']): string => (verdict === null ? 'no finding' : verdictWords[verdict].label)

const flipLine = ({ node, check, before, after, because, probes }: Flip): string =>
  `${node}: ${check} was ${wordOf(before)}, is ${wordOf(after)}; ${CAUSES[because]}${probes.length === 0 ? '' : ` (${probes.join(', ')})`}`

/** Flips taken apart, with the lines of the answers that changed. */
export const detailLines = ({ flips, undeclared }: TakenApart): readonly string[] => [
  ...(undeclared.length === 0
    ? []
    : [
        '',
        `What was declared for ${undeclared.map((run) => plain(run, 100)).join(' and ')} is not known any more: its pack is not where it was written. In what follows, provider, location and profile were taken as not declared, for both runs.`,
      ]),
  ...flips.flatMap(detailOf),
]

const detailOf = ({ node, check, because, steps, captures }: FlipDetail): readonly string[] => [
  '',
  `${node}: ${check}: ${because === 'undecided' ? 'more than one thing changed, or what was stated does not follow from what is at hand' : CAUSES[because]}`,
  `  stated then: ${wordOf(steps.stated)}; with the rules of now: ${wordOf(steps.rules)}; with what is declared now: ${wordOf(steps.scope)}; with the answers of now: ${wordOf(steps.evidence)}`,
  ...captures.flatMap(({ probe, command, stream, before, after, removed, added, more }) => [
    `  ${probe}/${command} ${stream}: ${before ?? 'no answer'} → ${after ?? 'no answer'}`,
    ...removed.map((line) => `    - ${line}`),
    ...added.map((line) => `    + ${line}`),
    ...(more > 0 ? [`    and ${more} more lines`] : []),
  ]),
]
