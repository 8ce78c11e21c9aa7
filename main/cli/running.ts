import type { Planned } from '../../schemas/types.ts'
import { registerInScope } from '../app/attachments.ts'
import { chainFolderOf } from '../app/chain-folder.ts'
import { declaredScope } from '../app/declared-scope.ts'
import { declaredForExport, withDeclared } from '../app/engine/engagement-store.ts'
import { registerPath } from '../app/engine/register-store.ts'
import { evaluate, type ToEvaluate } from '../app/evaluate.ts'
import type { Exported } from '../app/export.ts'
import { keepRun } from '../app/keep-run.ts'
import { askDatabases } from '../app/location/ask-databases.ts'
import { outcomeOf } from '../app/outcome.ts'
import { summaryText } from '../app/summary.ts'
import { catalog } from '../catalog/index.ts'
import { catalogFor } from '../core/catalog.ts'
import type { Outcome } from '../core/failure.ts'
import { err, ok } from '../core/result.ts'
import type { World } from '../core/world.ts'
import { type Collected, type CollectOptions, collectFleet, evidenceFolder, stoppedRun } from './collecting.ts'
import type { Context } from './context.ts'
import { EXIT, type ExitCode, worst } from './exit-codes.ts'
import { frameworkList } from './options.ts'
import { readSaid } from './register.ts'
import { scopeFor } from './scope.ts'
import { exportAndSay, hasNoIdentity, readyToSeal, type SigningOptions } from './sealing.ts'
import { emit, say, sayFailure } from './terminal.ts'

export type RunOptions = CollectOptions &
  SigningOptions & {
    readonly framework?: string
    readonly json?: true
    readonly gapsExitZero?: true
    /** Of a scheduled run, which is sealed with what it has when somebody stops it. */
    readonly whenStopped?: 'sealed'
    /** Of a planned run: where the window keeps what was declared in it. */
    readonly declarations?: string
  }

/** A run that was exported. */
export interface Ran extends Pick<Exported, 'assessment' | 'register' | 'trace' | 'shortfalls'> {
  readonly run: string
  /** A declared node is missing or was read in part, or the run was stopped. */
  readonly incomplete: boolean
  /** Contradicted findings that nobody accepts. */
  readonly gaps: boolean
  /** Whether it is in the history. */
  readonly kept: Outcome<null>
}

/** The work of one run: collect, assess, export and keep. What was collected stays stored whatever fails. `collect` may try more than once. */
export async function runOnce(
  context: Context,
  given: RunOptions,
  planned: Planned | null,
  collect: () => Promise<Outcome<Collected>> = () => collectFleet(context, given),
): Promise<Outcome<Ran>> {
  const { world } = context
  const options = await withRegister(world, given)
  // Whatever is wrong here is told before a node is asked anything.
  const said = await readSaid(world, options.register)
  if (!said.ok) return said
  const wanted = await scopeFor(world, options, [])
  if (!wanted.ok) return wanted
  const before = await declaredInWindow(world, options)
  if (!before.ok) return before
  const place = await writablePlace(world, options.out)
  if (!place.ok) return place
  const ready = await readyToSeal(context, options, wanted.value.timestampAuthority)
  if (!ready.ok) {
    if (given.json !== true || !(await hasNoIdentity(context, options))) return ready
    say('There is no signing identity: the assessment will be printed, and nothing sealed.')
  } else if (ready.value.stamping !== null) await sayIfSilent(world, ready.value.stamping.url)
  const collected = await collect()
  if (!collected.ok) return collected
  const { fleet, run, result, folder } = collected.value
  if (result.cancelled && planned === null && given.whenStopped !== 'sealed') return err(stoppedRun(run, options))
  const declared = await declaredScope(world, catalog, {
    fleet,
    path: options.fleet,
    nodes: collected.value.population,
    frameworks: frameworkList(options.framework),
  })
  if (!declared.ok) return declared
  const own = await declaredInWindow(world, options)
  if (!own.ok) return own
  const { recordings } = result
  const scope = own.value === null ? declared.value.scope : withDeclared(declared.value.scope, own.value)
  const asked = await askDatabases(scope, declared.value.databases, recordings)
  if (!asked.ok) return asked
  // A register may have been begun in the window meanwhile.
  const exporting = await withRegister(world, given)
  const exported = !ready.ok
    ? ready
    : await exportAndSay(
        context,
        exporting,
        {
          run,
          scope: asked.value,
          inventory: own.value === null ? declared.value.inventory : own.value.inventory,
          sites: declared.value.sites,
          recordings,
          folder: `${folder}/${run}`,
          chainFolder: options.chain ?? chainFolderOf(folder, fleet.name),
          history: folder,
          timestampAuthority: fleet.timestampAuthority,
          planned,
          resumes: options.resume === true,
        },
        ready.value,
      )
  if (!exported.ok) {
    await showUnsealed(context, exporting, { scope: asked.value, recordings })
    say(`What was collected is in ${evidenceFolder(folder)}/${run}; “barewitness run --resume” goes on with it.`)
    return exported
  }
  const { assessment, register, shortfalls, trace, tagManifest, signer, files } = exported.value
  const kept = await keepRun(world, folder, {
    trace,
    sealed: { tagManifest, signer, pack: `${run}/${files[0]?.name ?? ''}`, at: trace.asOf },
  })
  if (!kept.ok) sayFailure(kept.error)
  const { gaps, incomplete } = outcomeOf(assessment, register)
  return ok({ run, assessment, register, trace, shortfalls, kept, gaps, incomplete: incomplete || result.cancelled })
}

/** Whether a folder can be written to; made where there is none. */
async function writablePlace({ files }: World, folder: string): Promise<Outcome<null>> {
  const held = await files.hold(folder)
  if (!held.ok) return held
  await held.value.release()
  return ok(null)
}

/** Says beforehand that an authority does not answer: the run goes on, and its seal may be time-stamped later. */
async function sayIfSilent({ timestamps }: World, url: string): Promise<void> {
  const answers = await timestamps.reachable(url)
  if (answers.ok) return
  sayFailure(answers.error)
  say('The run goes on; the authority is asked again when it is sealed.')
}

/** Of a run that could not be sealed: its assessment, where a machine reads it, and the summary. */
async function showUnsealed(
  { world }: Context,
  options: RunOptions,
  { scope, recordings }: Pick<ToEvaluate, 'scope' | 'recordings'>,
): Promise<void> {
  if (options.json !== true) return
  const said = await readSaid(world, options.register)
  const ours = catalogFor(catalog, scope)
  const evaluated = said.ok
    ? await evaluate(ours, { scope, recordings, asOf: world.clock.now(), register: said.value.register })
    : said
  if (!evaluated.ok) return sayFailure(evaluated.error)
  const { assessment } = evaluated.value
  emit(assessment)
  if (said.ok) say(summaryText(assessment, catalog, registerInScope(ours, said.value.register, scope)))
}

/** What was declared in the window; null for a run that takes nothing from it. Fails with engagement.unreadable. */
const declaredInWindow = async (
  world: World,
  { declarations: folder }: RunOptions,
): Promise<Awaited<ReturnType<typeof declaredForExport>> | Outcome<null>> =>
  folder === undefined ? ok(null) : await declaredForExport({ world, folder, demo: false })

/** With the window's register, where a run takes what was declared there, names no other, and one was begun. */
async function withRegister({ files }: World, options: RunOptions): Promise<RunOptions> {
  if (options.declarations === undefined || options.register !== undefined) return options
  const register = registerPath(options.declarations)
  return (await files.isThere(register)) ? { ...options, register } : options
}

/** Shows a run that was exported. */
export function sayRan({ json }: Pick<RunOptions, 'json'>, { assessment, register }: Ran): void {
  if (json === true) emit(assessment)
  say('')
  say(summaryText(assessment, catalog, register))
}

/** The exit code that a run which was exported ends with. */
export const codeOfRan = (
  { gapsExitZero }: Pick<RunOptions, 'gapsExitZero'>,
  { gaps, incomplete, shortfalls, kept }: Ran,
): ExitCode =>
  worst([
    gaps && gapsExitZero !== true ? EXIT.gaps : EXIT.done,
    incomplete || shortfalls.length > 0 || !kept.ok ? EXIT.incomplete : EXIT.done,
  ])
