import type { Planned } from '../../schemas/types.ts'
import { chainFolderOf } from '../app/chain-folder.ts'
import { declaredScope } from '../app/declared-scope.ts'
import { declaredForExport, withDeclared } from '../app/engine/engagement-store.ts'
import { registerPath } from '../app/engine/register-store.ts'
import type { Exported } from '../app/export.ts'
import { keepRun } from '../app/keep-run.ts'
import { askDatabases } from '../app/location/ask-databases.ts'
import { outcomeOf } from '../app/outcome.ts'
import { summaryText } from '../app/summary.ts'
import { catalog } from '../catalog/index.ts'
import type { Outcome } from '../core/failure.ts'
import { ok } from '../core/result.ts'
import type { World } from '../core/world.ts'
import { type Collected, type CollectOptions, collectFleet } from './collecting.ts'
import type { Context } from './context.ts'
import { EXIT, type ExitCode, worst } from './exit-codes.ts'
import { frameworkList } from './options.ts'
import { readSaid } from './register.ts'
import { scopeFor } from './scope.ts'
import { exportAndSay, type SigningOptions, stampingOf } from './sealing.ts'
import { emit, say, sayFailure } from './terminal.ts'

export type RunOptions = CollectOptions &
  SigningOptions & {
    readonly framework?: string
    readonly json?: true
    readonly gapsExitZero?: true
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
  // A wrong address or file is told before a node is asked anything.
  const named = await stampingOf(context, options, undefined)
  if (!named.ok) return named
  const said = await readSaid(world, options.register)
  if (!said.ok) return said
  const wanted = await scopeFor(world, options, [])
  if (!wanted.ok) return wanted
  const before = await declaredInWindow(world, options)
  if (!before.ok) return before
  const collected = await collect()
  if (!collected.ok) return collected
  const { fleet, run, result, folder } = collected.value
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
  const exported = await exportAndSay(context, await withRegister(world, given), {
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
  })
  if (!exported.ok) return exported
  const { assessment, register, shortfalls, trace, tagManifest, signer, files } = exported.value
  const kept = await keepRun(world, folder, {
    trace,
    sealed: { tagManifest, signer, pack: `${run}/${files[0]?.name ?? ''}`, at: trace.asOf },
  })
  if (!kept.ok) sayFailure(kept.error)
  const { gaps, incomplete } = outcomeOf(assessment, register)
  return ok({ run, assessment, register, trace, shortfalls, kept, gaps, incomplete: incomplete || result.cancelled })
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
