import { nextStamp, type Stampable } from '../../app/seal-file.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'
import type { Stamp } from '../../core/world.ts'
import { type Context, endWith } from '../context.ts'
import { newFile } from '../options.ts'
import { askableAddress } from '../sealing.ts'
import { emit, say } from '../terminal.ts'
import { type AuthorityOptions, authorityOptions, readAuthority } from '../trusting.ts'

interface Options extends AuthorityOptions {
  readonly timestamp?: string
  readonly exportTsq?: string
  readonly importTsr?: string
  readonly tsq?: string
  readonly json?: true
}

/**
 * `seal FILE` and `refresh FILE`: time-stamps over a pack or report that is sealed already. `seal` adds what is missing to the highest
 * level, `refresh` one more over everything, before the cover of the last one ends. Either way the query can be carried.
 */
export function sealCommands(context: Context): void {
  const command = (name: 'seal' | 'refresh', words: string): void => {
    authorityOptions(
      context.program
        .command(`${name} <file>`)
        .description(words)
        .option('--timestamp <url>', 'ask this time-stamp authority (RFC 3161)')
        .option('--export-tsq <file>', 'write the query instead, to be carried to an authority')
        .option('--import-tsr <file>', 'put in the answer that was carried back')
        .option('--tsq <file>', 'the query that the answer belongs to')
        .option('--json', 'print what was added'),
    ).action(async (path: string, options: Options) => {
      const done = await stampFile(context, path, options, name)
      if (!done.ok) endWith(context, done.error)
    })
  }
  command('seal', 'add the time-stamps that a sealed pack or report lacks')
  command('refresh', 'add one more time-stamp over everything, before the cover of the last one ends')
}

async function stampFile(
  context: Context,
  path: string,
  options: Options,
  name: 'seal' | 'refresh',
): Promise<Outcome<null>> {
  const ways = [options.timestamp, options.exportTsq, options.importTsr].filter((way) => way !== undefined)
  if (ways.length !== 1) return fail('input.refused', 'name one of --timestamp, --export-tsq and --import-tsr')
  const possible =
    options.timestamp !== undefined
      ? askableAddress('--timestamp', options.timestamp)
      : options.exportTsq === undefined
        ? ok(null)
        : newFile(options.exportTsq)
  if (!possible.ok) return possible
  const lists = await readAuthority(context.world, options)
  if (!lists.ok) return lists
  const added: { readonly what: string; readonly at: string; readonly until: string }[] = []
  for (;;) {
    const next = await nextStamp(context.world, path, lists.value)
    if (!next.ok) return next
    const refused = name === 'seal' ? alreadyThere(next.value) : null
    if (refused !== null) return fail('input.refused', `${path} ${refused}; use “barewitness refresh”`)
    if (options.exportTsq !== undefined) return await exportQuery(context, options.exportTsq, next.value)
    const stamp = await stampOf(context, options, next.value, lists.value.certificates)
    if (!stamp.ok) return stamp
    const written = await next.value.write(stamp.value)
    if (!written.ok) return written
    const { reading } = stamp.value
    added.push({ what: next.value.what, at: reading.at, until: reading.until })
    say(`Added ${next.value.what}: ${reading.at}, says ${plain(reading.authority?.subject ?? 'nobody')}.`)
    say(`  It can be checked until ${reading.until}; refresh it before.`)
    // A report goes on to the level that covers everything; an answer that was carried is one step.
    if (next.value.level === 'B-T' && options.timestamp !== undefined) continue
    if (options.json === true) emit({ file: path, added })
    return ok(null)
  }
}

const alreadyThere = ({ level, first }: Stampable): string | null =>
  first ? null : level === null ? 'has a time-stamp over its seal' : 'has a time-stamp over everything'

async function exportQuery({ world }: Context, file: string, next: Stampable): Promise<Outcome<null>> {
  const written = await world.files.write(file, await world.timestamps.query(next.imprint))
  if (!written.ok) return written
  say(`Wrote the query for ${next.what} to ${file}.`)
  say('  Keep it: the answer is only accepted together with it, and while the file stays as it is.')
  return ok(null)
}

async function stampOf(
  { world }: Context,
  { timestamp, importTsr, tsq }: Options,
  { imprint, certificates }: Stampable,
  named: readonly Uint8Array[],
): Promise<Outcome<Stamp>> {
  const offered = [...certificates, ...named]
  if (timestamp !== undefined) return await world.timestamps.stamp(timestamp, imprint, offered)
  if (tsq === undefined || importTsr === undefined)
    return fail('input.refused', '--import-tsr needs --tsq, the query that the answer belongs to')
  const query = await world.files.read(tsq)
  if (!query.ok) return query
  const answer = await world.files.read(importTsr)
  return answer.ok ? await world.timestamps.accept(query.value, answer.value, imprint, offered) : answer
}
