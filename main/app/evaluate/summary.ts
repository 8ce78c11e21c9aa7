import {
  documentStateWords,
  observationLine,
  rowStateWords,
  serverLine,
  serverStateWords,
  severityWords,
} from '../../../schemas/conclusion-words.ts'
import { type FailureCode, failureWords } from '../../../schemas/failure-words.ts'
import { locationVerdictWords } from '../../../schemas/location-words.ts'
import type {
  Assessment,
  ControlAssessment,
  ControlCheck,
  Location,
  LocationResult,
  Register,
} from '../../../schemas/types.ts'
import {
  CLAIM_ANSWERS,
  claimAnswerWords,
  environmentText,
  gradeWords,
  imageLimit,
  PROPERTIES,
  profileWords,
  propertyWords,
  tenancyWords,
  VERDICTS,
  verdictWords,
} from '../../../schemas/words.ts'
import { names, of, plain, plural } from '../../core/base/plain-text.ts'
import { reached, summarize } from '../../core/conclusion/tally.ts'
import { exampleOf, type Finding, findingReference } from '../../core/finding/finding.ts'
import { NOTHING_SHARED, sameMachineText, surplusNames } from '../../core/recording/same-machine.ts'
import { explanationsFor, explanationText } from '../../core/register/explanations.ts'
import { type Catalog, catalogFor } from '../../core/rules/catalog.ts'
import { type ThresholdValue, thresholdValues } from '../../core/rules/profile.ts'
import { isObservation, partsTable, type RowCounts, rowCounts } from '../../present/formats/row-counts.ts'
import { type Presentation, severityCounts } from '../../present/presentation.ts'
import { statusText } from '../../present/report/findings.ts'
import { noFinding } from '../../present/report/page-one.ts'
import { deviatingOf, limitedControls, testedWords } from '../../present/report/parts/refused.ts'
import { type FindingSources, ownerLine, shownOf } from './finding-views.ts'

/**
 * An assessment on one screen of plain text: nodes, findings, controls with their observations. Counts with denominators, never
 * a score.
 */
export function summaryText(sources: FindingSources): string {
  const { assessment, register } = sources
  const catalog = catalogFor(sources.catalog, assessment.scope)
  return [
    ...head(assessment, [...thresholdValues(catalog.thresholds, assessment.scope.profile).values()]),
    ...nodeList(assessment, register),
    '',
    ...findingLines(assessment, catalog, shownOf(sources)),
    ...locationCounts(assessment),
    ...claimLines(assessment),
    ...controlLines(assessment, catalog),
  ].join('\n')
}

function head(
  { scope, nodes, asOf, catalog, demo, reconciliation, shared = NOTHING_SHARED }: Assessment,
  limits: readonly ThresholdValue[],
): string[] {
  const answered = nodes.filter(({ results }) => results.some(({ verdict }) => verdict !== 'not-tested')).length
  const collected = answered - surplusNames(shared)
  return [
    `${plain(scope.fleet)}${demo ? '   [Demo data]' : ''}`,
    `${collected} of ${nodes.length} declared nodes collected; as of ${asOf}; catalog ${catalog.version} (${catalog.digest.slice(0, 12)})`,
    ...shared.machines.slice(0, MOST_NAMES).map((machine) => `one machine, counted once: ${sameMachineText(machine)}`),
    ...(shared.machines.length > MOST_NAMES
      ? [`and ${shared.machines.length - MOST_NAMES} more machines with several names; see population.csv`]
      : []),
    ...populationLine(reconciliation),
    `threshold profile: ${profileWords[scope.profile?.name ?? 'baseline'].label}`,
    ...limits
      .filter(({ moved }) => moved === 'looser')
      .map(({ threshold, shown, shownBefore, source }) =>
        plain(`  relaxed threshold: ${threshold.title}: ${shown} instead of ${shownBefore} (${source})`, 700),
      ),
    ...(nodes.some(({ isolation }) => isolation !== null) ? [`isolation: ${imageLimit}`] : []),
    '',
  ]
}

function nodeLines(node: Assessment['nodes'][number]): string[] {
  if (node.isolation === null)
    return [
      `${node.node}`,
      ...(node.failure === null ? ['    not collected: no recording'] : failureLines('not collected', node.failure)),
    ]
  const { environment, platform, concealed, tenancy, grade, rule } = node.isolation
  const counts = PROPERTIES.map((property) => {
    const own = node.results.filter((finding) => finding.property === property)
    const { counts, decidable, total } = summarize(own.map(({ verdict }) => verdict))
    const rest = VERDICTS.filter((verdict) => verdict !== 'satisfied' && counts[verdict] > 0)
    const parts = [
      ...(decidable === 0 ? [] : [`${counts.satisfied} of ${decidable} satisfied`]),
      ...rest.map((verdict) => `${counts[verdict]} ${verdictWords[verdict].label.toLowerCase()}`),
    ]
    return total === 0 ? '' : `${propertyWords[property].label}: ${parts.join(', ')}`
  }).filter((line) => line !== '')
  return [
    `${node.node}   collected ${node.privilege === 'none' ? 'without root privileges' : `with ${node.privilege}`} at ${node.observedAt}${node.stale ? ' (stale)' : ''}${node.synthetic === null ? '' : '   [synthetic]'}`,
    `    ${environmentText({ environment, rule })}${platform === null ? '' : ` (${plain(platform)})`}${concealed ? ', concealed by the platform' : ''}; tenancy: ${tenancyWords[tenancy]}; evidence grade ${grade} (${gradeWords[grade]})`,
    ...(environment === 'undetermined' ? [`    ${rule.id}: ${plain(rule.text, 1200)}`] : []),
    ...(node.failure === null ? [] : failureLines('partially collected', node.failure)),
    ...(node.privilege === 'sudo' ? notGranted(node) : []),
    ...counts.map((line) => `    ${line}`),
    ...locationLine(node.location ?? null),
  ]
}

/** Why a node has no recording or a partial one, and the next step. A code of another version is printed as it is. */
function failureLines(is: string, { code, detail }: NonNullable<Assessment['nodes'][number]['failure']>): string[] {
  const words = Object.hasOwn(failureWords, code) ? failureWords[code as FailureCode] : null
  return [
    `    ${is}: ${words?.title ?? plain(code)} (${plain(detail, 300)})`,
    ...(words === null ? [] : [`    Next: ${words.next}`]),
  ]
}

/** Rights that sudo did not grant on a node that is collected with sudo, as the check of completeness counts them. */
function notGranted({ results }: Pick<Assessment['nodes'][number], 'results'>): readonly string[] {
  const completeness = results.find(({ check }) => check === 'evidence.collection-completeness')
  const counted = completeness?.observations.flatMap(({ text }) => NOT_GRANTED.exec(text)?.[0] ?? []) ?? []
  return counted.map((text) => `    ${text}. Compare its sudoers file with “barewitness catalog sudoers”.`)
}

const NOT_GRANTED = /^[^:]*administrator rights that were not granted/

/** Explanations of single facts of a node, by named people. */
const explained = (register: Register, node: string, asOf: string): readonly string[] =>
  [...explanationsFor(register, node, asOf).values()]
    .flat()
    .map((entry) => `    ${entry.signal}: ${explanationText(entry)}`)

/** Results for the declared place of a node, and for each residency rule that applies to it. */
function locationLine(location: Location | null): readonly string[] {
  if (location === null || location.results.length === 0) return []
  const answers = location.results.map(
    (answer) => `${questionOf(answer)}: ${locationVerdictWords[answer.result].label}`,
  )
  return [`    location: ${answers.join('; ')}`]
}

const questionOf = ({ of, title }: Pick<LocationResult, 'of' | 'title'>): string =>
  of === 'declared-place' ? 'declared place' : plain(title)

const LOCATION_VERDICTS = Object.keys(locationVerdictWords) as readonly LocationResult['result'][]

/** By declared place and by residency rule: the number of nodes with each result. */
function locationCounts({ nodes }: Assessment): readonly string[] {
  const answers = nodes.flatMap(({ location }) => location?.results ?? [])
  if (answers.length === 0) return []
  const lines = [...new Set(answers.map(questionOf))].map((question) => {
    const own = answers.filter((answer) => questionOf(answer) === question)
    const counts = LOCATION_VERDICTS.map((verdict) => ({
      label: locationVerdictWords[verdict].label,
      count: own.filter((answer) => answer.result === verdict).length,
    })).filter(({ count }) => count > 0)
    return `  ${question}\n      ${counts.map(({ label, count }) => `${label} ${count}`).join(', ')} (of ${own.length} collected)`
  })
  return ['Location results by declared place and residency rule:', ...lines, '']
}

/** Maximum number of nodes on one screen; of a larger fleet, only those with problems. */
const MOST_NODES = 40
const MOST_NAMES = 12

function nodeList({ nodes, asOf }: Assessment, register: Register): readonly string[] {
  if (nodes.length <= MOST_NODES)
    return nodes.flatMap((node) => [...nodeLines(node), ...explained(register, node.node, asOf)])
  const silent = nodes.filter(({ status }) => status !== 'complete').map(({ node }) => node)
  return [
    `${nodes.length} nodes; population.csv lists all of them.`,
    ...(silent.length === 0 ? [] : [`Not collected or partially collected (${silent.length}): ${names(silent)}`]),
  ]
}

/**
 * Findings by severity, with owner and due day, and the overdue ones. The leading findings are listed with an
 * observation. A risk acceptance leaves the deviation in place.
 */
function findingLines(
  assessment: Assessment,
  catalog: Catalog,
  { findings, informational, leading, figures }: Presentation,
): readonly string[] {
  const overdue = findings.filter(({ isOverdue }) => isOverdue)
  const { severe, withOwner } = figures.owned
  return [
    ...(findings.length === 0
      ? [noFinding({ assessment })]
      : [
          `${plural(findings.length, 'finding')}: ${severityCounts(figures.findings)}; ${plural(figures.deviations, 'deviation')} in total:`,
        ]),
    ...findings.flatMap((one) => findingLine(assessment, catalog, one, leading.includes(one))),
    ...(severe === 0 ? [] : [`Critical and high findings with an owner: ${of(withOwner, severe)}`]),
    ...(overdue.length === 0
      ? []
      : [`Overdue (${overdue.length}): ${overdue.map(({ reference }) => reference).join(', ')}`]),
    ...(informational.length === 0
      ? []
      : [
          `Informational results that are not satisfied, counted in no sum (${informational.length}):`,
          ...informational.flatMap((one) => findingLine(assessment, catalog, one, false)),
        ]),
    '',
  ]
}

/**
 * The meaning for controls of a finding that decides none; `limited` of them lack the result of a node that was
 * refused before login.
 */
const undecided = (limited: number): string =>
  limited === 0
    ? '. Decides no control in scope'
    : `. Refused before login and not tested, which limits ${plural(limited, 'control')}`

function findingLine(
  assessment: Assessment,
  catalog: Catalog,
  finding: Finding,
  isLeading: boolean,
): readonly string[] {
  const { reference, severity, title, deviations, inconclusive, untested, controls, what } = finding
  const accepted = deviations.filter((one) => one.accepted !== null).length
  const over = deviations.filter(({ acceptanceExpired }) => acceptanceExpired !== null).length
  const first = exampleOf(finding, assessment)
  const why = first?.observations.find(({ direction }) => direction === 'contradicts')?.text ?? ''
  const counts = [
    `deviations on ${deviatingOf(finding)}${what === 'inventory' ? ' inventory rows' : testedWords(finding)}: ${names(deviations.map(({ subject }) => subject))}`,
    ...(inconclusive.length === 0 ? [] : [`${inconclusive.length} inconclusive`]),
    ...(untested.length === 0 ? [] : [`${untested.length} not tested`]),
  ]
  return [
    `  ${reference}  ${severityWords[severity.level]}: ${title}`,
    `      ${counts.join('; ')}`,
    `      ${statusText(finding)}. ${ownerLine(finding)}${controls.length === 0 ? undecided(limitedControls({ assessment, catalog }, finding).length) : ''}`,
    ...(accepted === 0 ? [] : [`      risk accepted on ${accepted} of these; the deviation remains`]),
    ...(over === 0 ? [] : [`      the risk acceptance has expired on ${over} of these`]),
    ...(isLeading && first !== undefined ? [`      ${first.subject}: ${plain(why, 300)}`] : []),
  ]
}

/** Provider claims, with the results of the nodes. */
function claimLines({ nodes, scope: { provider } }: Assessment): readonly string[] {
  if (provider === undefined) return []
  const lines = provider.claims.map(({ id, text }) => {
    const answers = nodes.flatMap((node) =>
      (node.claims ?? []).flatMap(({ claim, result }) =>
        claim === id ? [{ result, isCollected: reached(node) }] : [],
      ),
    )
    const counts = CLAIM_ANSWERS.map((word) => {
      const own = answers.filter(({ result }) => result === word)
      const silent = word === 'inconclusive' ? own.filter(({ isCollected }) => !isCollected).length : 0
      return { word, count: own.length, apart: silent === 0 ? '' : ` (${silent} not collected)` }
    })
    const parts = counts
      .filter(({ count }) => count > 0)
      .map(({ word, count, apart }) => `${claimAnswerWords[word].label} ${count}${apart}`)
    return `  ${plain(text)}\n      ${parts.join(', ')} (of ${answers.length})`
  })
  return [`Claims of ${plain(provider.name)}, by node:`, ...lines, '']
}

function populationLine(coverage: Assessment['reconciliation']): readonly string[] {
  if (coverage === undefined) return []
  const { declared, inFleet, inventory, unreconciled } = coverage
  const listed = inventory === null ? 'no provider inventory' : `${inventory} in the provider inventory`
  const open = unreconciled === 0 ? '' : `; ${unreconciled} of them not reconciled`
  return [`population: ${declared} declared, ${inFleet} in fleet file, ${listed}${open}`]
}

/** Maximum number of controls of a framework under one heading; controls.csv has all of them. */
const MOST_ROWS = 12

/**
 * Each framework separately: its controls by state, server part by document part, the controls with deviations, and the
 * observations under its controls.
 */
const controlLines = (assessment: Assessment, catalog: Catalog): readonly string[] =>
  rowCounts(assessment, catalog).flatMap((counts) => [
    ...stateLines(counts),
    ...partsLines(counts),
    ...deviationLines(counts),
    ...observationLines(counts, (check) => nameOf(assessment, catalog, check)),
    '',
  ])

function stateLines({ framework, rows, states, supportedByTests, allAccepted }: RowCounts): readonly string[] {
  const detail = (state: string): string =>
    state === 'supported'
      ? ` (of which ${supportedByTests} with server tests)`
      : state === 'deviations' && allAccepted > 0
        ? ` (of which ${allAccepted} with all deviations risk-accepted)`
        : ''
  return [
    `${framework.title}${framework.proposed ? ' [proposed]' : ''}: ${rows.length} controls`,
    ...states
      .filter(([, count]) => count > 0)
      .map(([state, count]) => `  ${count} ${rowStateWords[state].label}${detail(state)}`),
  ]
}

/** Server part (lines) by document part (columns). */
function partsLines({ rows }: RowCounts): readonly string[] {
  const { documents, lines } = partsTable(rows)
  if (lines.length === 0) return []
  const heads = documents.map((state) => documentStateWords[state].label)
  const width = Math.max(...lines.map(({ server }) => serverStateWords[server].label.length), 'Server part'.length)
  return [
    '  Controls in scope, server part by document part:',
    `    ${'Server part'.padEnd(width)}  ${heads.join('  ')}`,
    ...lines.map(
      ({ server, counts }) =>
        `    ${serverStateWords[server].label.padEnd(width)}  ${counts
          .map((count, at) => String(count).padStart(heads[at]?.length ?? 0))
          .join('  ')}`,
    ),
  ]
}

function deviationLines({ framework, rows }: RowCounts): readonly string[] {
  const idOf = idsIn(framework)
  const found = rows
    .filter(({ state }) => state === 'deviations' || state === 'addressable-decision')
    .map((row) => [idOf(row), ...partsOf(row)].join('  '))
  return listedRows('Controls with deviations', found)
}

const partsOf = ({ server, documents }: ControlAssessment): readonly string[] => [
  ...(server.state === 'no-server-test' ? [] : [serverLine(server)]),
  ...(documents.state === 'deviations'
    ? [`${documentStateWords.deviations.label}: ${documents.deviations.map((one) => plain(one, 80)).join(', ')}`]
    : []),
]

/** A check that is not satisfied, by the reference and the title of its finding. */
function nameOf({ scope }: Assessment, { severities }: Catalog, check: string): string {
  const title = severities.find((one) => one.check === check)?.finding
  return `${findingReference(scope.fleet, check)} ${title === undefined ? check : `${title} (${check})`}`
}

/** Supporting checks that are not satisfied, each once, with the controls under which it is an observation. */
function observationLines({ framework, rows }: RowCounts, named: (check: string) => string): readonly string[] {
  const idOf = idsIn(framework)
  const found = new Map<string, { readonly check: ControlCheck; readonly ids: string[] }>()
  for (const row of rows.filter(({ state }) => state !== 'out-of-scope'))
    for (const check of row.checks.filter(isObservation)) {
      const known = found.get(check.check)
      if (known === undefined) found.set(check.check, { check, ids: [idOf(row)] })
      else known.ids.push(idOf(row))
    }
  return listedRows(
    'Observations (supporting checks not satisfied; they change no conclusion)',
    [...found.values()].map(
      ({ check, ids }) => `${named(check.check)}: ${observationLine(check)}; under ${names(ids)}`,
    ),
  )
}

const listedRows = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0
    ? []
    : [
        `  ${title}:`,
        ...lines.slice(0, MOST_ROWS).map((line) => `    ${line}`),
        ...(lines.length > MOST_ROWS ? [`    and ${lines.length - MOST_ROWS} more; controls.csv has all of them`] : []),
      ]

/** Control ids as the framework writes them. */
function idsIn({ controls }: RowCounts['framework']): (row: ControlAssessment) => string {
  const ids = new Map(controls.map(({ key, id }) => [key, id]))
  return ({ control }) => ids.get(control) ?? control
}
