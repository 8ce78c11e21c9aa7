import { engagementState } from '../../../schemas/engagement-words.ts'
import type { Input, Reply } from '../../../schemas/ipc.ts'
import type { ExportDraft, PreflightItem } from '../../../schemas/ipc-packs.ts'
import type { Ports } from '../../core/all-ports.ts'
import type { Catalog } from '../../core/catalog.ts'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { chainFolderOf, draftName, handOutName, packIn, packNameOf } from '../../core/layout.ts'
import { plain } from '../../core/plain-text.ts'
import { inMemory } from '../../core/recording.ts'
import type { DisclosedCopy } from '../../verify/disclosure/disclose.ts'
import type { DisclosureNotes } from '../../verify/disclosure/notes.ts'
import { INDEX_PATH } from '../../verify/disclosure/parts.ts'
import { discloseCopy } from '../excerpt.ts'
import { exportRun } from '../export.ts'
import { preflightOf } from '../preflight.ts'
import type { Exported, ExportInput } from '../report-input.ts'
import { databasesForExport } from './asked-databases.ts'
import { viewSource } from './assessment-methods.ts'
import type { EngineContext, Handlers } from './context.ts'
import { declaredForExport, readDraft, withDeclared } from './engagement-store.ts'
import { type Draft, discardDraft, saveDraft, stampingOf, storedNotes, timeNotes } from './export-drafts.ts'
import { alsoNamed, exportPlan, missingIn, NO_RUN, STILL_GOING } from './export-plan.ts'
import { evaluatedRuns, runToSeal } from './export-runs.ts'
import { keepSealed } from './keep-traces.ts'
import { hexOf, inTurn, turnOf } from './kept-json.ts'
import { sitesForExport } from './location-store.ts'
import { buildPeriodDraft, periodPlan } from './period-draft.ts'
import { presented } from './presented.ts'
import { registerForExport } from './register-store.ts'
import { openPack } from './review-pack.ts'
import { readNote } from './run-notes.ts'
import { readSettings } from './settings.ts'
import type { ReadRun } from './stored-runs.ts'
import { listIdentities, signingKey } from './trust-identities.ts'
import type { Keeping } from './trust-secrets.ts'

type Methods =
  | 'export.plan'
  | 'export.preflight'
  | 'export.build'
  | 'export.review'
  | 'export.save'
  | 'export.discard'
  | 'period.plan'
  | 'period.build'

/** From a run, or the runs of a period, to a sealed pack in a chosen folder. Drafts are known until the program ends; their files are kept. */
export function exportMethods(context: EngineContext): Pick<Handlers, Methods> {
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
  return {
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
  }
}

/** What is open before the run of this session is exported. Fails with input.refused without a run, or as its readers do. */
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
  const draft = await readDraft({ ports, folder, demo: context.session.demo })
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
type Common = Omit<ExportInput, 'signer' | 'stamping' | 'folder' | 'chainFolder'>

const NOT_KEPT = 'The run is sealed but could not be added to the history on this computer. The pack is complete.'

/**
 * Seals report and pack of a run into a new folder. Everything that can be refused is checked before a key is
 * opened or the run chain is written.
 */
async function buildDraft(current: EngineContext, run: ReadRun, wanted: Wanted): Promise<Outcome<Draft>> {
  // The fleet may change meanwhile; register and key stay those of the time of the request.
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
  const declared = await declaredForExport({ ports, folder: context.folder, demo })
  if (!declared.ok) return declared
  const shelf = { ports, folder: context.folder, demo, fleet: session.fleet }
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
  const exported = await exportRun(ports, catalog, {
    ...common,
    signer: key,
    stamping: stamping.value,
    folder,
    chainFolder,
  })
  if (!exported.ok) return exported
  const kept = await keepSealed(context, exported.value, draftName(handle))
  const handOut = await handOutOf(context, { folder, run: run.run }, wanted.redact)
  if (!handOut.ok) return handOut
  const files = exported.value.files.map(({ name, size, sha256 }) => ({ name, size, sha256 }))
  const view: ExportDraft = {
    handle,
    files: handOut.value === null ? files : [...files, handOut.value.file],
    signer: `${plain(key.subject)}, key ${key.fingerprint}`,
    notes: [
      ...(kept.ok ? [] : [NOT_KEPT]),
      ...exportNotes({
        run,
        demo,
        exported: exported.value,
        authority: stamping.value?.url ?? null,
        kept: signer.value?.kept ?? null,
        redact: wanted.redact,
        handOut: handOut.value,
        keepsSealed: context.keepsSealed,
      }),
    ],
    notDerivable: (handOut.value?.underivable.verdicts ?? []).map(({ node, check }) => ({
      node,
      check,
      why: 'Parts of its evidence are redacted.',
    })),
  }
  const opens = `${folder}/${handOut.value?.name ?? packNameOf(run.run)}`
  return ok({ folder, view, opens, chained: chainFolder !== null, saved: false })
}

/**
 * Creates the copy once from a pack under a demo key, and discards both: a name that cannot be redacted everywhere is
 * found before anything is sealed.
 */
async function tryCopy(
  { ports, catalog }: EngineContext,
  common: Common,
  folder: string,
  redact: NonNullable<Wanted['redact']>,
): Promise<Outcome<null>> {
  const trial = `${folder}/trial`
  const signer = await ports.sealing.demoSigner()
  try {
    const made = await exportRun(ports, catalog, {
      ...common,
      also: [],
      signer,
      stamping: null,
      folder: trial,
      chainFolder: null,
    })
    const copy = made.ok ? await copyOf(ports, catalog, packIn(trial, common.run), redact) : made
    return copy.ok ? ok(null) : copy
  } finally {
    await ports.files.remove(trial)
  }
}

async function handOutOf(
  { ports, catalog }: EngineContext,
  pack: { readonly folder: string; readonly run: string },
  redact: Wanted['redact'],
): Promise<Outcome<(HandOut & { readonly file: ExportDraft['files'][number] }) | null>> {
  if (redact === null) return ok(null)
  const handOut = await writeHandOut(ports, catalog, pack, redact)
  if (!handOut.ok) return handOut
  const digest = await ports.files.digest(`${pack.folder}/${handOut.value.name}`)
  return digest.ok ? ok({ ...handOut.value, file: { name: handOut.value.name, ...digest.value } }) : digest
}

interface Sealed {
  readonly run: ReadRun
  readonly demo: boolean
  readonly exported: Exported
  /** The time-stamp authority that was queried, or null. */
  readonly authority: string | null
  /** Null for a demo, whose key is not stored. */
  readonly kept: Keeping['kept'] | null
  readonly redact: Input<'export.build'>['redact']
  readonly handOut: HandOut | null
  readonly keepsSealed: boolean
}

/** Notices for the reader of an export, in sentences: every point where it shows less than a reader may assume. */
function exportNotes(sealed: Sealed): readonly string[] {
  const { run, demo, exported, authority, kept, keepsSealed } = sealed
  const { assessment } = exported
  const missing = missingIn({ assessment, unreadable: run.unreadable }).length
  return [
    ...(demo ? ['Demo data, sealed by a demo key that can never be trusted.'] : []),
    ...(missing === 0
      ? []
      : [`${missing} of ${assessment.nodes.length} nodes in the population have no evidence in this run.`]),
    ...timeNotes({ ...exported, authority, onServer: keepsSealed }),
    ...handOutNotes(sealed),
    ...storedNotes({ kept, chained: !demo, keepsSealed }),
  ]
}

function handOutNotes({ redact, handOut }: Sealed): readonly string[] {
  if (redact === null || handOut === null) return []
  const { verdicts, isolation, unstated } = handOut.underivable
  return [
    `Parts of the copy are redacted by ${plain(redact.who)}: ${plain(redact.why, 500)}`,
    `Share ${handOut.name} only. All other files contain the redacted parts.`,
    ...(verdicts.length === 0
      ? ['All verdicts can still be reproduced from the copy.']
      : [`${verdicts.length} verdicts can no longer be reproduced from the copy.`]),
    ...(isolation.length === 0
      ? []
      : [`The execution environment of ${isolation.length} nodes can no longer be reproduced from the copy.`]),
    ...(unstated.length === 0 ? [] : [`The copy contains no readable results of ${unstated.length} nodes.`]),
  ]
}

type Redaction = NonNullable<Input<'export.build'>['redact']>

/** A redacted copy, in its own folder: files next to the pack are easily sent along with it. */
interface HandOut {
  readonly name: string
  readonly underivable: DisclosureNotes['underivable']
}

/** Writes the copy of a sealed pack. Fails with input.refused where the rules cannot redact a named part. */
async function writeHandOut(
  ports: Pick<Ports, 'clock' | 'packs'>,
  catalog: Catalog,
  pack: { readonly folder: string; readonly run: string },
  redact: Redaction,
): Promise<Outcome<HandOut>> {
  const { folder, run } = pack
  const copy = await copyOf(ports, catalog, packIn(folder, run), redact)
  if (!copy.ok) return copy
  const name = handOutName(run)
  const written = await ports.packs.replace(`${folder}/${name}`, copy.value.files)
  return written.ok ? ok({ name, underivable: copy.value.notes.underivable }) : written
}

/** The files of a copy; the pack itself is unchanged. */
async function copyOf(
  ports: Pick<Ports, 'clock' | 'packs'>,
  catalog: Catalog,
  path: string,
  { classes, who, why }: Redaction,
): Promise<Outcome<DisclosedCopy>> {
  const opened = await ports.packs.open(path)
  if (!opened.ok) return opened
  const source = opened.value
  try {
    if (!source.paths.includes(INDEX_PATH))
      return fail('input.refused', 'this run is too large for a redacted copy; share the complete pack instead')
    const when = ports.clock.now()
    return await discloseCopy({ source, catalog, classes, nodes: [], paths: [], who, why, when })
  } finally {
    await source.close()
  }
}
