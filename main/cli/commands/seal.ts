import { outcomeOf } from '../../app/collect/run.ts'
import { nextStamp, type Stampable } from '../../app/common/seal-file.ts'
import { summaryText } from '../../app/evaluate/summary.ts'
import { catalog } from '../../catalog/definition/index.ts'
import type { Stamp } from '../../core/all-ports.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import {
  type Context,
  DEVIATIONS_EXIT_ZERO,
  emit,
  endWith,
  FRAMEWORKS,
  newFile,
  POPULATION,
  printLine,
  worstOf,
} from '../parts/options.ts'
import { scopeWithDatabases } from '../parts/scope.ts'
import {
  type AuthorityOptions,
  askableAddress,
  authorityOptions,
  exportAndPrint,
  readAuthority,
  type SigningOptions,
  signingOptions,
} from '../parts/sealing.ts'

interface Options extends AuthorityOptions {
  readonly timestamp?: string
  readonly exportTsq?: string
  readonly importTsr?: string
  readonly tsq?: string
  readonly json?: true
}

/**
 * `timestamp add|renew FILE`: RFC 3161 time-stamps over a sealed pack or report. `add` adds those missing to the highest level; `renew` adds
 * one over everything before the last one expires. For a computer without network, query and reply can be transferred as files.
 */
export function sealCommands(context: Context): void {
  const group = context.program.command('timestamp').description('Time-stamp sealed packs and reports')
  const command = (name: 'add' | 'renew', words: string): void => {
    authorityOptions(
      group
        .command(name)
        .description(words)
        .argument('<file>', 'Sealed pack or report')
        .option('--timestamp <url>', 'RFC 3161 time-stamp authority')
        .option('--export-tsq <file>', 'Write the query to a file, to transfer it to an authority')
        .option('--import-tsr <file>', 'Add the reply of the authority from a file')
        .option('--tsq <file>', 'Query that the reply belongs to')
        .option('--json', 'Print the added time-stamps as JSON'),
    ).action(async (path: string, options: Options) => {
      const done = await stampFile(context, path, options, name)
      if (!done.ok) endWith(context, done.error)
    })
  }
  command('add', 'Add missing time-stamps to a sealed pack or report')
  command('renew', 'Add a new time-stamp before the last one expires')
}

async function stampFile(
  context: Context,
  path: string,
  options: Options,
  name: 'add' | 'renew',
): Promise<Outcome<null>> {
  const ways = [options.timestamp, options.exportTsq, options.importTsr].filter((way) => way !== undefined)
  if (ways.length !== 1) return fail('input.refused', 'use exactly one of --timestamp, --export-tsq and --import-tsr')
  const possible =
    options.timestamp !== undefined
      ? askableAddress('--timestamp', options.timestamp)
      : options.exportTsq === undefined
        ? ok(null)
        : newFile(options.exportTsq)
  if (!possible.ok) return possible
  const lists = await readAuthority(context.ports, options)
  if (!lists.ok) return lists
  const added: { readonly what: string; readonly at: string; readonly until: string }[] = []
  for (;;) {
    const next = await nextStamp(context.ports, path, lists.value)
    if (!next.ok) return next
    const refused = name === 'add' ? alreadyThere(next.value) : null
    if (refused !== null) return fail('input.refused', `${path} ${refused}; use “barewitness timestamp renew”`)
    if (options.exportTsq !== undefined) return await exportQuery(context, options.exportTsq, next.value)
    const stamp = await stampOf(context, options, next.value, lists.value.certificates)
    if (!stamp.ok) return stamp
    const written = await next.value.write(stamp.value)
    if (!written.ok) return written
    const { reading } = stamp.value
    added.push({ what: next.value.what, at: reading.at, until: reading.until })
    printLine(
      `Added ${next.value.what}: ${reading.at}, by ${plain(reading.authority?.subject ?? 'an unnamed authority')}.`,
    )
    printLine(`  It can be verified until ${reading.until}; renew it before then.`)
    // A report continues to the level that covers everything; a transferred reply is one step.
    if (next.value.level === 'B-T' && options.timestamp !== undefined) continue
    if (options.json === true) emit({ file: path, added })
    return ok(null)
  }
}

const alreadyThere = ({ level, first }: Stampable): string | null =>
  first ? null : level === null ? 'already has a time-stamp over its seal' : 'already has a time-stamp over everything'

async function exportQuery({ ports }: Context, file: string, next: Stampable): Promise<Outcome<null>> {
  const written = await ports.files.write(file, await ports.timestamps.query(next.imprint))
  if (!written.ok) return written
  printLine(`Wrote the query for ${next.what} to ${file}.`)
  printLine('  Keep the query: the reply is accepted only together with it, and only while the file is unchanged.')
  return ok(null)
}

async function stampOf(
  { ports }: Context,
  { timestamp, importTsr, tsq }: Options,
  { imprint, certificates }: Stampable,
  named: readonly Uint8Array[],
): Promise<Outcome<Stamp>> {
  const offered = [...certificates, ...named]
  if (timestamp !== undefined) return await ports.timestamps.stamp(timestamp, imprint, offered)
  if (tsq === undefined || importTsr === undefined)
    return fail('input.refused', '--import-tsr requires --tsq, the query that the reply belongs to')
  const query = await ports.files.read(tsq)
  if (!query.ok) return query
  const answer = await ports.files.read(importTsr)
  return answer.ok ? await ports.timestamps.accept(query.value, answer.value, imprint, offered) : answer
}

type ExportOptions = SigningOptions & {
  readonly out: string
  readonly fleet?: string
  readonly framework?: string
  readonly json?: true
  readonly deviationsExitZero?: true
}

/** `export RECORDINGS… --out DIR`: a sealed pack, a signed report and tables. */
export function exportCommand(context: Context): void {
  const command = context.program
    .command('export')
    .description('Create a sealed pack, report and tables from recordings')
    .argument('<recordings...>', 'Folders of recordings')
    .requiredOption('--out <folder>', 'Folder for the files')
    .option(...POPULATION)
    .option(...FRAMEWORKS)
    .option('--json', 'Print the assessment as JSON')
    .option(...DEVIATIONS_EXIT_ZERO)
  signingOptions(command).action(async (folders: string[], options: ExportOptions) => {
    const { ports } = context
    const recordings = await ports.readRecordings(folders)
    if (!recordings.ok) return endWith(context, recordings.error)
    const scope = await scopeWithDatabases(ports, options, recordings.value)
    if (!scope.ok) return endWith(context, scope.error)
    const run = recordings.value[0]?.recording.run ?? 'export'
    const exported = await exportAndPrint(context, options, {
      run,
      scope: scope.value.scope,
      inventory: scope.value.inventory,
      sites: scope.value.sites,
      recordings: recordings.value,
      folder: options.out,
      chainFolder: options.chain ?? null,
      timestampAuthority: scope.value.timestampAuthority,
    })
    if (!exported.ok) return endWith(context, exported.error)
    const { assessment, register, shortfalls } = exported.value
    if (options.json === true) emit(assessment)
    printLine('')
    printLine(summaryText({ assessment, catalog, register, recordings: recordings.value }))
    const { gaps, incomplete } = outcomeOf(assessment, register)
    context.exit(
      worstOf({
        gaps: gaps && options.deviationsExitZero !== true,
        incomplete: incomplete || shortfalls.length > 0,
      }),
    )
  })
}
