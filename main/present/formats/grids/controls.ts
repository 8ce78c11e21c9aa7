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
import { oneLine } from '../../../core/base/plain-text.ts'
import { decidedFor } from '../../../core/register/decisions.ts'
import { isCurrent, REQUESTS, stateOf } from '../../../core/register/documents.ts'
import { documentStatuses } from '../../../core/register/requests.ts'
import { basisOf } from '../../../core/register/versions.ts'
import type { Catalog } from '../../../core/rules/catalog.ts'
import type { Control } from '../../../core/rules/framework.ts'
import { controlIndex } from '../input.ts'
import { isObservation } from '../row-counts.ts'
import { type Grid, gridOf } from './grid.ts'

/**
 * One row per control of each framework in scope: the server part and the document part side by side, and the state for counting. Counts are
 * deviations of nodes tested, with nodes not tested separately; nothing is averaged, and counts of different frameworks are never added.
 */
export function controlsGrid(assessment: Assessment, catalog: Catalog, register: Register): Grid {
  const { asOf } = assessment
  const controlOf = controlIndex(catalog)
  const severities = new Map(catalog.severities.map(({ check, severity }) => [check, severityWords[severity]]))
  const answering = answeringIn(catalog, register, asOf)
  const now = { catalog, register, asOf, basis: basisOf(assessment) }
  const rows = assessment.controls.map((row) => ({ ...row, row, known: controlOf(row.framework, row.control) }))
  return gridOf(
    rows,
    {
      framework: [12, ({ framework }) => framework],
      control: [22, ({ control, known }) => known?.id ?? control],
      title: [40, ({ known }) => known?.title ?? ''],
      'evidence type': [14, ({ known }) => known?.evidenceType ?? ''],
      level: [14, ({ known }) => known?.level ?? ''],
      state: [24, ({ state }) => state],
      'state label': [28, ({ state }) => rowStateWords[state].label],
      'server part': [20, ({ server }) => server.state],
      'server part label': [50, ({ server }) => serverLine(server)],
      'nodes in scope': [10, ({ server }) => server.population],
      'nodes tested': [10, ({ server }) => server.tested],
      'nodes deviating': [10, ({ server }) => server.deviating],
      'nodes with all deviations risk-accepted': [12, ({ server }) => server.accepted],
      'nodes not tested': [10, ({ server }) => server.population - server.tested],
      'document part': [16, ({ documents }) => documents.state],
      'document part label': [40, ({ documents }) => documentLine(documents)],
      'documents required': [10, ({ documents }) => documents.needed],
      'documents on file': [10, ({ documents }) => documents.held],
      'outstanding documents': [80, ({ row, known }) => outstandingText(row, known, now)],
      'document deviations': [
        40,
        ({ documents }) => documents.deviations.map((one) => withTitle(catalog, one)).join(' | '),
      ],
      'results per deciding check': [
        80,
        ({ checks }) =>
          checks
            .filter(({ decides }) => decides)
            .map(resultText)
            .join(' | '),
      ],
      observations: [
        80,
        ({ checks }) =>
          checks
            .filter(isObservation)
            .map(
              (one) => `${one.check} (severity ${severities.get(one.check) ?? 'not rated'}): ${observationLine(one)}`,
            )
            .join(' | '),
      ],
      'other checks': [
        110,
        ({ checks }) =>
          checks
            .filter((one) => !one.decides && !isObservation(one))
            .map(resultText)
            .join(' | '),
      ],
      'alternative evidence': [
        40,
        ({ checks }) =>
          checks
            .filter(({ answeredByDocument }) => answeredByDocument > 0)
            .map(
              ({ check, answeredByDocument }) =>
                `${check}: ${answeredByDocument} addressed by ${answering(check).join(', ')}`,
            )
            .join(' | '),
      ],
      'not covered': [70, ({ known }) => known?.notCovered ?? ''],
      'risk acceptances per check': [40, ({ row }) => acceptedText(row)],
      decision: [60, ({ row }) => decidedFor(register, row, asOf).map(decisionText).join(' | ')],
    },
    2,
  )
}

/** The results of one check with its role, such as “a.b (required): deviations 1 of 5 tested; not tested 2”. */
export const resultText = (check: ControlCheck): string =>
  `${check.check} (${roleWords[check.role].label.toLowerCase()}): ${checkLine(check)}${
    check.source === 'server' && !check.built ? '; not in this catalog version' : ''
  }`

/** For each deciding check, how many of its deviating nodes have a risk acceptance in effect; empty where none has. */
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
