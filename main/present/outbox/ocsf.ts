import type { Severity } from '../../../schemas/conclusion-words.ts'
import type { CheckResult, NodeAssessment } from '../../../schemas/types.ts'
import { type Verdict, verdictWords } from '../../../schemas/words.ts'
import type { Json } from '../../core/base/canonical-json.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { Finding } from '../../core/finding/finding.ts'
import { outboxKey } from '../../core/outbox/item.ts'
import { controlIndex } from '../formats/input.ts'
import { findingByCheck } from '../presentation.ts'
import { shortName } from '../report/parts/wording.ts'
import type { ItemMatter } from './items.ts'

/**
 * Version of the Open Cybersecurity Schema Framework whose class 2003 the events follow. OCSF has three states: 1 for a condition that is met, 2
 * for a check without a result for lack of information, 3 for one that is not met. Missing evidence is always 2; what no criterion
 * applies to is 99 (other).
 */
const OCSF_VERSION = '1.3.0'
const [CATEGORY, CLASS, CREATE] = [2, 2003, 1]
const OTHER = 99

const STATES: Readonly<Record<Verdict, readonly [id: number, caption: string]>> = {
  satisfied: [1, 'Pass'],
  inconclusive: [2, 'Warning'],
  'not-tested': [2, 'Warning'],
  'not-satisfied': [3, 'Fail'],
  'not-applicable': [OTHER, 'Not applicable'],
  informational: [OTHER, 'Informational'],
}

/** OCSF: 0 unknown, 1 informational, 2 low, 3 medium, 4 high, 5 critical. */
const SEVERITY: Readonly<Record<Severity, number>> = { info: 1, low: 2, medium: 3, high: 4, critical: 5 }
const severityOf = (verdict: Verdict, finding: Finding | undefined): number => {
  if (verdict === 'not-satisfied') return finding === undefined ? 0 : SEVERITY[finding.severity.level]
  return verdict === 'inconclusive' || verdict === 'not-tested' ? 0 : SEVERITY.info
}

/** One event for each check result of each node, in the order of the assessment. */
export function* ocsfEvents(matter: ItemMatter, version: string): Generator<Json> {
  const { assessment, shown } = matter
  const controls = controlsByCheck(matter)
  const findings = findingByCheck(shown)
  const expected = new Map(matter.catalog.checks.map((one) => [one.id, one.expected]))
  for (const node of assessment.nodes)
    for (const result of node.results)
      yield eventOf(matter, version, node, result, {
        finding: findings.get(result.check),
        controls: controls.get(result.check) ?? [],
        expected: expected.get(result.check) ?? result.check,
      })
}

interface AboutCheck {
  readonly finding: Finding | undefined
  readonly controls: readonly { readonly framework: string; readonly name: string }[]
  readonly expected: string
}

function eventOf(
  { source, assessment }: ItemMatter,
  version: string,
  { node, observedAt }: NodeAssessment,
  { check, verdict }: CheckResult,
  { finding, controls, expected }: AboutCheck,
): Json {
  const [stateId, state] = STATES[verdict]
  const name = plain(node, 120)
  const label = verdictWords[verdict].label
  return {
    activity_id: CREATE,
    category_uid: CATEGORY,
    class_uid: CLASS,
    type_uid: CLASS * 100 + CREATE,
    severity_id: severityOf(verdict, finding),
    time: Date.parse(assessment.asOf),
    message: `${source.demo ? '[Demo data] ' : ''}${label}: ${plain(expected, 500)} (${name})`,
    metadata: {
      version: OCSF_VERSION,
      product: { name: 'Barewitness', vendor_name: 'Barewitness', version },
      uid: outboxKey(source.sender, source.fleet, 'event', source.pack.sha256, check, node),
    },
    finding_info: {
      uid: outboxKey(source.sender, source.fleet, 'result', check, node),
      title: verdict === 'not-satisfied' && finding !== undefined ? plain(finding.title) : plain(expected),
      ...(observedAt === null ? {} : { last_seen_time: Date.parse(observedAt) }),
    },
    compliance: {
      control: check,
      requirements: controls.map((one) => one.name),
      standards: [
        `Barewitness catalog ${assessment.catalog.version}`,
        ...new Set(controls.map(({ framework }) => framework)),
      ],
      status: state,
      status_id: stateId,
      status_code: verdict,
      status_detail: verdictWords[verdict].meaning,
    },
    resources: [{ name, type: 'Server' }],
    unmapped: {
      barewitness_fleet: plain(source.fleet),
      barewitness_run: plain(source.run),
      barewitness_pack: plain(source.pack.name),
      barewitness_pack_sha256: source.pack.sha256,
      barewitness_evidence_date: observedAt,
      barewitness_demo: source.demo,
    },
  }
}

/** The controls that each check decides, of frameworks that are in force. */
function controlsByCheck({ assessment, catalog }: ItemMatter): ReadonlyMap<string, AboutCheck['controls']> {
  const controlOf = controlIndex(catalog)
  const proposed = new Set(catalog.frameworks.filter((one) => one.proposed).map(({ id }) => id))
  const found = new Map<string, { framework: string; name: string }[]>()
  for (const { framework, control, checks } of assessment.controls) {
    if (proposed.has(framework)) continue
    const name = `${shortName(framework)} ${controlOf(framework, control)?.id ?? plain(control, 100)}`
    for (const { check, decides } of checks)
      if (decides) found.set(check, [...(found.get(check) ?? []), { framework: shortName(framework), name }])
  }
  return found
}
