import { documentLine, roleWords, type Severity, serverLine } from '../../../schemas/conclusion-words.ts'
import type { CheckResult, NodeAssessment, Recording } from '../../../schemas/types.ts'
import { type Property, propertyWords, type Verdict, verdictWords } from '../../../schemas/words.ts'
import { plain } from '../../core/base/plain-text.ts'
import type { Finding } from '../../core/finding/finding.ts'
import { nodeFolder } from '../../core/pack/pack-files.ts'
import { compare } from '../../core/recording/recording.ts'
import { type Acceptances, acceptancesOf } from '../../core/register/register.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import { byCheck, findingByCheck } from '../presentation.ts'
import { observationLines } from '../report/parts/wording.ts'
import {
  controlIndex,
  DEMO_NOTICE,
  type FormatInput,
  GENERAL_LIMITATION,
  mappedControls,
  nistControls,
} from './input.ts'
import { remedyLines } from './work-order-document.ts'

/**
 * One document per node, generated lazily, in the Heimdall Data Format, the InSpec report as read by MITRE Heimdall (InSpec’s exec-json schema), by file
 * name.
 *
 * Heimdall treats a control with one passed and one skipped result as passed. One document therefore covers one node, and a control has one
 * result: a result on one node never hides a missing result on another. Only `met` is `passed`; inconclusive, not
 * tested and informational results are `skipped`, which Heimdall shows as Not Reviewed; it shows impact 0 as Not Applicable.
 *
 * The impact of a result that is not satisfied is the severity of its finding; of any other, the severity of the check.
 */
export function* hdfFiles(input: FormatInput): Generator<readonly [string, unknown]> {
  const { assessment, register, recordings, shown } = input
  const shared: Shared = {
    input,
    checks: staticParts(input),
    findings: findingByCheck(shown),
    seconds: new Map(recordings.map(({ recording }) => [recording.node.name, secondsOf(recording)])),
    accepted: acceptancesOf(register.riskAcceptances, assessment.asOf),
  }
  for (const node of assessment.nodes) yield [`${fileName(node.node)}.hdf.json`, documentOf(shared, node)]
}

interface Shared {
  readonly input: FormatInput
  readonly checks: ReturnType<typeof staticParts>
  readonly findings: ReadonlyMap<string, Finding>
  /** How long the collection from a node took. */
  readonly seconds: ReadonlyMap<string, number>
  readonly accepted: Acceptances
}

function secondsOf({ startedAt, endedAt }: Pick<Recording, 'startedAt' | 'endedAt'>): number {
  const seconds = (Date.parse(endedAt) - Date.parse(startedAt)) / 1000
  return Number.isFinite(seconds) ? Math.max(seconds, 0) : 0
}

/** The name of the node’s folder in the pack: valid on every file system and unique. */
const fileName = (node: string): string => nodeFolder(node).slice(nodeFolder('').lastIndexOf('/') + 1)

function documentOf({ input, checks, findings, seconds, accepted }: Shared, node: NodeAssessment): unknown {
  const { assessment, producer, demo, run, packName, evidenceDigest } = input
  const name = plain(node.node, 200)
  const controls = node.results.map((result) => {
    const known = checks.get(result.check)
    const part = known?.part ?? partOf(result.check, result.check, [], { nist: [] })
    const finding = result.verdict === 'not-satisfied' ? findings.get(result.check) : undefined
    const severity = finding?.severity.level ?? known?.severity
    return {
      ...part,
      tags: {
        ...part.tags,
        ...(severity === undefined ? {} : { severity }),
        ...(finding === undefined ? {} : { finding: finding.reference }),
      },
      impact: impactOf(result.verdict, severity ?? 'medium'),
      results: [resultOf(result, node, accepted, assessment.asOf)],
    }
  })
  return {
    platform: { name: 'Barewitness', release: assessment.engine, target_id: name },
    version: assessment.engine,
    statistics: { duration: seconds.get(node.node) ?? 0 },
    profiles: [
      {
        name: 'barewitness',
        version: assessment.catalog.version,
        sha256: assessment.catalog.digest,
        title: `Barewitness checks on ${name}, run ${plain(run)}`,
        maintainer: producer,
        summary: `${demo ? `${DEMO_NOTICE} ` : ''}${GENERAL_LIMITATION} Evidence pack ${plain(packName)}, evidence digest ${evidenceDigest}.`,
        license: '',
        copyright: '',
        copyright_email: '',
        supports: [],
        attributes: [],
        groups: groupsOf(node.results),
        status: 'loaded',
        controls,
      },
    ],
  }
}

function groupsOf(results: readonly CheckResult[]): readonly unknown[] {
  const properties: readonly Property[] = [...new Set(results.map(({ property }) => property))].sort(compare)
  return properties.map((id) => ({
    id,
    title: propertyWords[id].label,
    controls: results.filter(({ property }) => property === id).map(({ check }) => check),
  }))
}

/**
 * InSpec's impact of each severity (InSpec profiles: none 0.0, low 0.3, medium 0.5, high 0.7, critical 0.9). Heimdall shows impact 0 as Not
 * Applicable, so only a result that no criterion applies to has it: an informational check that was not tested would look as if it could not
 * apply.
 */
const IMPACT: Readonly<Record<Severity, number>> = { critical: 0.9, high: 0.7, medium: 0.5, low: 0.3, info: 0.1 }

const impactOf = (verdict: Verdict, severity: Severity): number =>
  verdict === 'not-applicable' || (verdict === 'informational' && severity === 'info') ? 0 : IMPACT[severity]

/** Properties of a check on every node: expected condition, procedure, remedy, limitations, and the controls it decides with both parts. */
function staticParts({ assessment, catalog, remediations }: FormatInput) {
  const severities = byCheck(catalog.severities)
  const remedies = byCheck(remediations)
  const rows = rowsByCheck(assessment, catalog)
  const tagsOf = tagsBy(assessment.scope.frameworks, catalog)
  return new Map(
    catalog.checks.map(({ id, expected, limitations }) => {
      const rated = severities.get(id)
      const remedy = remedies.get(id)
      const decided = rows.get(id) ?? []
      const descriptions = [
        ...(rated === undefined ? [] : [{ label: 'check', data: rated.procedure }]),
        ...(remedy === undefined ? [] : [{ label: 'fix', data: remedyLines(remedy).join('\n') }]),
        { label: 'limitations', data: limitations },
        ...(rated === undefined ? [] : [{ label: 'rationale', data: rated.why }]),
        ...(decided.length === 0
          ? []
          : [{ label: 'controls', data: ['Over all declared nodes:', ...decided].join('\n') }]),
      ]
      const part = partOf(id, expected, descriptions, tagsOf(id))
      return [id, { part, severity: rated?.severity }] as const
    }),
  )
}

/** By check, the controls it decides, each with its server part and document part over the whole population. */
function rowsByCheck(
  { controls }: FormatInput['assessment'],
  catalog: Catalog,
): ReadonlyMap<string, readonly string[]> {
  const controlOf = controlIndex(catalog)
  const found = new Map<string, string[]>()
  for (const { framework, control, state, server, documents, checks } of controls) {
    if (state === 'out-of-scope') continue
    const name = `${framework} ${plain(controlOf(framework, control)?.id ?? control)}`
    const parts = `server part: ${serverLine(server)}; document part: ${documentLine(documents)}`
    for (const { check, role, decides } of checks) {
      if (!decides) continue
      const text = `${name} (${roleWords[role].label.toLowerCase()}): ${parts}.`
      const known = found.get(check)
      if (known === undefined) found.set(check, [text])
      else known.push(text)
    }
  }
  return found
}

/** The part of a control that is the same on every node. */
const partOf = (id: string, title: string, descriptions: readonly unknown[], tags: Tags) => ({
  id,
  title,
  desc: title,
  descriptions,
  refs: [],
  tags,
  code: '',
  source_location: {},
})

type Tags = { readonly nist: readonly string[] } & Readonly<Record<string, readonly string[]>>

/** By check, the controls it is mapped to: NIST SP 800-53 always, by which Heimdall groups, and every other framework in scope under its id. */
function tagsBy(chosen: readonly string[], catalog: Catalog): (check: string) => Tags {
  const wanted = catalog.frameworks.filter(({ id }) => chosen.includes(id))
  return (check) => {
    const tags = wanted.flatMap(({ id, controls }) => {
      const own = mappedControls(controls, check)
      return own.length === 0 ? [] : [[id, own] as const]
    })
    return { ...Object.fromEntries(tags), nist: nistControls(catalog, check) }
  }
}

const STATUS: Readonly<Record<Verdict, 'passed' | 'failed' | 'skipped'>> = {
  satisfied: 'passed',
  'not-satisfied': 'failed',
  inconclusive: 'skipped',
  'not-tested': 'skipped',
  informational: 'skipped',
  'not-applicable': 'skipped',
}

function resultOf(
  { check, verdict, observations }: CheckResult,
  node: NodeAssessment,
  accepted: Acceptances,
  asOf: string,
) {
  const status = STATUS[verdict]
  const only = verdict === 'informational' ? ['Informational; no criterion applies.'] : []
  const exception = verdict === 'not-satisfied' ? accepted.inForce(node.node, check) : null
  const note =
    exception === null
      ? []
      : [
          `Risk accepted until ${plain(exception.expiresAt, 40)} by ${plain(exception.approvedBy)}: ${plain(exception.reason, 1000)} The result is unchanged.`,
        ]
  const lines = observationLines(observations)
  const message = [...only, ...lines, ...note].join('\n')
  return {
    status,
    code_desc: `${verdictWords[verdict].label}: ${check} on ${plain(node.node)}`,
    ...(status === 'skipped' ? { skip_message: message } : { message }),
    start_time: node.observedAt ?? asOf,
    run_time: 0,
  }
}
