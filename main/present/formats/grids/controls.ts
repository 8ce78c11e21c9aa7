import {
  checkLine,
  documentLine,
  levelWords,
  observationLine,
  roleWords,
  rowStateWords,
  serverLine,
  severityWords,
} from '../../../../schemas/conclusion-words.ts'
import type {
  Assessment,
  ControlAssessment,
  ControlCheck,
  ControlDecision,
  Register,
  ReportingBasis,
} from '../../../../schemas/types.ts'
import { decisionWords } from '../../../../schemas/words.ts'
import type { Catalog } from '../../../core/catalog.ts'
import { isCurrent, REQUESTS, stateOf } from '../../../core/conclusion/documents.ts'
import type { Control } from '../../../core/framework.ts'
import { oneLine } from '../../../core/plain-text.ts'
import { decidedFor } from '../../../core/register/decisions.ts'
import { documentStatuses } from '../../../core/register/requests.ts'
import { basisOf } from '../../../core/register/versions.ts'
import { controlIndex } from '../input.ts'
import { isObservation } from '../row-counts.ts'
import { columns, type Grid } from './grid.ts'

const COLUMNS = columns({
  framework: 12,
  control: 22,
  title: 40,
  'evidence type': 14,
  level: 14,
  state: 24,
  'state label': 28,
  'server part': 20,
  'server part label': 50,
  'nodes in scope': 10,
  'nodes tested': 10,
  'nodes deviating': 10,
  'nodes with all deviations risk-accepted': 12,
  'nodes not tested': 10,
  'document part': 16,
  'document part label': 40,
  'documents required': 10,
  'documents on file': 10,
  'outstanding documents': 80,
  'document deviations': 40,
  'results per deciding check': 80,
  observations: 80,
  'other checks': 110,
  'alternative evidence': 40,
  'not covered': 70,
  'risk acceptances per check': 40,
  decision: 60,
})

/**
 * One row per control of each framework in scope: the server part and the document part side by side, and the state for counting. Counts are
 * deviations of nodes tested, with nodes not tested separately; nothing is averaged, and counts of different frameworks are never added.
 */
export function controlsGrid(assessment: Assessment, catalog: Catalog, register: Register): Grid {
  const { asOf } = assessment
  const controlOf = controlIndex(catalog)
  const severities = new Map(catalog.severities.map(({ check, severity }) => [check, severityWords[severity]]))
  const answering = answeringIn(catalog, register, asOf)
  const rows = assessment.controls.map((row) => {
    const { server, documents, checks } = row
    const control = controlOf(row.framework, row.control)
    const observed = checks.filter(isObservation)
    return [
      row.framework,
      control?.id ?? row.control,
      control?.title ?? '',
      control?.evidenceType ?? '',
      control?.level ?? '',
      row.state,
      rowStateWords[row.state].label,
      server.state,
      serverLine(server),
      server.population,
      server.tested,
      server.deviating,
      server.accepted,
      server.population - server.tested,
      documents.state,
      documentLine(documents),
      documents.needed,
      documents.held,
      outstandingText(row, control, { catalog, register, asOf, basis: basisOf(assessment) }),
      documents.deviations.map((one) => withTitle(catalog, one)).join(' | '),
      checks
        .filter(({ decides }) => decides)
        .map(resultText)
        .join(' | '),
      observed
        .map((one) => `${one.check} (severity ${severities.get(one.check) ?? 'not rated'}): ${observationLine(one)}`)
        .join(' | '),
      checks
        .filter((one) => !one.decides && !isObservation(one))
        .map(resultText)
        .join(' | '),
      checks
        .filter(({ answeredByDocument }) => answeredByDocument > 0)
        .map(
          ({ check, answeredByDocument }) =>
            `${check}: ${answeredByDocument} addressed by ${answering(check).join(', ')}`,
        )
        .join(' | '),
      control?.notCovered ?? '',
      acceptedText(row),
      decidedFor(register, row, asOf).map(decisionText).join(' | '),
    ]
  })
  return { columns: COLUMNS, keys: 2, rows }
}

/** The results of one check with its role, such as “a.b (required): deviations 1 of 5 tested; not tested 2”. */
export const resultText = (check: ControlCheck): string =>
  `${check.check} (${roleWords[check.role].label.toLowerCase()}): ${checkLine(check)}${
    check.source === 'server' && !check.built ? '; not in this catalog version' : ''
  }`

/** Of the deviating nodes of each deciding check, how many have a risk acceptance in effect; empty where none has. */
const acceptedText = ({ checks }: ControlAssessment): string =>
  checks
    .filter(({ accepted }) => accepted > 0)
    .map(
      ({ check, accepted, notSatisfied }) =>
        `${check}: risk accepted on ${accepted} of ${notSatisfied} nodes with deviations`,
    )
    .join(' | ')

interface RegisterNow {
  readonly catalog: Catalog
  readonly register: Register
  readonly asOf: string
  readonly basis: ReportingBasis | null
}

/** Each outstanding document with its level, owner and due date. */
function outstandingText(
  { framework, documents: { outstanding } }: ControlAssessment,
  control: Control | undefined,
  { catalog, register, asOf, basis }: RegisterNow,
): string {
  if (outstanding.length === 0) return ''
  const statuses = control === undefined ? [] : documentStatuses(catalog, register, { framework, control }, asOf, basis)
  return outstanding
    .map(({ request, title, level }) => {
      const status = statuses.find(({ document }) => (document.request?.id ?? document.title) === (request ?? title))
      const asked = status?.request ?? null
      const due = asked === null ? '' : `due ${asked.due.slice(0, 10)}`
      return [
        `${request === null ? '' : `${request} `}${oneLine(title)} (${level === null ? 'nothing on file' : levelWords[level].label.toLowerCase()}`,
        asked === null
          ? 'not requested'
          : `${status?.overdue === true ? 'overdue: ' : ''}${oneLine(asked.owner)}, ${due}`,
      ].join('; ')
    })
    .map((text) => `${text})`)
    .join(' | ')
}

/** An evidence request as ID and title; another need unchanged. */
function withTitle({ requests }: Pick<Catalog, 'requests'>, idOrNeed: string): string {
  const request = requests.find(({ id }) => id === idOrNeed)
  return request === undefined ? oneLine(idOrNeed) : `${request.id} ${request.title}`
}

/** Evidence requests with a supporting document that addresses the result of a check. */
function answeringIn(
  { requests }: Pick<Catalog, 'requests'>,
  { documents }: Register,
  asOf: string,
): (check: string) => readonly string[] {
  const to = (id: string) =>
    documents.filter(({ controls }) =>
      controls.some(({ framework, control }) => framework === REQUESTS && control === id),
    )
  const found = new Map<string, string[]>()
  for (const { id, minimum, mayAnswer } of requests) {
    if (mayAnswer.length === 0) continue
    const entries = to(id)
    if (stateOf(entries, minimum, asOf).conclusion !== 'supports') continue
    const named = new Set(
      entries.filter((entry) => isCurrent(entry, asOf)).flatMap(({ answers }) => answers?.checks ?? []),
    )
    for (const { check } of mayAnswer) if (named.has(check)) found.set(check, [...(found.get(check) ?? []), id])
  }
  return (check) => found.get(check) ?? []
}

const decisionText = (one: ControlDecision): string =>
  `${decisionWords[one.decision]}, until ${one.expiresAt.slice(0, 10)}, approved by ${oneLine(one.approvedBy)} (${oneLine(one.approverRole)})`
