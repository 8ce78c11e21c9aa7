import { countedIn } from '../../main/app/evaluate/views.ts'
import { summarize } from '../../main/core/conclusion/tally.ts'
import { type Tally, tallyIn, verdictAt } from '../../renderer/models/model.ts'
import type { RowState } from '../../schemas/conclusion-words.ts'
import type {
  AssessmentView,
  CheckView,
  ControlDocumentView,
  ControlRow,
  EvidenceRequestView,
  NodeRow,
} from '../../schemas/ipc-results.ts'
import type { ControlCheck } from '../../schemas/types.ts'
import { PROPERTIES, type Property, type Verdict, verdictLetters } from '../../schemas/words.ts'
import { NO_RESULTS } from '../support/rollup-kit.ts'

export const check = (id: string, property: Property, level: CheckView['severity'] = 'medium'): CheckView => ({
  id,
  property,
  severity: level,
  expected: `claim ${id}`,
  limitations: '',
  requires: ['p1', 'p2'],
  optional: [],
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
  environment: 'bare-metal',
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
    fromSecondRun: [],
    frameworks: [],
    requests: [],
    offNodeChecks: [],
    moved: [],
    sameMachines: [],
  }
}

/** An evidence request of the catalog. */
export const requestOf = (id: string, part: Partial<EvidenceRequestView> = {}): EvidenceRequestView => ({
  id,
  title: `Title of ${id}`,
  inspects: 'Scope, date and approval.',
  owner: 'customer security officer',
  minimum: 'inspected',
  mayAnswer: [],
  ...part,
})

/** A required document of a control that nothing is attached to. */
export const documentOf = (id: string, part: Partial<ControlDocumentView> = {}): ControlDocumentView => ({
  request: { id, minimum: 'inspected' },
  title: `Title of ${id}`,
  needs: ['Policy'],
  checks: [],
  mandatory: true,
  level: null,
  state: 'outstanding',
  heldElsewhere: null,
  attached: [],
  askedOf: null,
  ...part,
})

/** The counts of a required check on four nodes, without a result. */
export const countOf = (check: string, part: Partial<ControlCheck> = {}): ControlCheck => ({
  check,
  role: 'required',
  decides: true,
  source: 'server',
  built: true,
  population: 4,
  tested: 4,
  ...NO_RESULTS,
  ...part,
})

/** What the assessment concludes on a control: no deviations on four nodes, and one document inspected. */
export const concludedOf = (
  state: RowState,
  part: Partial<NonNullable<ControlRow['assessed']>> = {},
): NonNullable<ControlRow['assessed']> => ({
  state,
  server: { state: 'no-deviations', population: 4, tested: 4, deviating: 0, accepted: 0, notRetested: 0 },
  documents: { state: 'inspected', needed: 1, held: 1, outstanding: [], deviations: [] },
  checks: [],
  rationale: null,
  ...part,
})

/** A row of a framework; null: this run has no conclusion on it. */
export const controlOf = (id: string, state: RowState | null, part: Partial<ControlRow> = {}): ControlRow => ({
  key: `hipaa:${id}`,
  id,
  title: `Title of ${id}`,
  summary: 'Encrypt what is sent.',
  level: 'required',
  group: '164.312',
  category: null,
  scope: 'all',
  mappings: [{ check: 'encryption.in-transit.ssh-algorithms', shows: '', role: 'required', why: 'It decides.' }],
  notCovered: 'Everything else.',
  responsibility: [],
  documents: [],
  assessed: state === null ? null : concludedOf(state),
  counted: null,
  ...part,
})
