import { locationVerdictWords } from '../../schemas/location-words.ts'
import type { Assessment, Location, LocationAnswer, Register } from '../../schemas/types.ts'
import {
  CLAIM_ANSWERS,
  CONTROL_STATES,
  claimAnswerWords,
  controlStateWords,
  gradeWords,
  imageLimit,
  layerSaid,
  PROPERTIES,
  profileWords,
  propertyWords,
  VERDICTS,
  verdictWords,
} from '../../schemas/words.ts'
import { type Catalog, catalogFor } from '../core/catalog.ts'
import { plain } from '../core/plain-text.ts'
import { type Limit, limitsOf } from '../core/profile.ts'
import { compare } from '../core/recording.ts'
import { explanationsFor, explanationText } from '../core/register/explanations.ts'
import { acceptancesOf } from '../core/register.ts'
import { NOTHING_SHARED, sameMachineText, surplusNames } from '../core/same-machine.ts'
import { summarize } from '../core/tally.ts'

/** An assessment on one screen of plain text: nodes, gaps, controls. Counts with denominators, never a score. */
export function summaryText(assessment: Assessment, ours: Catalog, register: Register): string {
  const catalog = catalogFor(ours, assessment.scope)
  return [
    ...head(assessment, [...limitsOf(catalog.thresholds, assessment.scope.profile).values()]),
    ...nodeList(assessment, register),
    '',
    ...gapLines(assessment, catalog, register),
    ...locationCounts(assessment),
    ...claimLines(assessment),
    ...controlLines(assessment, catalog),
  ].join('\n')
}

function head(
  { scope, nodes, asOf, catalog, demo, coverage, shared = NOTHING_SHARED }: Assessment,
  limits: readonly Limit[],
): string[] {
  const names = nodes.filter(({ findings }) => findings.some(({ verdict }) => verdict !== 'not-tested')).length
  const reached = names - surplusNames(shared)
  return [
    `${plain(scope.fleet)}${demo ? '   [Demo data]' : ''}`,
    `${reached} of ${nodes.length} declared nodes answered; as of ${asOf}; catalog ${catalog.version} (${catalog.digest.slice(0, 12)})`,
    ...shared.machines.slice(0, MOST_NAMES).map((machine) => `one machine, counted once: ${sameMachineText(machine)}`),
    ...(shared.machines.length > MOST_NAMES
      ? [`and ${shared.machines.length - MOST_NAMES} more machines with several names; population.csv has them all`]
      : []),
    ...populationLine(coverage),
    `compared against: ${profileWords[scope.profile?.name ?? 'baseline'].label}`,
    ...limits
      .filter(({ moved }) => moved === 'looser')
      .map(({ threshold, shown, shownBefore, source }) =>
        plain(`  loosened: ${threshold.title}: ${shown} instead of ${shownBefore} (${source})`, 700),
      ),
    ...(nodes.some(({ isolation }) => isolation !== null) ? [`isolation: ${imageLimit}`] : []),
    '',
  ]
}

function nodeLines(node: Assessment['nodes'][number]): string[] {
  if (node.isolation === null)
    return [
      `${node.node}`,
      `    not collected: ${node.failure === null ? 'no recording' : `${node.failure.code}, ${plain(node.failure.detail, 300)}`}`,
    ]
  const { layer, platform, concealed, tenancy, grade, rule } = node.isolation
  const counts = PROPERTIES.map((property) => {
    const own = node.findings.filter((finding) => finding.property === property)
    const { counts, decidable, total } = summarize(own.map(({ verdict }) => verdict))
    const rest = VERDICTS.filter((verdict) => verdict !== 'met' && counts[verdict] > 0)
    const told = [
      ...(decidable === 0 ? [] : [`${counts.met} of ${decidable} supported`]),
      ...rest.map((verdict) => `${counts[verdict]} ${verdictWords[verdict].label.toLowerCase()}`),
    ]
    return total === 0 ? '' : `${propertyWords[property].label}: ${told.join(', ')}`
  }).filter((line) => line !== '')
  return [
    `${node.node}   read ${node.privilege === 'none' ? 'without administrator rights' : `with ${node.privilege}`} at ${node.observedAt}${node.stale ? ' (too old)' : ''}${node.synthetic === null ? '' : '   [synthetic]'}`,
    `    ${layerSaid({ layer, rule })}${platform === null ? '' : ` (${plain(platform)})`}${concealed ? ', and it hides this' : ''}; tenancy ${tenancy}; evidence grade ${grade} (${gradeWords[grade]})`,
    ...(layer === 'unknown' ? [`    ${rule.id}: ${plain(rule.text, 1200)}`] : []),
    ...(node.failure === null
      ? []
      : [`    collected in part: ${node.failure.code}, ${plain(node.failure.detail, 300)}`]),
    ...counts.map((line) => `    ${line}`),
    ...locationLine(node.location ?? null),
  ]
}

/** What named people say about single readings of a node. */
const explained = (register: Register, node: string, asOf: string): readonly string[] =>
  [...explanationsFor(register, node, asOf).values()]
    .flat()
    .map((entry) => `    ${entry.signal}: ${explanationText(entry)}`)

/** What is said of the declared place of a node, and of each policy that is for it. */
function locationLine(location: Location | null): readonly string[] {
  if (location === null || location.answers.length === 0) return []
  const answers = location.answers.map(
    (answer) => `${questionOf(answer)}: ${locationVerdictWords[answer.verdict].label}`,
  )
  return [`    where it is: ${answers.join('; ')}`]
}

const questionOf = ({ of, title }: Pick<LocationAnswer, 'of' | 'title'>): string =>
  of === 'declared-place' ? 'declared place' : plain(title)

const LOCATION_VERDICTS = Object.keys(locationVerdictWords) as readonly LocationAnswer['verdict'][]

/** By declared place and by policy: of the nodes that it is asked about, how many have which answer. */
function locationCounts({ nodes }: Assessment): readonly string[] {
  const answers = nodes.flatMap(({ location }) => location?.answers ?? [])
  if (answers.length === 0) return []
  const lines = [...new Set(answers.map(questionOf))].map((question) => {
    const own = answers.filter((answer) => questionOf(answer) === question)
    const told = LOCATION_VERDICTS.map((verdict) => ({
      label: locationVerdictWords[verdict].label,
      count: own.filter((answer) => answer.verdict === verdict).length,
    })).filter(({ count }) => count > 0)
    return `  ${question}\n      ${told.map(({ label, count }) => `${label} ${count}`).join(', ')} (of ${own.length} collected)`
  })
  return ['Where nodes are, by declared place and policy:', ...lines, '']
}

/** A screen names so many nodes; of more, those that something is wrong with. */
const MOST_NODES = 40
const MOST_NAMES = 12

function nodeList({ nodes, asOf }: Assessment, register: Register): readonly string[] {
  if (nodes.length <= MOST_NODES)
    return nodes.flatMap((node) => [...nodeLines(node), ...explained(register, node.node, asOf)])
  const silent = nodes.filter(({ status }) => status !== 'complete').map(({ node }) => node)
  return [
    `${nodes.length} nodes; findings.csv has every one.`,
    ...(silent.length === 0 ? [] : [`Not collected, or only in part (${silent.length}): ${namesOf(silent)}`]),
  ]
}

const namesOf = (names: readonly string[]): string => {
  const more = names.length - MOST_NAMES
  return `${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Contradicted claims, on most nodes first; what somebody accepts is told, and stays contradicted. */
function gapLines({ nodes, asOf }: Assessment, { checks }: Catalog, { exceptions }: Register): readonly string[] {
  const { inForce, ended } = acceptancesOf(exceptions, asOf)
  const gaps = checks
    .map(({ id, claim }) => ({
      claim,
      id,
      found: nodes.flatMap(({ node, findings }) =>
        findings.filter(({ check, verdict }) => check === id && verdict === 'not-met').map((one) => ({ node, ...one })),
      ),
    }))
    .filter(({ found }) => found.length > 0)
    .sort((a, b) => b.found.length - a.found.length || compare(a.id, b.id))
  if (gaps.length === 0) return ['No check was contradicted.', '']
  const total = gaps.reduce((sum, { found }) => sum + found.length, 0)
  const lines = gaps.flatMap(({ claim, id, found }) => {
    const accepted = found.filter(({ node }) => inForce(node, id) !== null).length
    const over = found.filter(({ node }) => ended(node, id) !== null).length
    const why = found[0]?.reasons.find(({ says }) => says === 'against')?.text ?? ''
    return [
      `  ${claim}`,
      `      ${found.length} of ${nodes.length}: ${namesOf(found.map(({ node }) => node))}`,
      ...(accepted === 0 ? [] : [`      accepted by a named person on ${accepted} of these; still contradicted`]),
      ...(over === 0 ? [] : [`      an acceptance has ended on ${over} of these`]),
      `      ${found[0]?.node}: ${plain(why, 300)}`,
    ]
  })
  return [`Gaps (${gaps.length} claims, ${total} findings):`, ...lines, '']
}

/** What the provider promised, by how many nodes bear it out. */
function claimLines({ nodes, scope: { provider } }: Assessment): readonly string[] {
  if (provider === undefined) return []
  const lines = provider.claims.map(({ id, says }) => {
    const answers = nodes.flatMap(({ claims }) => claims?.filter(({ claim }) => claim === id) ?? [])
    const counts = CLAIM_ANSWERS.map((word) => ({
      word,
      count: answers.filter(({ answer }) => answer === word).length,
    }))
    const told = counts
      .filter(({ count }) => count > 0)
      .map(({ word, count }) => `${claimAnswerWords[word].label} ${count}`)
    return `  ${plain(says)}\n      ${told.join(', ')} (of ${answers.length})`
  })
  return [`What ${plain(provider.name)} promised, by node:`, ...lines, '']
}

function populationLine(coverage: Assessment['coverage']): readonly string[] {
  if (coverage === undefined) return []
  const { declared, enrolled, inventory, uncovered } = coverage
  const listed = inventory === null ? 'no list of the provider' : `${inventory} in the provider’s list`
  const open = uncovered === 0 ? '' : `; ${uncovered} of them nobody accounts for`
  return [`population: ${declared} declared, ${enrolled} enrolled, ${listed}${open}`]
}

function controlLines({ controls }: Assessment, catalog: Catalog): string[] {
  return catalog.frameworks
    .map((framework) => ({ framework, own: controls.filter((control) => control.framework === framework.id) }))
    .filter(({ own }) => own.length > 0)
    .map(({ framework, own }) => {
      const counts = CONTROL_STATES.map((state) => ({
        state,
        count: own.filter((control) => control.state === state).length,
      }))
      const words = counts
        .filter(({ count }) => count > 0)
        .map(({ state, count }) => `${controlStateWords[state].label} ${count}`)
      return `${framework.title}: ${own.length} items. ${words.join(', ')}.`
    })
}
