import type { Input } from '../../../schemas/ipc.ts'
import type { ExportDraft } from '../../../schemas/ipc-packs.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { chainFolderOf, draftName, packIn, packNameOf } from '../../core/layout.ts'
import { plain } from '../../core/plain-text.ts'
import { inMemory } from '../../core/recording.ts'
import { ok } from '../../core/result.ts'
import { type ExportInput, exportRun } from '../export.ts'
import type { Stamping } from '../stamping.ts'
import { databasesForExport } from './asked-databases.ts'
import type { EngineContext } from './context.ts'
import { declaredForExport, withDeclared } from './engagement-store.ts'
import type { Draft } from './export-draft.ts'
import { copyOf, type HandOut, writeHandOut } from './export-hand-out.ts'
import { exportNotes } from './export-notes.ts'
import { alsoNamed, NO_RUN, STILL_GOING } from './export-plan.ts'
import { keepSealed } from './keep-traces.ts'
import { hexOf, turnOf } from './kept-json.ts'
import { sitesForExport } from './location-store.ts'
import { registerForExport } from './register-store.ts'
import { signingKey } from './trust-identities.ts'
import { windowStamping } from './window-stamping.ts'

type Wanted = Input<'export.build'>
type Common = Omit<ExportInput, 'signer' | 'stamping' | 'folder' | 'chainFolder'>

const NOT_KEPT = 'The run is sealed but could not be added to the history on this computer. The pack is complete.'

/**
 * Seals report and pack of the current run into a new folder. Everything that can be refused is checked before a key is
 * opened or the run chain is written.
 */
export async function buildDraft(current: EngineContext, wanted: Wanted): Promise<Outcome<Draft>> {
  // The shown run may change meanwhile; run, register and key stay those of the time of the request.
  const context: EngineContext = { ...current, session: { ...current.session } }
  const { ports, catalog, session } = context
  const { run, demo } = session
  if (run === null) return fail('input.refused', NO_RUN)
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
  const common: Common = {
    run: run.run,
    scope: { ...withDeclared(run.scope, declared.value), frameworks: [...wanted.frameworks] },
    recordings: run.recordings.map(inMemory),
    asOf: ports.clock.now(),
    inventory: declared.value.inventory,
    sites: sites.value,
    also: also.value,
    ...people.value,
  }
  const tried = wanted.withhold === null ? ok(null) : await tryCopy(context, common, folder, wanted.withhold)
  if (!tried.ok) return tried
  const signer = demo ? ok(null) : await turnOf(context, 'identities')(() => signingKey(context, wanted.identity))
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
  const handOut = await handOutOf(context, { folder, run: run.run }, wanted.withhold)
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
        withhold: wanted.withhold,
        handOut: handOut.value,
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

/** The configured authority, and the certificates that complete its chain. */
async function stampingOf(context: EngineContext): Promise<Outcome<Stamping>> {
  const stamping = await windowStamping(context)
  return stamping === null
    ? fail('input.refused', 'no time-stamp authority is configured; set one, or seal with the time of this computer')
    : ok(stamping)
}

/**
 * Creates the copy once from a pack under a demo key, and discards both: a name that cannot be redacted everywhere is
 * found before anything is sealed.
 */
async function tryCopy(
  { ports, catalog }: EngineContext,
  common: Common,
  folder: string,
  withhold: NonNullable<Wanted['withhold']>,
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
    const copy = made.ok ? await copyOf(ports, catalog, packIn(trial, common.run), withhold) : made
    return copy.ok ? ok(null) : copy
  } finally {
    await ports.files.remove(trial)
  }
}

async function handOutOf(
  { ports, catalog }: EngineContext,
  pack: { readonly folder: string; readonly run: string },
  withhold: Wanted['withhold'],
): Promise<Outcome<(HandOut & { readonly file: ExportDraft['files'][number] }) | null>> {
  if (withhold === null) return ok(null)
  const handOut = await writeHandOut(ports, catalog, pack, withhold)
  if (!handOut.ok) return handOut
  const digest = await ports.files.digest(`${pack.folder}/${handOut.value.name}`)
  return digest.ok ? ok({ ...handOut.value, file: { name: handOut.value.name, ...digest.value } }) : digest
}
