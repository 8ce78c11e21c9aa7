import { countedIn } from '../../main/app/views.ts'
import { summarize } from '../../main/core/tally.ts'
import { type Tally, tallyIn, verdictAt } from '../../renderer/model.ts'
import type { AssessmentView, CheckView, NodeRow } from '../../schemas/ipc-results.ts'
import { PROPERTIES, type Property, type Verdict, verdictLetters } from '../../schemas/words.ts'

export const check = (id: string, property: Property): CheckView => ({
  id,
  property,
  claim: `claim ${id}`,
  limits: '',
  needs: ['p1', 'p2'],
  wants: [],
})

/** A row that answered, with these verdicts in the order of the checks; view() counts them. */
export const row = (node: string, verdicts: readonly Verdict[], part: Partial<NodeRow> = {}): NodeRow => ({
  node,
  status: 'complete',
  failure: null,
  privilege: 'sudo',
  observedAt: '2026-05-14T09:12:00Z',
  ageDays: 0,
  stale: false,
  layer: 'metal',
  platform: null,
  concealed: false,
  place: null,
  verdicts: verdicts.map((verdict) => verdictLetters[verdict]).join(''),
  worst: '',
  counted: [],
  accepted: [],
  expired: [],
  ...part,
})

/** Verdicts as the engine counts them and the window reads them. */
export const tallyOf = (verdicts: readonly Verdict[]): Tally => tallyIn(countedIn(summarize(verdicts)))

export function view(checks: readonly CheckView[], rows: readonly NodeRow[]): AssessmentView {
  const properties = PROPERTIES.filter((property) => checks.some((one) => one.property === property))
  const cells = rows.map((own) =>
    properties.map((property) =>
      summarize(checks.flatMap((one, at) => (one.property === property ? [verdictAt(own, at)] : []))),
    ),
  )
  return {
    of: 'run',
    run: 'r1',
    asOf: '2026-05-14T10:00:00Z',
    engine: 'barewitness 0.4.0',
    catalog: { version: '1.0.0', digest: '', module: '' } as never,
    scope: { fleet: 'made-up' } as never,
    demo: false,
    checks,
    properties,
    rows: rows.map((own, at) => ({
      ...own,
      worst: (cells[at] ?? []).map(({ worst }) => verdictLetters[worst]).join(''),
      counted: (cells[at] ?? []).map(countedIn),
    })),
    checksCounted: checks.map((_, at) => countedIn(summarize(rows.map((own) => verdictAt(own, at))))),
    nodesCounted: properties.map((_, at) => countedIn(summarize(cells.map((own) => own[at]?.worst ?? 'not-tested')))),
    frameworks: [],
    moved: [],
    sameMachines: [],
  }
}
