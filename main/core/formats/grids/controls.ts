import type { Assessment, ControlAssessment, Decision, Register } from '../../../../schemas/types.ts'
import { controlStateWords, decisionWords } from '../../../../schemas/words.ts'
import type { Catalog } from '../../catalog.ts'
import { oneLine } from '../../plain-text.ts'
import { decidedFor } from '../../register/decisions.ts'
import { recordsOf } from '../../register/requests.ts'
import { controlIndex } from '../input.ts'
import { columns, type Grid } from './grid.ts'

const COLUMNS = columns({
  framework: 12,
  control: 22,
  title: 40,
  class: 14,
  state: 26,
  'in words': 30,
  'node part': 24,
  'supported nodes per check': 60,
  'what it does not show': 50,
  'records outstanding': 50,
  level: 14,
  'accepted exceptions per check': 40,
  'records needed': 14,
  'records held': 14,
  'outstanding with owner and due date': 60,
  decision: 60,
})

/** One row per control of each framework in scope. Counts are n of N over the declared nodes; nothing is averaged. */
export function controlsGrid(assessment: Assessment, catalog: Catalog, register: Register): Grid {
  const beyond = new Set(catalog.notFromNodes.map(({ id }) => id))
  const controlOf = controlIndex(catalog)
  const rows = assessment.controls.map((state) => {
    const control = controlOf(state.framework, state.control)
    const counts = state.checks.map(({ check, built, met, population }) =>
      built
        ? `${check}: ${met} of ${population}`
        : `${check}: ${beyond.has(check) ? 'nodes cannot bear it' : 'no check yet'}`,
    )
    return [
      state.framework,
      control?.id ?? state.control,
      control?.title ?? '',
      control?.evidenceClass ?? '',
      state.state,
      controlStateWords[state.state].label,
      state.nodePart ?? 'none',
      counts.join(' | '),
      control?.notShown ?? '',
      state.outstanding.join(' | '),
      control?.level ?? '',
      exceptedText(state),
      state.records.needed,
      state.records.held,
      outstandingText(register, state, assessment.asOf),
      decidedFor(register, state, assessment.asOf).map(decisionText).join(' | '),
    ]
  })
  return { columns: COLUMNS, rows }
}

/** Of the contradicted nodes of each check, how many somebody accepts; empty where nobody does. */
const exceptedText = ({ checks }: ControlAssessment): string =>
  checks
    .filter(({ excepted }) => excepted > 0)
    .map(({ check, excepted, notMet }) => `${check}: ${excepted} of ${notMet} contradicted`)
    .join(' | ')

function outstandingText(
  register: Register,
  { framework, control, outstanding }: ControlAssessment,
  asOf: string,
): string {
  return recordsOf(register, { framework, control, needs: outstanding }, asOf)
    .map(({ need, request, overdue }) =>
      request === null
        ? `${need} (nobody is asked for it)`
        : `${need} (${overdue ? 'overdue: ' : ''}${oneLine(request.owner)}, due ${request.due.slice(0, 10)})`,
    )
    .join(' | ')
}

const decisionText = (one: Decision): string =>
  `${decisionWords[one.decision]}, until ${one.expiresAt.slice(0, 10)}, approved by ${oneLine(one.approvedBy)} (${oneLine(one.approverRole)})`
