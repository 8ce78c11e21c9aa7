import { engagementState } from '../../../../schemas/engagement-words.ts'
import type { Input, Reply } from '../../../../schemas/ipc.ts'
import type { ExportDraft, PreflightItem } from '../../../../schemas/ipc-packs.ts'
import type { Assessment } from '../../../../schemas/types.ts'
import type { Ports } from '../../../core/all-ports.ts'
import { hexOf } from '../../../core/base/digest.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { chainFolderOf, draftName, handOutName, packIn, packNameOf, shelfPath } from '../../../core/base/layout.ts'
import { plain } from '../../../core/base/plain-text.ts'
import type { KeptRun } from '../../../core/history/history.ts'
import { inMemory } from '../../../core/recording/recording.ts'
import type { Catalog } from '../../../core/rules/catalog.ts'
import { INDEX_PATH } from '../../../verify/disclosure/cuts/parts.ts'
import type { DisclosedCopy } from '../../../verify/disclosure/disclose.ts'
import type { DisclosureNotes } from '../../../verify/disclosure/notes.ts'
import { withPack } from '../../common/pack-shelf.ts'
import { discloseCopy } from '../../export/excerpt.ts'
import { exportRun } from '../../export/export.ts'
import { preflightOf } from '../../export/preflight.ts'
import type { Exported, ExportInput } from '../../export/report-input.ts'
import { keepRun } from '../../history/rebuild-history.ts'
import { type EngineContext, methods } from '../context/context.ts'
import { inTurn, nothingOf, turnOf } from '../context/kept-json.ts'
import { readSettings } from '../context/settings.ts'
import { viewSource } from '../results/assessment-methods.ts'
import { presented } from '../results/presented.ts'
import { openPack } from '../review/review-pack.ts'
import { readNote } from '../runs/run-notes.ts'
import type { ReadRun } from '../runs/stored-runs.ts'
import { declaredForExport, readDraft, shelfShown, withDeclared } from '../stored/engagement-store.ts'
import { databasesForExport, sitesForExport } from '../stored/location-store.ts'
import { registerForExport } from '../stored/register-store.ts'
import { listIdentities, signingKey } from '../trust/trust-identities.ts'
import {
  type Draft,
  discardDraft,
  filesOf,
  saveDraft,
  signerWords,
  stampingOf,
  storedNotes,
  timeNotes,
} from './export-drafts.ts'
import { alsoNamed, exportPlan, missingIn, NO_RUN, STILL_GOING } from './export-plan.ts'
import { evaluatedRuns, runToSeal } from './export-runs.ts'
import { buildPeriodDraft, periodPlan } from './period-draft.ts'

/**
 * Methods that seal a run, or the runs of a period, and save the pack in a chosen folder. Drafts are known until the
 * program ends; their files are kept.
 */
export function exportMethods(context: EngineContext) {
  const { ports } = context
  const drafts = new Map<string, Draft>()
  const turn = inTurn()
  const evaluated = evaluatedRuns(context)
  const withDraft = <T>(handle: string, work: (draft: Draft) => Promise<Outcome<T>>): Promise<Reply<T>> =>
    turn(async () => {
      const draft = drafts.get(handle)
      return draft === undefined
        ? fail('input.refused', 'this export is no longer available; start a new one')
        : await work(draft)
    })
  const built = (build: () => Promise<Outcome<Draft>>): Promise<Reply<ExportDraft>> =>
    turn(async () => {
      const draft = await build()
      if (!draft.ok) return draft
      drafts.set(draft.value.view.handle, draft.value)
      return ok(draft.value.view)
    })
  return methods({
    'export.plan': (wanted) =>
      turn(async () => {
        const of = await evaluated.contextOf(wanted?.run ?? null, 'plan')
        return of.ok ? await exportPlan(of.value, of.value === context) : of
      }),
    'export.preflight': (wanted) =>
      turn(async () => {
        const of = await evaluated.contextOf(wanted?.run ?? null, 'preflight')
        return of.ok ? await exportPreflight(of.value) : of
      }),
    'export.build': (wanted) =>
      built(async () => {
        evaluated.forget()
        const run = await runToSeal(context, wanted.run ?? null)
        return run.ok ? await buildDraft(context, run.value, wanted) : run
      }),
    'period.plan': () => turn(() => periodPlan(context)),
    'period.build': (wanted) => built(() => buildPeriodDraft(context, wanted)),
    'export.review': ({ handle }) =>
      withDraft(handle, ({ opens }) =>
        turnOf(context, 'pack')(() => openPack(context, { path: opens, draft: true, imported: null })),
      ),
    'export.save': async ({ handle }, chosen) =>
      chosen === undefined ? ok(null) : await withDraft(handle, (draft) => saveDraft(ports, draft, chosen.path)),
    'export.discard': ({ handle }) =>
      withDraft(handle, async (draft) => {
        const gone = await discardDraft(context, draft)
        if (gone.ok) drafts.delete(handle)
        return gone
      }),
  })
}

/**
 * Open points before the run of this session is exported. Fails with input.refused without a run, and as reading its
 * parts does.
 */
async function exportPreflight(context: EngineContext): Promise<Outcome<readonly PreflightItem[]>> {
  const { ports, folder } = context
  const found = await viewSource(context, 'run')
  if (!found.ok) return found
  const { value: source } = found
  const { run, fleet, going } = context.session
  if (source === null || run === null) return fail('input.refused', NO_RUN)
  if (going?.run === run.run) return fail('input.refused', STILL_GOING)
  const identities = await listIdentities(context)
  if (!identities.ok) return identities
  const draft = await readDraft(shelfShown(context))
  if (!draft.ok) return draft
  const { assessment, register } = source
  const { recordings } = run
  const declared = [...(fleet?.nodes ?? []), ...recordings.map(({ recording: { node } }) => node)]
  return ok(
    preflightOf({
      assessment,
      shown: presented(context, { assessment, register, recordings }),
      register,
      placed: new Set(declared.flatMap(({ name, location }) => (location === undefined ? [] : [name]))),
      engagement: engagementState(assessment.scope.engagement ?? null, draft.value !== null),
      signing: context.signing,
      identities: identities.value.length,
      authority: (await readSettings(ports, folder)).authority,
    }),
  )
}

type Wanted = Input<'export.build'>
type Redaction = NonNullable<Wanted['redact']>
type Common = Omit<ExportInput, 'signer' | 'stamping' | 'folder' | 'chainFolder'>

const NOT_KEPT = 'The run is sealed but could not be added to the history on this computer. The pack is complete.'

/**
 * Seals report and pack of a run into a new folder. Everything that can be refused is checked before a key is
 * opened or the run chain is written.
 */
async function buildDraft(current: EngineContext, run: ReadRun, wanted: Wanted): Promise<Outcome<Draft>> {
  // The fleet may change during the export; register and key remain those of the request.
  const context: EngineContext = { ...current, session: { ...current.session } }
  const { ports, catalog, session } = context
  const { demo } = session
  if (session.going?.run === run.run) return fail('input.refused', STILL_GOING)
  const stamping = wanted.timestamp ? await stampingOf(context) : ok(null)
  if (!stamping.ok) return stamping
  const also = alsoNamed(wanted.also)
  if (!also.ok) return also
  const handle = hexOf(ports.entropy.bytes(16))
  const folder = `${context.folder}/${draftName(handle)}`
  const people = await registerForExport(context)
  if (!people.ok) return people
  const shelf = { ...shelfShown(context), fleet: session.fleet }
  const declared = await declaredForExport(shelf)
  if (!declared.ok) return declared
  const sites = await sitesForExport(shelf, run.scope)
  if (!sites.ok) return sites
  const databases = await databasesForExport(shelf, run.scope)
  if (!databases.ok) return databases
  const planned = demo ? null : ((await readNote(ports, context.folder, run.run))?.planned ?? null)
  const common: Common = {
    run: run.run,
    planned,
    scope: { ...withDeclared(run.scope, declared.value), frameworks: [...wanted.frameworks] },
    recordings: run.recordings.map(inMemory),
    asOf: ports.clock.now(),
    inventory: declared.value.inventory,
    sites: sites.value,
    also: also.value,
    ...people.value,
  }
  const tried = wanted.redact === null ? ok(null) : await tryCopy(context, common, folder, wanted.redact)
  if (!tried.ok) return tried
  const scheduled = planned === null ? '' : `, the run of schedule ${planned.schedule} due at ${planned.due}`
  const purpose = `Export of run ${run.run} of ${run.scope.fleet}${scheduled}, evaluated as of ${common.asOf}`
  const signer = demo
    ? ok(null)
    : await turnOf(context, 'identities')(() => signingKey(context, wanted.identity, purpose))
  if (!signer.ok) return signer
  const key = signer.value?.value ?? (await ports.sealing.demoSigner())
  const chainFolder = demo ? null : chainFolderOf(context.folder, run.scope.fleet)
  const sealed = { ...common, signer: key, stamping: stamping.value, folder, chainFolder }
  const exported = await exportRun(ports, catalog, sealed)
  if (!exported.ok) return exported
  const kept = await keepRun(ports, shelfPath(context.folder, demo), keptRunOf(exported.value, draftName(handle)))
  const handOut = wanted.redact === null ? ok(null) : await handOutOf(context, folder, run.run, wanted.redact)
  if (!handOut.ok) return handOut
  const files = filesOf(exported.value.files)
  const view: ExportDraft = {
    handle,
    files: handOut.value === null ? files : [...files, handOut.value.file],
    signer: signerWords(key),
    notes: [
      ...(kept.ok ? [] : [NOT_KEPT]),
      ...(demo ? ['Demo data, sealed by a demo key that can never be trusted.'] : []),
      ...missingNotes(exported.value.assessment, run),
      ...timeNotes({ ...exported.value, authority: stamping.value?.url ?? null, onServer: context.keepsSealed }),
      ...(wanted.redact === null || handOut.value === null ? [] : handOutNotes(wanted.redact, handOut.value)),
      ...storedNotes({ kept: signer.value?.kept ?? null, chained: !demo, keepsSealed: context.keepsSealed }),
    ],
    notDerivable: (handOut.value?.underivable.verdicts ?? []).map(({ node, check }) => ({
      node,
      check,
      why: 'Parts of its evidence are redacted.',
    })),
  }
  const opens = `${folder}/${handOut.value?.file.name ?? packNameOf(run.run)}`
  return ok({ folder, view, opens, chained: chainFolder !== null, saved: false })
}

/** The trace of a sealed run, for the history; `folder` of its files, from the application folder. */
function keptRunOf({ trace, tagManifest, signer, files }: Exported, folder: string): KeptRun {
  return { trace, sealed: { tagManifest, signer, pack: `${folder}/${files[0]?.name ?? ''}`, at: trace.asOf } }
}

function missingNotes(assessment: Assessment, { unreadable }: ReadRun): readonly string[] {
  const missing = missingIn({ assessment, unreadable }).length
  return missing === 0
    ? []
    : [`${missing} of ${assessment.nodes.length} nodes in the population have no evidence in this run.`]
}

/**
 * Creates the copy once from a pack under a demo key, and discards both: a name that cannot be redacted everywhere is
 * found before anything is sealed.
 */
async function tryCopy(
  { ports, catalog }: EngineContext,
  common: Common,
  folder: string,
  redact: Redaction,
): Promise<Outcome<null>> {
  const trial = { folder: `${folder}/trial`, stamping: null, chainFolder: null, also: [] }
  const signer = await ports.sealing.demoSigner()
  try {
    const made = await exportRun(ports, catalog, { ...common, ...trial, signer })
    return nothingOf(made.ok ? await copyOf(ports, catalog, packIn(trial.folder, common.run), redact) : made)
  } finally {
    await ports.files.remove(trial.folder)
  }
}

/** A redacted copy, in its own folder: files next to the pack are easily sent along with it. */
interface HandOut {
  readonly file: ExportDraft['files'][number]
  readonly underivable: DisclosureNotes['underivable']
}

/** Writes the copy of a sealed pack. Fails with input.refused where the rules cannot redact a named part. */
async function handOutOf(
  { ports, catalog }: EngineContext,
  folder: string,
  run: string,
  redact: Redaction,
): Promise<Outcome<HandOut>> {
  const copy = await copyOf(ports, catalog, packIn(folder, run), redact)
  if (!copy.ok) return copy
  const name = handOutName(run)
  const written = await ports.packs.replace(`${folder}/${name}`, copy.value.files)
  if (!written.ok) return written
  const digest = await ports.files.digest(`${folder}/${name}`)
  return digest.ok ? ok({ file: { name, ...digest.value }, underivable: copy.value.notes.underivable }) : digest
}

function handOutNotes({ who, why }: Redaction, { file, underivable }: HandOut): readonly string[] {
  const { verdicts, isolation, unstated } = underivable
  return [
    `Parts of the copy are redacted by ${plain(who)}: ${plain(why, 500)}`,
    `Share ${file.name} only. All other files contain the redacted parts.`,
    ...(verdicts.length === 0
      ? ['All verdicts can still be reproduced from the copy.']
      : [`${verdicts.length} verdicts can no longer be reproduced from the copy.`]),
    ...(isolation.length === 0
      ? []
      : [`The execution environment of ${isolation.length} nodes can no longer be reproduced from the copy.`]),
    ...(unstated.length === 0 ? [] : [`The copy contains no readable results of ${unstated.length} nodes.`]),
  ]
}

/** The files of a copy; the pack itself is unchanged. */
const copyOf = (
  ports: Pick<Ports, 'clock' | 'packs'>,
  catalog: Catalog,
  path: string,
  redact: Redaction,
): Promise<Outcome<DisclosedCopy>> =>
  withPack(ports, path, async (source) =>
    source.paths.includes(INDEX_PATH)
      ? await discloseCopy({ source, catalog, ...redact, nodes: [], paths: [], when: ports.clock.now() })
      : fail('input.refused', 'this run is too large for a redacted copy; share the complete pack instead'),
  )
