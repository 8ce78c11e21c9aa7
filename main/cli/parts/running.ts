import type { Planned } from '../../../schemas/types.ts'
import { declaredScope } from '../../app/collect/collect-run.ts'
import { outcomeOf } from '../../app/collect/run.ts'
import { registerInScope } from '../../app/common/attachments.ts'
import { declaredForExport, withDeclared } from '../../app/engine/stored/engagement-store.ts'
import { registerPath } from '../../app/engine/stored/register-store.ts'
import { evaluate, type ToEvaluate } from '../../app/evaluate/evaluate.ts'
import { summaryText } from '../../app/evaluate/summary.ts'
import type { Exported } from '../../app/export/report-input.ts'
import { keepRun } from '../../app/history/rebuild-history.ts'
import { askDatabases } from '../../app/location/ask-databases.ts'
import { catalog } from '../../catalog/definition/index.ts'
import type { Ports } from '../../core/all-ports.ts'
import { err, type Outcome, ok } from '../../core/base/failure.ts'
import { chainFolderOf, evidenceOfRun, exportFolder } from '../../core/base/layout.ts'
import { catalogFor } from '../../core/rules/catalog.ts'
import { type Collected, type CollectOptions, collectFleet, stoppedRun } from './collecting.ts'
import { type Context, type ExitCode, emit, frameworkList, printFailure, printLine, worstOf } from './options.ts'
import { readRegister } from './register.ts'
import { scopeFor } from './scope.ts'
import { exportAndPrint, hasNoIdentity, readyToSeal, type SigningOptions } from './sealing.ts'

export type RunOptions = CollectOptions &
  SigningOptions & {
    readonly framework?: string
    readonly json?: true
    readonly deviationsExitZero?: true
    /** For a scheduled run, which is sealed with its evidence so far when it is stopped. */
    readonly whenStopped?: 'sealed'
  }

/** A run that was exported. */
export interface Ran extends Pick<Exported, 'assessment' | 'register' | 'trace' | 'shortfalls'> {
  readonly run: string
  readonly recordings: ToEvaluate['recordings']
  /** A declared node is missing or partial, or the run was stopped. */
  readonly incomplete: boolean
  /** Deviations without a risk acceptance in effect. */
  readonly gaps: boolean
  /** Whether it was added to the history. */
  readonly kept: Outcome<null>
}

/**
 * One run: collect, evaluate, export and add to the history. Evidence stays stored whatever fails. `collect` may retry. Fails with
 * run.cancelled for a stopped run that is not sealed, and as its steps do.
 */
export async function runOnce(
  context: Context,
  given: RunOptions,
  planned: Planned | null,
  collect: () => Promise<Outcome<Collected>> = () => collectFleet(context, given),
): Promise<Outcome<Ran>> {
  const { ports } = context
  const options = await withRegister(ports, given)
  // Invalid inputs are reported before a node is contacted.
  const stored = await readRegister(ports, options.register)
  if (!stored.ok) return stored
  const wanted = await scopeFor(ports, options, [])
  if (!wanted.ok) return wanted
  const before = await declaredInWindow(ports, options)
  if (!before.ok) return before
  const place = await writablePlace(ports, options.out)
  if (!place.ok) return place
  const ready = await readyToSeal(context, options, wanted.value.timestampAuthority)
  if (!ready.ok) {
    if (given.json !== true || !(await hasNoIdentity(context, options))) return ready
    printLine('There is no signing identity. The assessment will be printed; nothing will be sealed.')
  } else if (ready.value.stamping !== null) await warnIfSilent(ports, ready.value.stamping.url)
  const collected = await collect()
  if (!collected.ok) return collected
  const { fleet, run, result, folder } = collected.value
  if (result.cancelled && planned === null && given.whenStopped !== 'sealed') return err(stoppedRun(run, options))
  const declared = await declaredScope(ports, catalog, {
    fleet,
    path: options.fleet,
    nodes: collected.value.population,
    frameworks: frameworkList(options.framework),
  })
  if (!declared.ok) return declared
  const own = await declaredInWindow(ports, options)
  if (!own.ok) return own
  const { recordings } = result
  const scope = own.value === null ? declared.value.scope : withDeclared(declared.value.scope, own.value)
  const asked = await askDatabases(scope, declared.value.databases, recordings)
  if (!asked.ok) return asked
  // The window may have created a register meanwhile.
  const exporting = await withRegister(ports, given)
  const exported = !ready.ok
    ? ready
    : await exportAndPrint(
        context,
        exporting,
        {
          run,
          scope: asked.value,
          inventory: own.value === null ? declared.value.inventory : own.value.inventory,
          sites: declared.value.sites,
          recordings,
          folder: exportFolder(folder, run),
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
    printLine(`The evidence is in ${evidenceOfRun(folder, run)}. Continue with “barewitness run --resume”.`)
    return exported
  }
  const { assessment, register, shortfalls, trace, tagManifest, signer, files } = exported.value
  const kept = await keepRun(ports, folder, {
    trace,
    sealed: { tagManifest, signer, pack: `${run}/${files[0]?.name ?? ''}`, at: trace.asOf },
  })
  if (!kept.ok) printFailure(kept.error)
  const { gaps, incomplete } = outcomeOf(assessment, register)
  return ok({
    run,
    recordings,
    assessment,
    register,
    trace,
    shortfalls,
    kept,
    gaps,
    incomplete: incomplete || result.cancelled,
  })
}

/** Whether a folder can be written to; creates it if missing. */
async function writablePlace({ files }: Ports, folder: string): Promise<Outcome<null>> {
  const held = await files.hold(folder)
  if (!held.ok) return held
  await held.value.release()
  return ok(null)
}

/** Warns beforehand that an authority does not respond: the run continues, and its seal can be time-stamped later. */
async function warnIfSilent({ timestamps }: Ports, url: string): Promise<void> {
  const answers = await timestamps.reachable(url)
  if (answers.ok) return
  printFailure(answers.error)
  printLine('The run continues. The time-stamp is requested again when the pack is sealed.')
}

/** For a run that could not be sealed: prints assessment and summary with --json, otherwise nothing. */
async function showUnsealed(
  { ports }: Context,
  options: RunOptions,
  { scope, recordings }: Pick<ToEvaluate, 'scope' | 'recordings'>,
): Promise<void> {
  if (options.json !== true) return
  const stored = await readRegister(ports, options.register)
  const ours = catalogFor(catalog, scope)
  const evaluated = stored.ok
    ? await evaluate(ours, { scope, recordings, asOf: ports.clock.now(), register: stored.value.register })
    : stored
  if (!evaluated.ok) return printFailure(evaluated.error)
  const { assessment } = evaluated.value
  emit(assessment)
  if (stored.ok) {
    const register = registerInScope(ours, stored.value.register, scope)
    printLine(summaryText({ assessment, catalog, register, recordings }))
  }
}

/** The declarations of the window; null for a run that uses none. Fails with engagement.unreadable. */
const declaredInWindow = async (
  ports: Ports,
  { declarations: folder }: RunOptions,
): Promise<Awaited<ReturnType<typeof declaredForExport>> | Outcome<null>> =>
  folder === undefined ? ok(null) : await declaredForExport({ ports, folder, demo: false })

/** With the register of the window, if the run uses its declarations, names no other register, and one exists. */
async function withRegister({ files }: Ports, options: RunOptions): Promise<RunOptions> {
  if (options.declarations === undefined || options.register !== undefined) return options
  const register = registerPath(options.declarations)
  return (await files.isThere(register)) ? { ...options, register } : options
}

/** Prints the result of an exported run. */
export function printRan({ json }: Pick<RunOptions, 'json'>, { assessment, register, recordings }: Ran): void {
  if (json === true) emit(assessment)
  printLine('')
  printLine(summaryText({ assessment, catalog, register, recordings }))
}

/** The exit code of an exported run. */
export const codeOfRan = (
  { deviationsExitZero }: Pick<RunOptions, 'deviationsExitZero'>,
  { gaps, incomplete, shortfalls, kept }: Ran,
): ExitCode =>
  worstOf({
    gaps: gaps && deviationsExitZero !== true,
    incomplete: incomplete || shortfalls.length > 0 || !kept.ok,
  })
