import type { Finding, NodeAssessment } from '../../../schemas/types.ts'
import { type Property, propertyWords, type Verdict, verdictWords } from '../../../schemas/words.ts'
import type { Catalog } from '../catalog.ts'
import type { Check } from '../check.ts'
import { nodeFolder } from '../pack-files.ts'
import { plain } from '../plain-text.ts'
import { compare } from '../recording.ts'
import { type Acceptances, acceptancesOf } from '../register.ts'
import { worstFirst } from '../report/wording.ts'
import { DEMO_NOTICE, type FormatInput, STANDING_LIMITATION } from './input.ts'

/**
 * One document per node, made as it is asked for, in the Heimdall Data Format, the report of InSpec as MITRE Heimdall reads it (InSpec's exec-json schema), by file
 * name.
 *
 * Heimdall takes a control with one passed and one skipped result for passed. So one document is one node and a control there has one
 * result: what holds on one node never hides what was not read on another. Only `met` is ever `passed`; what was not decided, not
 * collected or only recorded is `skipped`, which Heimdall shows as Not Reviewed; impact 0 is what it shows as Not Applicable.
 */
export function* hdfFiles(input: FormatInput): Generator<readonly [string, unknown]> {
  const { assessment, catalog, register } = input
  const shared: Shared = {
    input,
    checks: new Map(catalog.checks.map((check) => [check.id, staticPart(check, nistOf(catalog, check.id))])),
    accepted: acceptancesOf(register.exceptions, assessment.asOf),
  }
  for (const node of assessment.nodes) yield [`${fileName(node.node)}.hdf.json`, documentOf(shared, node)]
}

interface Shared {
  readonly input: FormatInput
  readonly checks: ReadonlyMap<string, ReturnType<typeof staticPart>>
  readonly accepted: Acceptances
}

/** The name of the node's folder in the pack: one that every file system keeps, and apart from every other. */
const fileName = (node: string): string => nodeFolder(node).slice(nodeFolder('').lastIndexOf('/') + 1)

function documentOf({ input, checks, accepted }: Shared, node: NodeAssessment): unknown {
  const { assessment, producer, demo, run, packName, evidenceDigest } = input
  const name = plain(node.node, 200)
  const controls = node.findings.map((finding) => ({
    ...(checks.get(finding.check) ?? unknownCheck(finding.check)),
    impact: finding.verdict === 'not-applicable' ? 0 : 0.5,
    results: [resultOf(finding, node, accepted, assessment.asOf)],
  }))
  return {
    platform: { name: 'Barewitness', release: assessment.engine, target_id: name },
    version: assessment.engine,
    statistics: { duration: 0 },
    profiles: [
      {
        name: 'barewitness',
        version: assessment.catalog.version,
        sha256: assessment.catalog.digest,
        title: `Barewitness checks on ${name}, run ${plain(run)}`,
        maintainer: producer,
        summary: `${demo ? `${DEMO_NOTICE} ` : ''}${STANDING_LIMITATION} Evidence pack ${plain(packName)}, digest of the evidence ${evidenceDigest}.`,
        license: '',
        copyright: '',
        copyright_email: '',
        supports: [],
        attributes: [],
        groups: groupsOf(node.findings),
        status: 'loaded',
        controls,
      },
    ],
  }
}

function groupsOf(findings: readonly Finding[]): readonly unknown[] {
  const properties: readonly Property[] = [...new Set(findings.map(({ property }) => property))].sort(compare)
  return properties.map((id) => ({
    id,
    title: propertyWords[id].label,
    controls: findings.filter(({ property }) => property === id).map(({ check }) => check),
  }))
}

const staticPart = ({ id, claim, limits }: Check, nist: readonly string[]) => ({
  id,
  title: claim,
  desc: claim,
  descriptions: [{ label: 'limits', data: limits }],
  refs: [],
  tags: { nist },
  code: '',
  source_location: {},
})

const unknownCheck = (id: string) => ({
  id,
  title: id,
  desc: id,
  descriptions: [],
  refs: [],
  tags: { nist: [] },
  code: '',
  source_location: {},
})

/** The framework that Heimdall groups by. */
const NIST = 'nist-800-53'

/** Rows of NIST SP 800-53 that the check is mapped to. */
function nistOf({ frameworks }: Catalog, check: string): readonly string[] {
  const rows = frameworks.find(({ id }) => id === NIST)?.controls ?? []
  return rows
    .filter(({ supports }) => supports.some((one) => one.check === check))
    .map(({ id }) => id)
    .sort(compare)
}

const STATUS: Readonly<Record<Verdict, 'passed' | 'failed' | 'skipped'>> = {
  met: 'passed',
  'not-met': 'failed',
  inconclusive: 'skipped',
  'not-tested': 'skipped',
  informational: 'skipped',
  'not-applicable': 'skipped',
}

function resultOf({ check, verdict, reasons }: Finding, node: NodeAssessment, accepted: Acceptances, asOf: string) {
  const status = STATUS[verdict]
  const only = verdict === 'informational' ? ['Recorded only; no expectation is set.'] : []
  const exception = verdict === 'not-met' ? accepted.inForce(node.node, check) : null
  const note =
    exception === null
      ? []
      : [
          `Accepted until ${plain(exception.expiresAt, 40)} by ${plain(exception.approvedBy)}: ${plain(exception.reason, 1000)} The finding stays as it is.`,
        ]
  const said = worstFirst(reasons).map(({ says, text }) => `${says}: ${plain(text, 1200)}`)
  const message = [...only, ...said, ...note].join('\n')
  return {
    status,
    code_desc: `${verdictWords[verdict].label}: ${check} on ${plain(node.node)}`,
    ...(status === 'skipped' ? { skip_message: message } : { message }),
    start_time: node.observedAt ?? asOf,
    run_time: 0,
  }
}
