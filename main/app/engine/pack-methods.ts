import type { Chosen } from '../../../schemas/ipc.ts'
import type { ExportView, FrameworkName, PackReview } from '../../../schemas/ipc-views.ts'
import type { Catalog } from '../../core/catalog.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import type { Signer } from '../../core/ports.ts'
import { inMemory } from '../../core/recording.ts'
import { ok } from '../../core/result.ts'
import { NOBODY } from '../../core/verify/trust.ts'
import type { World } from '../../core/world.ts'
import { chainFolderOf } from '../chain-folder.ts'
import { exportRun } from '../export.ts'
import { reviewFile } from '../review.ts'
import { assessmentView } from '../views.ts'
import type { Session } from './session.ts'

/** Asks a person for one secret; null when they gave none. Its way never leads through the window's own bridge. */
export type Ask = (question: string) => Promise<string | null>

/** Where signing keys lie, who is asked for their passphrase, and how that is kept here, in words. */
export interface KeyKeeping {
  readonly folder: string
  readonly ask: Ask
  readonly keyNote: string | undefined
}

const FIRST_IDENTITY = 'default'

/** Report and pack of the current run, into a folder that a person chose in main's dialog. */
export async function exportForWindow(
  world: World,
  catalog: Catalog,
  session: Session,
  keys: KeyKeeping,
  frameworks: readonly FrameworkName[],
  chosen: Chosen | undefined,
): Promise<Outcome<ExportView | null>> {
  const run = session.run
  if (run === null) return fail('input.refused', 'there is no run to export yet')
  if (chosen === undefined) return ok(null)
  const signer = session.demo
    ? ok(await world.sealing.demoSigner())
    : await signerOf(world, `${keys.folder}/identities`, run.scope.fleet, keys.ask)
  if (!signer.ok) return signer
  const exported = await exportRun(world, catalog, {
    run: run.run,
    scope: { ...run.scope, frameworks: [...frameworks] },
    recordings: run.recordings.map(inMemory),
    asOf: world.clock.now(),
    signer: signer.value,
    stamping: null,
    folder: chosen.path,
    chainFolder: session.demo ? null : chainFolderOf(keys.folder, run.scope.fleet),
  })
  if (!exported.ok) return exported
  const notes = ['Time from this computer only: no time-stamp authority took part.']
  if (!session.demo && keys.keyNote !== undefined) notes.push(keys.keyNote)
  if (session.demo) notes.unshift('Demo data, sealed by a key that nobody may trust.')
  return ok({
    folder: chosen.path,
    files: exported.value.files,
    signer: `${signer.value.subject}, key ${signer.value.fingerprint}`,
    notes,
  })
}

/** This user's signing key; the first export makes one. */
async function signerOf(world: World, folder: string, subject: string, ask: Ask): Promise<Outcome<Signer>> {
  const listed = await world.identities.list(folder)
  if (!listed.ok) return listed
  const [known] = listed.value
  if (known !== undefined) {
    const secret = await ask(
      known.kind === 'token'
        ? `PIN of the token of your signing key (${known.name})`
        : `Passphrase of your signing key (${known.name})`,
    )
    return secret === null
      ? fail('identity.missing', 'no passphrase was given')
      : await world.identities.open(folder, known.name, secret)
  }
  const passphrase = await ask('Choose a passphrase for your new signing key (8 characters or more)')
  if (passphrase === null || passphrase.length < 8)
    return fail('identity.missing', 'no passphrase of 8 characters or more was given')
  const created = await world.identities.create({ folder, name: FIRST_IDENTITY, subject, passphrase })
  return created.ok ? await world.identities.open(folder, FIRST_IDENTITY, passphrase) : created
}

/** Opens and checks a pack that a person chose; it becomes the open one. */
export async function reviewForWindow(
  world: World,
  catalog: Catalog,
  session: Session,
  chosen: Chosen | undefined,
): Promise<Outcome<PackReview | null>> {
  if (chosen === undefined) return ok(null)
  const reviewed = await reviewFile(world, catalog, { path: chosen.path, trust: NOBODY, lastHead: null, keep: true })
  if (!reviewed.ok) return reviewed
  const { report, contents } = reviewed.value
  const assessment = contents?.assessment ?? null
  const run = contents?.run ?? ''
  const stated = assessment?.nodes.reduce((sum, node) => sum + node.findings.length, 0) ?? 0
  const review: PackReview = {
    file: report.file,
    report,
    view: assessment === null ? null : assessmentView('pack', run, assessment, catalog),
    verdicts: { stated, identical: stated - report.differences.length },
  }
  session.pack = { review, run, assessment, recordings: contents?.recordings ?? [] }
  return ok(review)
}
