import type {
  AssessmentView,
  CatalogView,
  CheckView,
  ControlDocumentView,
  ControlRow,
  ControlView,
  Counted,
  EvidenceRequestView,
  FrameworkView,
  MovedLimitView,
  NodeRow,
  OffNodeCheckView,
} from '../../../schemas/ipc-results.ts'
import type { FleetNodeView, FleetView, RunPreview, Source } from '../../../schemas/ipc-views.ts'
import type {
  Assessment,
  ControlAssessment,
  DeclaredNode,
  Fleet,
  FleetNode,
  NodeAssessment,
  Register,
} from '../../../schemas/types.ts'
import { VERDICTS, type Verdict, verdictLetters } from '../../../schemas/words.ts'
import type { Failure } from '../../core/base/failure.ts'
import { DEFAULT_TIMEOUT_SECONDS } from '../../core/collector/plan.ts'
import { countedCheck, joined, type PropertyCell, type Tally, tally } from '../../core/conclusion/tally.ts'
import { type AskedFor, argvOf, type Command, isAskedFor } from '../../core/recording/probe.ts'
import { sameMachineText } from '../../core/recording/same-machine.ts'
import { type Acceptances, acceptancesOf } from '../../core/register/register.ts'
import { type DocumentStatus, documentStatuses } from '../../core/register/requests.ts'
import { basisOf } from '../../core/register/versions.ts'
import { type Catalog, catalogDigest, catalogFor } from '../../core/rules/catalog.ts'
import type { Control } from '../../core/rules/framework.ts'
import { thresholdValues } from '../../core/rules/profile.ts'
import type { EvidenceRequest } from '../../core/rules/requests.ts'
import { partsTable } from '../../present/formats/row-counts.ts'
import { DEFAULT_FRAMEWORKS } from '../collect/run.ts'

/** Plain data for the window, created from the engine's values. Nothing is decided here. */

/** Input of a view of an assessment. */
export interface ViewSource {
  readonly of: Source
  readonly run: string
  readonly assessment: Assessment
  readonly recordings: readonly { readonly recording: { readonly node: DeclaredNode } }[]
  /** Documents, risk acceptances and decisions, whether or not the assessment counts them. */
  readonly register: Register
  /** Stored recordings that could not be read: shown for a missing node. */
  readonly unreadable: readonly Failure[]
}

export function assessmentView(ours: Catalog, source: ViewSource): AssessmentView {
  const { of, run, assessment } = source
  const catalog = catalogFor(ours, assessment.scope)
  const checks = checkViews(catalog)
  const acceptances = acceptancesOf(source.register.riskAcceptances, assessment.asOf)
  const places = new Map(source.recordings.map(({ recording: { node } }) => [node.name, node.location?.name ?? null]))
  const found = tally(assessment, catalog.checks)
  return {
    of,
    run,
    asOf: assessment.asOf,
    engine: assessment.engine,
    catalog: assessment.catalog,
    scope: assessment.scope,
    demo: assessment.demo,
    checks,
    properties: found.properties,
    rows: assessment.nodes.map((node) => ({
      ...nodeRow(withFailure(node, source.unreadable), found, acceptances),
      verdicts: checks.map(({ id }) => verdictLetters[found.verdict(node.node, id)]).join(''),
      place: places.get(node.node) ?? null,
    })),
    checksCounted: checks.map(({ id }) => countedIn(found.overNodes(id))),
    fromSecondRun: COMPARING.filter(
      (id) =>
        checks.some((check) => check.id === id) &&
        source.recordings.every(({ recording: { node } }) => (node.hardware ?? []).length === 0),
    ),
    frameworks: frameworkViews(catalog, assessment, source.register),
    requests: catalog.requests.map(requestView),
    offNodeChecks: notFromNodesView(catalog),
    moved: movedLimits(catalog, assessment),
    sameMachines: (assessment.shared?.machines ?? []).map((machine) => ({
      nodes: machine.nodes,
      text: sameMachineText(machine),
    })),
  }
}

function movedLimits({ thresholds }: Catalog, { scope }: Assessment): readonly MovedLimitView[] {
  const all = [...thresholdValues(thresholds, scope.profile).values()].flatMap((limit): readonly MovedLimitView[] => {
    const { threshold, moved, shown, shownBefore, source } = limit
    return moved === 'not'
      ? []
      : [{ threshold: threshold.id, title: threshold.title, shown, shownBefore, moved, reason: source }]
  })
  return [...all.filter(({ moved }) => moved === 'looser'), ...all.filter(({ moved }) => moved === 'stricter')]
}

/** A node's assessment; for a node whose recording could not be read, with that failure. */
export function withFailure(node: NodeAssessment, unreadable: readonly Failure[]): NodeAssessment {
  const failure = node.status === 'missing' ? unreadable.find((one) => one.node === node.node) : undefined
  return failure === undefined ? node : { ...node, failure: { code: failure.code, detail: failure.detail } }
}

function nodeRow(
  node: NodeAssessment,
  { properties, cell }: Pick<Tally, 'properties' | 'cell'>,
  { inForce, ended }: Acceptances,
): Omit<NodeRow, 'place' | 'verdicts'> {
  const { status, failure, privilege, observedAt, ageDays, stale, isolation } = node
  const cells = properties.map((property) => cell(node.node, property))
  const open = node.results.filter(({ verdict }) => OPEN.includes(verdict)).map(({ check }) => check)
  return {
    node: node.node,
    status,
    failure,
    privilege,
    observedAt,
    ageDays,
    stale,
    environment: isolation?.environment ?? null,
    platform: isolation?.platform ?? null,
    concealed: isolation?.concealed ?? false,
    worst: cells.map(({ worst }) => verdictLetters[worst]).join(''),
    counted: cells.map(countedIn),
    accepted: open.flatMap((check) => {
      const exception = inForce(node.node, check)
      return exception === null ? [] : [{ check, until: exception.expiresAt, owner: exception.owner }]
    }),
    expired: open.filter((check) => ended(node.node, check) !== null),
  }
}

/** Counts, as short as thousands of cells need them. */
export const countedIn = ({ counts, decidable, total }: PropertyCell): Counted => [
  ...VERDICTS.map((verdict) => counts[verdict]),
  decidable,
  total,
]

/** Checks of parts that an earlier collection pinned. */
const COMPARING: readonly string[] = ['lifecycle.disk-swap-detection']

/** Results that can be accepted. */
const OPEN: readonly Verdict[] = ['not-satisfied', 'inconclusive', 'not-tested']

export const catalogView = (catalog: Catalog): CatalogView => ({
  version: catalog.version,
  digest: catalogDigest(catalog),
  checks: checkViews(catalog),
  probes: catalog.probes.map(({ id, title, why }) => ({ id, title, why })),
  signals: catalog.signals.map(({ probes: _, ...note }) => note),
})

function checkViews(catalog: Catalog): readonly CheckView[] {
  const severities = new Map(catalog.severities.map(({ check, severity }) => [check, severity]))
  return catalog.checks.map(({ id, property, expected, limitations, requires, optional }) => ({
    id,
    property,
    severity: severities.get(id) ?? 'info',
    expected,
    limitations,
    requires: Object.values(requires).map((probe) => probe.id),
    optional: Object.values(optional ?? {}).map((probe) => probe.id),
  }))
}

/** The frameworks in scope, with the conclusion of the run on each of their controls. */
function frameworkViews(catalog: Catalog, assessment: Assessment, register: Register): readonly FrameworkView[] {
  const { scope, controls, asOf } = assessment
  const assessed = new Map(controls.map((one) => [`${one.framework} ${one.control}`, one]))
  const built = new Set(catalog.checks.map(({ id }) => id))
  const isPeriod = scope.engagement?.reportingBasis.kind === 'period'
  return catalog.frameworks
    .filter(({ id }) => scope.frameworks.includes(id))
    .map(({ id, title, version, status, proposed, controls: rows }) => ({
      id,
      title,
      version,
      status,
      proposed,
      parts: partsTable(controls.filter(({ framework }) => framework === id)),
      controls: rows.map((control) => {
        const concluded = assessed.get(`${id} ${control.key}`)
        const statuses = documentStatuses(catalog, register, { framework: id, control }, asOf, basisOf(assessment))
          // At a point in time the run chain needs to show nothing, and no document replaces it.
          .filter(({ document }) => document.request?.heldBy !== 'chain' || isPeriod)
        return {
          ...controlView(built, control),
          ...conclusionOf(concluded),
          documents:
            concluded?.state === 'out-of-scope'
              ? []
              : statuses.map((status) => documentView(status, concluded ?? null)),
        }
      }),
    }))
}

function conclusionOf(concluded: ControlAssessment | undefined): Pick<ControlRow, 'assessed' | 'counted'> {
  if (concluded === undefined) return { assessed: null, counted: null }
  const { framework: _, control: __, ...assessed } = concluded
  return { assessed, counted: countedIn(joined(assessed.checks.map(countedCheck))) }
}

function controlView(built: ReadonlySet<string>, control: Control): ControlView {
  const { key, id, title, summary, level, group, mappings, notCovered, responsibility } = control
  const about = { key, id, title, summary, level, group, notCovered, responsibility }
  return {
    ...about,
    category: control.category ?? null,
    scope: control.scope ?? 'all',
    mappings: mappings.map(({ check, shows, role = 'required', why = null }) => ({
      check,
      shows: why !== null && built.has(check) ? null : shows,
      role,
      why,
    })),
  }
}

const notFromNodesView = ({ requests, offNodeChecks }: Catalog): AssessmentView['offNodeChecks'] =>
  offNodeChecks.map(({ id, source, why }) => ({ id, source, why, request: answeredBy(requests, id) }))

function answeredBy(requests: Catalog['requests'], check: string): OffNodeCheckView['request'] {
  const found = requests.find(({ serves }) => serves.includes(check))
  return found === undefined ? null : { id: found.id, title: found.title }
}

const requestView = ({ id, title, inspects, owner, minimum, mayAnswer }: EvidenceRequest): EvidenceRequestView => ({
  id,
  title,
  inspects,
  owner,
  minimum,
  mayAnswer,
})

/** One document of a control. Its state is the one in the assessment, and is not concluded again. */
function documentView(
  { document, attached, level, conclusion, request: asked, overdue }: DocumentStatus,
  assessed: ControlAssessment | null,
): ControlDocumentView {
  const { request, title, needs, checks, mandatory } = document
  const heldBy = request?.heldBy ?? 'document'
  const state = documentState(document, conclusion === 'supports', assessed)
  return {
    request: request === null ? null : { id: request.id, minimum: request.minimum },
    title,
    needs,
    checks,
    mandatory,
    level,
    state,
    heldElsewhere: state === 'held' && conclusion !== 'supports' && heldBy !== 'document' ? heldBy : null,
    attached: attached.map(({ id }) => id),
    askedOf: asked === null ? null : { owner: asked.owner, due: asked.due, overdue },
  }
}

function documentState(
  { request, title, mandatory }: DocumentStatus['document'],
  isSupporting: boolean,
  assessed: ControlAssessment | null,
): ControlDocumentView['state'] {
  const waiting = mandatory ? 'outstanding' : 'optional'
  if (assessed === null) return waiting
  const { deviations, outstanding } = assessed.documents
  if (deviations.includes(request?.id ?? title)) return 'deviation'
  if (outstanding.some((one) => (request === null ? one.title === title : one.request === request.id)))
    return 'outstanding'
  return mandatory || isSupporting ? 'held' : 'optional'
}

/**
 * Every command of a run from the window, with its purpose, for the owner of a server to approve beforehand. No live
 * tests.
 */
export const runPreview = (catalog: Catalog, nodes: readonly string[], asked: AskedFor): RunPreview => ({
  nodes,
  questions: catalog.probes
    .filter((probe) => isAskedFor(probe, asked))
    .map(({ id, title, why, leaves = [], commands }) => ({
      probe: id,
      title,
      why,
      leaves,
      lines: Object.entries(commands).map(([name, command]) => commandLine(name, command)),
    })),
})

function commandLine(name: string, command: Command): RunPreview['questions'][number]['lines'][number] {
  if (command.kind === 'measure')
    return { name, argv: [], by: 'this-computer', timeoutSeconds: DEFAULT_TIMEOUT_SECONDS }
  return {
    name,
    argv: argvOf(command),
    by: command.as,
    timeoutSeconds: command.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS,
  }
}

export function fleetView(fleet: Fleet, demo: boolean): FleetView {
  const { name, frameworks = DEFAULT_FRAMEWORKS, nodes } = fleet
  return { name, demo, frameworks, nodes: nodes.filter(({ jumpOnly }) => jumpOnly !== true).map(fleetNodeView) }
}

export const fleetNodeView = (node: FleetNode): FleetNodeView => ({
  name: node.name,
  address: node.address,
  port: node.port ?? 22,
  user: node.user ?? '',
  sudo: node.sudo ?? false,
  jump: node.jump ?? [],
  place: node.location?.name ?? null,
  role: node.role ?? null,
})
