import type { CheckResult, NodeAssessment } from '../../../../schemas/types.ts'
import { type Verdict, verdictWords } from '../../../../schemas/words.ts'
import { FRESH_DAYS } from '../../../core/assess.ts'
import type { Check } from '../../../core/check.ts'
import { nodeAssessmentPath } from '../../../core/pack-files.ts'
import { plain } from '../../../core/plain-text.ts'
import { compare } from '../../../core/recording.ts'
import { worstFirst } from '../../report/wording.ts'
import { answerPath } from '../input.ts'
import { isObserved, type Names } from './naming.ts'
import { line, momentOf, prop, some } from './words.ts'

interface Seen {
  readonly node: NodeAssessment
  readonly finding: CheckResult
}

/**
 * Observations: one per node and check with a verdict or, above MOST_NODES nodes, one per check and verdict with all its nodes as
 * subjects. Results that are not tested have none.
 */
export function observationsOf(
  names: Names,
  isWanted: (result: CheckResult) => boolean = () => true,
): readonly unknown[] {
  const { assessment, catalog } = names.input
  const checks = new Map(catalog.checks.map((check) => [check.id, check]))
  const seen = assessment.nodes.flatMap((node) =>
    node.results
      .filter((finding) => isObserved(finding, node) && isWanted(finding))
      .map((finding): Seen => ({ node, finding })),
  )
  if (!names.grouped) return seen.map((one) => single(names, checks.get(one.finding.check), one))
  const groups = new Map<string, Seen[]>()
  for (const one of seen) {
    const key = `${one.finding.check}\n${one.finding.verdict}`
    const group = groups.get(key) ?? []
    group.push(one)
    groups.set(key, group)
  }
  return [...groups].sort(([a], [b]) => compare(a, b)).map(([, group]) => grouped(names, checks, group))
}

/** Assessment method (NIST SP 800-53A): examine for captures; also test where a probe of the check is a live test. */
export function methodsOf(check: Check | undefined): readonly string[] {
  const live = Object.values({ ...check?.requires, ...check?.optional }).some((probe) => probe.live === true)
  return live ? ['EXAMINE', 'TEST'] : ['EXAMINE']
}

function head(names: Names, check: Check | undefined, id: string, verdict: Verdict, uuid: string) {
  return {
    uuid,
    title: line(`${id}: ${verdictWords[verdict].label}`),
    description: line(check === undefined ? id : `${check.expected} Limitations: ${check.limitations}`),
    props: [prop('check', id), prop('verdict', verdict)],
    methods: methodsOf(check),
    types: ['control-objective'],
    origins: [{ actors: [{ type: 'tool', 'actor-uuid': names.tool }] }],
  }
}

function single(names: Names, check: Check | undefined, { node, finding }: Seen): unknown {
  const collected = momentOf(node.observedAt) ?? names.input.assessment.asOf
  const cited = new Set(finding.observations.flatMap(({ captures }) => captures.map(({ sha256 }) => sha256)))
  return {
    ...head(names, check, finding.check, finding.verdict, names.observation(finding.check, finding.verdict, node.node)),
    subjects: [{ 'subject-uuid': names.node(node.node), type: 'inventory-item' }],
    ...some(
      'relevant-evidence',
      [...cited].sort(compare).map((digest) => ({
        href: answerPath(node.node, digest),
        description: 'Capture as stored in the pack',
        props: [prop('sha256', digest)],
      })),
    ),
    collected,
    ...expiry(node.observedAt),
    ...remarks(finding),
  }
}

/** Collection times differ between nodes: a group has the time of its oldest evidence. */
function grouped(names: Names, checks: ReadonlyMap<string, Check>, group: readonly Seen[]): unknown {
  const [first] = group
  if (first === undefined) return {}
  const { check, verdict } = first.finding
  const [oldest] = group.map(({ node }) => momentOf(node.observedAt) ?? names.input.assessment.asOf).sort(compare)
  const known = checks.get(check)
  return {
    ...head(names, known, check, verdict, names.observation(check, verdict, '')),
    subjects: group.map(({ node }) => ({ 'subject-uuid': names.node(node.node), type: 'inventory-item' })),
    'relevant-evidence': [
      {
        href: 'data/nodes/',
        description: `Observations of each node, with the digests of captures, are in its assessment.json, for example ${nodeAssessmentPath(first.node.node)}.`,
      },
    ],
    collected: oldest ?? names.input.assessment.asOf,
    ...expiry(oldest ?? null),
    remarks: `${group.length} of ${names.input.assessment.nodes.length} nodes. The collection time is the earliest of them.`,
  }
}

function expiry(observedAt: string | null): { readonly expires?: string } {
  const expires = momentOf(observedAt, FRESH_DAYS)
  return expires === null ? {} : { expires }
}

function remarks({ observations }: CheckResult): { readonly remarks?: string } {
  const said = worstFirst(observations).map(({ direction, text }) => `${direction}: ${plain(text, 1200)}`)
  return said.length === 0 ? {} : { remarks: said.join('\n') }
}
