import { findingStatusWords, LIMITS_CONTROLS, severityWords } from '../../../schemas/conclusion-words.ts'
import type { Deviation, EarlierRuns } from '../../../schemas/types.ts'
import { names, of, oneLine, outOf, plain, plural } from '../../core/base/plain-text.ts'
import {
  type Block,
  type Cell,
  headedTable,
  heading,
  type Line,
  list,
  quiet,
  type Section,
  table,
  text,
} from '../../core/base/report-document.ts'
import { reached } from '../../core/conclusion/tally.ts'
import type { ConcernedControl, Finding, FoundDeviation } from '../../core/finding/finding.ts'
import type { CheckRemediation } from '../../core/finding/work-order.ts'
import { compare } from '../../core/recording/recording.ts'
import { byCheck, remedyOf, severityCounts, whyOf } from '../presentation.ts'
import { countText, countWords, isSevere, noFinding, ownerText, severityLine, severityMark } from './page-one.ts'
import type { Matter } from './parts/input.ts'
import { deviatingOf, limitedControls, refusedLines, refusedNodes, testedWords } from './parts/refused.ts'
import { day, itemName, moment, titles, when } from './parts/wording.ts'
import { sameMachineNote } from './scope/population.ts'

/** Nodes that one finding lists with their observations; the others are in the annexes. */
const MOST_NODES = 2
/** Controls that one finding names. */
const MOST_CONTROLS = 3

/** Every finding: critical and high ones in full, moderate and low ones in a table, informational results apart. */
export function findingSection(matter: Matter): Section {
  const { findings, informational, remediated, figures } = matter.shown
  const severe = findings.filter(isSevere)
  const rest = findings.filter((one) => !isSevere(one))
  const remedies = byCheck(matter.remediations)
  return {
    id: 'findings',
    title: titles.findings,
    blocks: [
      text(
        findings.length === 0
          ? noFinding(matter)
          : `${plural(findings.length, 'finding')}: ${severityCounts(figures.findings)}, with ${plural(figures.deviations, 'deviation')} in total. A finding is one check that is not satisfied, over the nodes that it concerns. Severity ranks the work; it changes no verdict and no conclusion. Causes are stated by management. The reference of a finding is the same in every run of this fleet; the annexes list its evidence. ${untestedText(matter)}`,
      ),
      ...(severe.length === 0 ? [] : [severeTable(matter, severe, remedies)]),
      ...(rest.length === 0
        ? []
        : [heading(3, `Moderate and low findings (${rest.length})`, true), restTable(rest, remedies)]),
      ...(informational.length === 0
        ? []
        : [
            heading(3, 'Informational results that are not satisfied', true),
            quiet('Counted in no sum of findings.'),
            list(
              informational.map((one) => ({
                text: `${one.condition} (${countWords(one)}). ${one.severity.why}`,
                anchor: one.reference,
              })),
            ),
          ]),
      ...(remediated.length === 0
        ? []
        : [
            heading(3, 'Remediated in this period', true),
            table(
              { Finding: 52, Nodes: 24, 'Confirmed by run': 24 },
              remediated.map(({ reference, title, nodes, run, at }) => [
                [{ text: title }, { text: reference, style: 'quiet' }],
                [{ text: names(nodes, 4) }],
                [{ text: plain(run, 60) }, { text: day(at), style: 'quiet' }],
              ]),
            ),
          ]),
    ],
  }
}

/** Critical and high findings in full: a heading row for each, then what was found next to the nodes that it concerns. */
const severeTable = (matter: Matter, findings: readonly Finding[], remedies: Remedies): Block =>
  table(
    { 'Condition, criterion, effect, recommendation': 70, 'Controls, response': 30 },
    findings.flatMap((finding): readonly (readonly Cell[])[] => [
      [
        [
          {
            text: `${finding.reference}  ${severityWords[finding.severity.level]}: ${finding.condition}`,
            style: 'strong',
            mark: severityMark(finding.severity.level),
            anchor: finding.reference,
          },
        ],
      ],
      [
        [...conditionLines(finding), ...argumentLines(finding, remedies.get(finding.check))],
        [...controlLines(matter, finding), ...responseLines(finding)],
      ],
    ]),
  )

/** Nodes without any result, which are a limitation of every finding. */
export function untestedText({ assessment }: Matter): string {
  const silent = assessment.nodes.filter((node) => !reached(node))
  return silent.length === 0
    ? `Every node of the population was tested${sameMachineNote(assessment)}.`
    : `Not tested, a limitation of every test: ${
        silent.length > 4
          ? names(
              silent.map(({ node }) => node),
              4,
            )
          : silent.map((node) => `${plain(node.node, 60)} (${whyOf(node).toLowerCase()})`).join(', ')
      }.`
}

type Remedies = ReadonlyMap<string, CheckRemediation>

/** Criterion, cause, effect with the reasons of the severity, and recommendation. */
function argumentLines(finding: Finding, remediation: CheckRemediation | undefined): readonly Line[] {
  const { cause } = finding
  return [
    { text: `Criterion: ${criterionText(finding)}` },
    ...(cause === null ? [] : [{ text: `Cause, as management states it: ${oneLine(cause, 600)}` }]),
    { text: `Effect: ${effectText(finding)}` },
    { text: `Recommendation: ${remedyText(finding, remediation)}` },
  ]
}

/** The expected condition, with the thresholds that it was compared against. */
export const criterionText = ({ criterion: { expected, thresholds } }: Finding): string =>
  [
    expected.replace(/(?<![.…])$/, '.'),
    ...thresholds.map(({ threshold, shown }) => `${threshold.title}: ${shown}.`),
  ].join(' ')

/** What the condition can lead to, and why its severity is another one than that of its check. */
export const effectText = (finding: Finding): string => [...finding.effect, ...severityReasons(finding)].join(' ')

/** Why the severity differs from that of the check, or remains it in spite of such reasons. */
export function severityReasons({ severity }: Pick<Finding, 'severity'>): readonly string[] {
  const base = severityWords[severity.base].toLowerCase()
  const raised = severity.raised.map(({ text: words, nodes }) => `${words}: ${names(nodes, 3)}`)
  if (severity.level !== severity.base)
    return [
      ...raised.map((words) => `Raised from ${base} because ${words}.`),
      ...severity.lowered.map(({ text: words }) => `Lowered from ${base} because ${words}.`),
    ]
  const reasons = [
    ...raised.map((words) => `A reason to raise it: ${words}.`),
    ...severity.lowered.map(({ text: words }) => `A reason to lower it: ${words}.`),
  ]
  if (reasons.length === 0) return []
  if (raised.length > 0 && severity.lowered.length > 0)
    return [`${reasons.join(' ')} Both apply, so it remains ${base}.`]
  return [`${reasons.join(' ')} It remains ${base}, the ${raised.length > 0 ? 'highest' : 'lowest'} severity.`]
}

/** What was found on the first nodes, and out of how many. Nodes without any result are stated once for all findings. */
function conditionLines(finding: Finding): readonly Line[] {
  const { deviations, inconclusive } = finding
  const more = deviations.length - MOST_NODES
  const counts = [
    countedText(finding),
    ...(inconclusive.length === 0 ? [] : [`inconclusive on ${names(inconclusive, 4)}`]),
  ]
  return [
    ...deviations.slice(0, MOST_NODES).map((one): Line => ({ text: `${one.subject}: ${proofOf(one)}` })),
    ...(more > 0
      ? [
          {
            text: `And ${names(
              deviations.slice(MOST_NODES).map(({ subject }) => subject),
              8,
            )}.`,
          } as const,
        ]
      : []),
    { text: `Deviations on ${counts.join('; ')}.`, style: 'quiet' },
  ]
}

/** Deviations out of what was tested, with its noun. A node that was refused before login is in both, and in no other test. */
function countedText(finding: Finding): string {
  const { deviations, tested, what } = finding
  if (what === 'inventory') return outOf(deviations.length, tested, 'row')
  const isOne = tested + refusedNodes(finding).length === 1
  return `${deviatingOf(finding)}${testedWords(finding, isOne ? 'node' : 'nodes')}`
}

const proofOf = ({ observations, isStale }: FoundDeviation): string => {
  const contradicting = observations
    .filter(({ direction }) => direction === 'contradicts')
    .map(({ text: words }) => words)
  const more = contradicting.length - 2
  return `${wholeWords(contradicting.slice(0, 2).join(' '), 320)}${more > 0 ? ` And ${plural(more, 'more observation')}.` : ''}${isStale ? ' Not retested since.' : ''}`
}

/** Text on one line, truncated behind a word. */
const wholeWords = (words: string, most: number): string => {
  const line = oneLine(words, most)
  return line.length > most ? `${line.slice(0, most).replace(/\s+\S*$/, '')} …` : line
}

export const WHO: Readonly<Record<CheckRemediation['whoCanChange'], string>> = {
  tenant: 'You can change this.',
  provider: 'Only the provider can change this.',
  both: 'You and the provider can change this.',
}

/** What to change, by the titles of the steps, and who can change it. */
export function remedyText(finding: Finding, remediation: CheckRemediation | undefined): string {
  if (remediation === undefined)
    return `${remedyOf(finding, undefined)}.${finding.what === 'inventory' ? ` ${WHO.tenant}` : ''}`
  const steps = [
    ...new Set(remediation.steps.map(({ title, when }) => (when === undefined ? title : `${title} (where ${when})`))),
  ]
  return [...steps.slice(0, 4).map((step) => `${step}.`), WHO[remediation.whoCanChange]].join(' ')
}

function controlLines(matter: Matter, finding: Finding): readonly Line[] {
  const { controls } = finding
  if (controls.length === 0) return undecidedLines(matter, finding)
  const settled = controls.filter(({ isSettled }) => isSettled).length
  return [
    ...controlLinks(matter, controls),
    {
      text:
        settled === 0
          ? 'Closing this finding alone settles none of them.'
          : `Closing this finding settles the server part of ${of(settled, controls.length)} controls.`,
      style: 'quiet',
    },
  ]
}

/** A finding that decides no control: an observation, or a node that was not tested for the controls of its check. */
function undecidedLines(matter: Matter, finding: Finding): readonly Line[] {
  const limited = limitedControls(matter, finding)
  return limited.length === 0
    ? [{ text: 'Decides no control; an observation.', style: 'quiet' }]
    : [{ text: LIMITS_CONTROLS, style: 'quiet' }, ...controlLinks(matter, limited)]
}

type NamedControl = Pick<ConcernedControl, 'framework' | 'control'>

/** The first controls by name, each with a link to its tests, and how many more there are. */
function controlLinks({ catalog }: Matter, controls: readonly NamedControl[]): readonly Line[] {
  const more = controls.length - MOST_CONTROLS
  return [
    ...controls.slice(0, MOST_CONTROLS).map((one) => ({ text: controlName(catalog, one), link: controlAnchor(one) })),
    ...(more > 0 ? [{ text: `And ${plural(more, 'more control')}.` }] : []),
  ]
}

export const controlName = (catalog: Matter['catalog'], one: NamedControl): string =>
  oneLine(itemName(catalog, { framework: one.framework as never, control: one.control }), 120)

/** Where a control is in the tables of tests. */
export const controlAnchor = ({ framework, control }: NamedControl): string => `control-${framework}-${control}`

/** Status in words, with the day that belongs to it. */
export function statusText({ status, deviations, isOverdue }: Finding): string {
  const ends = deviations.flatMap(({ accepted }) => accepted?.expiresAt ?? []).sort()
  const expired = deviations.flatMap(({ acceptanceExpired }) => acceptanceExpired?.expiresAt ?? []).sort()
  const overdue = isOverdue ? ', overdue' : ''
  const on = (nodes: number): string => (nodes === deviations.length ? '' : ` on ${plural(nodes, 'node')}`)
  const ended = `isk acceptance expired ${day(expired.at(-1) ?? '')}${on(expired.length)}`
  const accepted =
    ends.length === 0 ? '' : `; risk accepted on ${plural(ends.length, 'node')} until ${day(ends[0] ?? '')}`
  if (status === 'risk-accepted') return `Risk accepted until ${day(ends[0] ?? '')}`
  if (status === 'acceptance-expired') return `R${ended}${overdue}${accepted}`
  return `${findingStatusWords[status]}${overdue}${expired.length === 0 ? '' : `; r${ended}`}${accepted}`
}

function responseLines(finding: Finding): readonly Line[] {
  const { response } = finding
  const signed = (response?.signatures ?? []).length === 0 ? ', not signed' : ''
  return [
    { text: statusText(finding), style: 'strong' },
    { text: response?.owner == null ? 'Owner not assigned' : `Owner: ${ownerText(finding)}` },
    ...(response?.plan == null ? [] : [{ text: oneLine(response.plan, 400) }]),
    ...(response === null
      ? []
      : [
          {
            text: `Stated by ${oneLine(response.statedBy, 100)} on ${day(response.statedAt)}${signed}`,
            style: 'quiet',
          } as const,
        ]),
  ]
}

/** Moderate and low findings, one row each; the evidence of each is in the annexes. */
const restTable = (findings: readonly Finding[], remedies: Remedies): Block => ({
  kind: 'table',
  columns: [
    { title: 'Severity', width: 14 },
    { title: 'Condition found', width: 47 },
    { title: 'Of tested', width: 10 },
    { title: 'Recommendation, status', width: 29 },
  ],
  rows: findings.map((finding): readonly Cell[] => [
    [
      { ...severityLine(finding), anchor: finding.reference },
      { text: finding.reference, style: 'quiet' },
    ],
    [{ text: finding.condition }, ...refusedLines(finding)],
    [{ text: countText(finding) }],
    [
      { text: remedyOf(finding, remedies.get(finding.check)) },
      ...(finding.status === 'open' && finding.response === null
        ? []
        : [{ text: `${statusText(finding)}. ${ownerText(finding)}`, style: 'quiet' } as const]),
    ],
  ]),
})

const MOST_RUNS = 400

/** Deviations from the first earlier run of the declared period up to this one: first found, remediated since, and still open. */
export function deviationsOverRuns(matter: Matter, { runs, deviations }: EarlierRuns): readonly Block[] {
  const asOf = when(matter.assessment.asOf)
  const kept = runs.filter((run) => run.kept)
  const rows = claimRows(matter, deviations)
  return [
    heading(3, `Deviations up to ${asOf}`, true),
    text(
      `Based on ${of(kept.length, runs.length)} earlier runs of the declared period and this run. “First found” is the first of these runs with the deviation, which may be older. “Remediated” counts deviations that a later run shows satisfied or not applicable; without a later conclusive result, a deviation counts as open. A risk acceptance does not remove a deviation.`,
    ),
    text(
      'The earlier runs are not in this pack. Their results come from run traces kept with the run chain; each can be compared with the pack of its run by the digest below. The results of this run come from this pack only.',
    ),
    rows.length === 0
      ? text('No deviations noted on the nodes tested in any of these runs.')
      : table(
          {
            'Expected condition': 46,
            'Deviations now': 13,
            'First found (UTC)': 19,
            Remediated: 11,
            'Still open': 11,
          },
          rows,
        ),
    heading(4, 'Earlier runs'),
    headedTable(
      { Run: 26, 'As of (UTC)': 20, 'SHA-256 of its tag manifest': 54 },
      runs
        .slice(-MOST_RUNS)
        .map(({ run, at, tagManifest, kept: isKept }) => [
          [{ text: plain(run, 100), style: 'mono' }],
          [{ text: moment(at) }],
          [
            { text: tagManifest, style: 'mono' },
            ...(isKept ? [] : [{ text: 'Run trace not available; not used.', style: 'strong' } as const]),
          ],
        ]),
    ),
    ...(runs.length > MOST_RUNS
      ? [quiet(`And ${plural(runs.length - MOST_RUNS, 'run')} before them, in the run chain of the pack.`)]
      : []),
  ]
}

function claimRows({ catalog, shown, tally }: Matter, deviations: readonly Deviation[]): readonly (readonly Cell[])[] {
  const now = [...shown.findings, ...shown.informational]
  const apart = new Map(now.map((finding) => [finding.check, finding]))
  const before = catalog.checks.filter(({ id }) => !apart.has(id) && deviations.some((one) => one.check === id))
  const listed = [...now.map(({ check: id, criterion }) => ({ id, expected: criterion.expected })), ...before]
  return listed.map((check) => {
    const own = deviations.filter((one) => one.check === check.id)
    const open = own.filter((one) => one.open).length
    const finding = apart.get(check.id)
    const isDeviating = (finding?.deviations.length ?? 0) > 0
    return [
      [
        { text: check.expected },
        { text: check.id, style: 'quiet' },
        ...(finding === undefined ? [] : refusedLines(finding)),
      ],
      [
        {
          text: finding === undefined ? of(0, tally.testedOn(check.id)) : deviatingOf(finding),
          ...(isDeviating ? { mark: 'square-cross' as const } : {}),
        },
      ],
      [{ text: moment(own.map(({ found }) => found.at).sort(compare)[0] ?? '') }],
      [{ text: of(own.length - open, own.length) }],
      [open === 0 ? { text: of(0, own.length) } : { text: of(open, own.length), style: 'strong' }],
    ]
  })
}
