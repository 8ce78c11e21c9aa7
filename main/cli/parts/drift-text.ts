import type {
  EvidenceChange,
  Flip,
  FlipCause,
  FlipDetail,
  RulesChange,
  RunDrift,
  ScopeChange,
} from '../../../schemas/drift.ts'
import { verdictWords } from '../../../schemas/words.ts'
import type { Compared, FoundRun, TakenApart } from '../../app/history/drift.ts'
import { plain } from '../../core/base/plain-text.ts'
import { evidenceCompared, uncollectedWords } from '../../core/drift/explain.ts'

/** Whether anything differs, for the exit code. */
export const differsAtAll = ({ evidence, rules, scope, moves, twice, flips, uncollected }: RunDrift): boolean =>
  [evidence, rules, scope, moves, twice, flips, uncollected].some((list) => list.length > 0)

/** A comparison as printed lines: evidence, rules and scope separately, then hardware parts, then verdicts. */
export function driftLines({ drift, runs, baseline }: Compared): readonly string[] {
  const [before, after] = runs
  const list = (title: string, lines: readonly string[]): readonly string[] => [
    '',
    `${title}: ${lines.length === 0 ? 'none' : lines.length}`,
    ...lines.map((line) => `  ${line}`),
  ]
  return [
    `From ${runLine(before)}${baseline?.run === before.trace.run ? ', the baseline' : ''}`,
    `to   ${runLine(after)}`,
    `${drift.compared} nodes collected in both runs; ${drift.unchanged} of them without changes, except values that vary in every run.`,
    ...list('Nodes not compared, or compared in part', drift.uncollected.map(uncollectedWords)),
    ...list('Evidence changes', evidenceCompared(drift).map(evidenceLine)),
    ...list('Rule changes', drift.rules.map(rulesLine)),
    ...list('Scope changes', drift.scope.map(scopeLine)),
    ...(runs.some(({ from }) => from === 'evidence')
      ? ['  A run that was not exported contains no declarations other than its nodes; these are not compared.']
      : []),
    ...list('Hardware parts moved, added or removed', [
      ...drift.moves.map(
        ({ kind, part, value, from, to }) =>
          `${partName(kind, part, value)}: ${from === null ? `added to ${to}` : to === null ? `removed from ${from}` : `moved from ${from} to ${to}`}`,
      ),
      ...drift.twice.map(
        ({ kind, part, value, nodes, at }) =>
          `${partName(kind, part, value)}: on several nodes in the same run ${at.run}: ${nodes.join(', ')}`,
      ),
    ]),
    ...list('Verdict changes', drift.flips.map(flipLine)),
  ]
}

const FROM: Readonly<Record<FoundRun['from'], string>> = {
  sealed: 'sealed',
  kept: 'stored, not sealed',
  evidence: 'from stored evidence, evaluated with the current rules; not sealed',
}

const runLine = ({ trace, from }: FoundRun): string =>
  `${trace.run}, as of ${trace.asOf} (${FROM[from]}${trace.demo ? '; demo data' : ''})`

const partName = (kind: string, part: string, value: string): string =>
  kind === part ? `${kind} ${plain(value, 100)}` : `${kind} ${plain(part, 100)} ${plain(value, 100)}`

function evidenceLine({ node, what, is, before, after }: EvidenceChange): string {
  if (what.kind === 'reading')
    return `${node}: ${what.probe} ${is === 'lost' ? 'is no longer available' : is === 'came' ? 'is now available' : 'changed'}`
  const name = { status: 'collection', 'host-key': 'host key', address: 'address' }[what.kind]
  return `${node}: ${name} was ${plain(before ?? '', 255)}, is ${plain(after ?? '', 255)}`
}

function rulesLine({ what, before, after }: RulesChange): string {
  if (what === 'profile') return 'the threshold profile changed'
  const name = { engine: 'program version', catalog: 'catalog' }
  if (what === 'engine' || what === 'catalog') return `${name[what]}: was ${before}, is ${after}`
  const [kind, change] = what.split('-')
  return `${kind === 'check' ? 'check' : 'probe'} ${change}: ${after ?? before}`
}

function scopeLine({ what, node, part }: ScopeChange): string {
  if (what === 'part') return `declaration changed: ${plain(part ?? '', 80)}`
  if (what === 'declared') return `${node}: declaration changed`
  return `${node}: ${what === 'node-added' ? 'added' : 'no longer declared'}`
}

const CAUSES: Readonly<Record<FlipCause, string>> = {
  evidence: 'the evidence changed',
  rules: 'the rules changed',
  scope: 'the declarations changed',
  time: 'time passed',
  undecided: 'cause undetermined from the run traces; use --details',
}

const wordOf = (verdict: Flip['before']): string => (verdict === null ? 'no result' : verdictWords[verdict].label)

const flipLine = ({ node, check, before, after, because, probes }: Flip): string =>
  `${node}: ${check} was ${wordOf(before)}, is ${wordOf(after)}; ${CAUSES[because]}${probes.length === 0 ? '' : ` (${probes.join(', ')})`}`

/** The cause of each verdict change, with the lines of the captures that changed. */
export const detailLines = ({ flips, undeclared }: TakenApart): readonly string[] => [
  ...(undeclared.length === 0
    ? []
    : [
        '',
        `The declarations of ${undeclared.map((run) => plain(run, 100)).join(' and ')} are unavailable: the pack is not in its folder. The details below treat provider, location and profile as not declared in both runs.`,
      ]),
  ...flips.flatMap(detailOf),
]

const detailOf = ({ node, check, because, steps, captures }: FlipDetail): readonly string[] => [
  '',
  `${node}: ${check}: ${because === 'undecided' ? 'several causes, or the earlier verdict does not follow from the available evidence' : CAUSES[because]}`,
  `  earlier verdict: ${wordOf(steps.stated)}; with the current rules: ${wordOf(steps.rules)}; with the current declarations: ${wordOf(steps.scope)}; with the current evidence: ${wordOf(steps.evidence)}`,
  ...captures.flatMap(({ probe, command, stream, before, after, removed, added, more }) => [
    `  ${probe}/${command} ${stream}: ${before ?? 'no capture'} → ${after ?? 'no capture'}`,
    ...removed.map((line) => `    - ${line}`),
    ...added.map((line) => `    + ${line}`),
    ...(more > 0 ? [`    and ${more} more lines`] : []),
  ]),
]
