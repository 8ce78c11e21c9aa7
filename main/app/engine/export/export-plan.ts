import { FAILURE_CODES, failureWords } from '../../../../schemas/failure-words.ts'
import type { ExportFramework, ExportPlan, ExportResults } from '../../../../schemas/ipc-packs.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { plain, quote } from '../../../core/base/plain-text.ts'
import { catalogFor } from '../../../core/rules/catalog.ts'
import { frameworkCounts } from '../../../present/home-results.ts'
import { partClassWords, REDACTABLE } from '../../../verify/disclosure/cuts/classes.ts'
import { DEFAULT_FRAMEWORKS } from '../../collect/run.ts'
import { type FindingSource, findingsView } from '../../evaluate/finding-views.ts'
import { withFailure } from '../../evaluate/views.ts'
import { ALSO, type Also } from '../../export/output-files.ts'
import type { EngineContext } from '../context/context.ts'
import type { RunState } from '../context/run-state.ts'
import { readSettings } from '../context/settings.ts'
import { findingSource } from '../results/presented.ts'
import { registerOf } from '../stored/register-store.ts'
import { listIdentities } from '../trust/trust-identities.ts'

/** Contents of an export of the run of this session. Nothing is sealed, and no secret is requested. */
export async function exportPlan(context: EngineContext, isShown: boolean): Promise<Outcome<ExportPlan>> {
  const { ports, catalog, folder, session } = context
  const found = await findingSource(context, 'run')
  if (!found.ok) return found
  const { value: source } = found
  const { run } = session
  if (run === null || source === null) return fail('input.refused', NO_RUN)
  if (session.going?.run === run.run) return fail('input.refused', STILL_GOING)
  const register = await registerOf(context, 'run')
  if (!register.ok) return register
  const identities = await listIdentities(context)
  if (!identities.ok) return identities
  const inForce = (entries: readonly { readonly status: string }[]): number =>
    entries.filter(({ status }) => status === 'in-force').length
  return ok({
    run: run.run,
    isShown,
    demo: session.demo,
    declared: run.assessment.nodes.length,
    missing: missingIn(run),
    captures: run.recordings.reduce((sum, { captures }) => sum + captures.length, 0),
    results: resultsOf(source),
    frameworks: catalogFor(catalog, run.scope).frameworks.map(({ id, title, proposed }) => ({
      id,
      title,
      chosen: run.scope.frameworks.includes(id),
      kind: kindOf(id, proposed, run.scope),
    })),
    also: ALSO.map((id) => ({ id, ...ALSO_WORDS[id], chosen: USUALLY.includes(id) })),
    acceptances: inForce(register.value.riskAcceptances),
    attachments: inForce(register.value.documents),
    identities: identities.value,
    organization: run.assessment.scope.engagement?.entity ?? null,
    authority: (await readSettings(ports, folder)).authority,
    redactable: REDACTABLE.map((id) => ({ id, title: partClassWords[id] })),
  })
}

function resultsOf(source: FindingSource): ExportResults {
  const { asOf, counts, deviations, deviatingNodes, rows } = findingsView(source, null)
  return {
    asOf,
    counts,
    deviations,
    deviatingNodes,
    findings: rows.map(({ reference, severity, condition, deviations: deviating, tested, refused }) => ({
      reference,
      severity,
      condition,
      deviations: deviating,
      tested,
      refused,
    })),
    frameworks: frameworkCounts(source.shown),
  }
}

function kindOf(id: string, overlay: boolean, { mappings = [] }: RunState['scope']): ExportFramework['kind'] {
  if (mappings.some((own) => own.id === id)) return 'own'
  return overlay || !DEFAULT_FRAMEWORKS.includes(id) ? 'more' : 'usual'
}

const USUALLY: readonly Also[] = ['executive', 'xlsx', 'oscal']
const ALSO_WORDS: Readonly<Record<Also, { readonly title: string; readonly note: string }>> = {
  executive: { title: 'Executive summary (one page)', note: 'Signed PDF: results and findings.' },
  annex: {
    title: 'Annexes',
    note: 'Evidence by finding, all controls, all nodes, and the evidence index, as PDF. The pack contains the same as data.',
  },
  binder: { title: 'Binder by control', note: 'Signed PDF: each control with its evidence and documents.' },
  xlsx: {
    title: 'Workbook (XLSX)',
    note: 'Sheets for findings, population, results, controls and evidence, with filters; the tests of controls as a page to copy into a document.',
  },
  oscal: {
    title: 'OSCAL (JSON)',
    note: 'Catalog, assessment plan, assessment results, and plan of action and milestones, for tools that read the NIST formats.',
  },
  hdf: { title: 'HDF (JSON)', note: 'For viewers of the Heimdall Data Format; one file per node.' },
  poam: {
    title: 'POA&M (XLSX)',
    note: 'Plan of action and milestones with the columns of the FedRAMP template: open and closed findings.',
  },
  tickets: { title: 'Tickets (CSV)', note: 'One row per finding, for the imports of Jira and ServiceNow.' },
  views: {
    title: 'Views for AI workloads and further frameworks (XLSX)',
    note: 'Carriers of AI workloads; NIST AI RMF, ISO/IEC 42001, HHS performance goals and DORA fields, each with related results. Nothing is concluded.',
  },
}

/** The choices from the plan. Fails with input.refused for anything that it does not offer. */
export function alsoNamed(wanted: readonly string[]): Outcome<readonly Also[]> {
  const strange = wanted.find((id) => !ALSO.some((one) => one === id))
  return strange === undefined
    ? ok(ALSO.filter((one) => wanted.includes(one)))
    : fail('input.refused', `${quote(strange)} is not an output format`)
}

export const NO_RUN = 'there is no run to export yet'
export const STILL_GOING = 'this run is still in progress; export it when it has ended'

/** Nodes of the population without evidence, each with the reason. */
export function missingIn({
  assessment,
  unreadable,
}: Pick<RunState, 'assessment' | 'unreadable'>): ExportPlan['missing'] {
  return assessment.nodes
    .filter(({ status }) => status === 'failed' || status === 'missing')
    .map((missing) => withFailure(missing, unreadable))
    .map(({ node, failure }) => ({
      node,
      why: failure === null ? 'Not part of this run.' : wordsOf(failure),
    }))
}

/** A failure in one line. */
export function wordsOf({ code, detail }: { readonly code: string; readonly detail: string }): string {
  const known = FAILURE_CODES.find((one) => one === code)
  const title = known === undefined ? code : failureWords[known].title
  return detail === '' ? `${title}.` : `${title}: ${plain(detail, 400)}`
}
