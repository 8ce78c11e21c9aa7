import type { Command } from 'commander'
import { backUp, restore } from '../../app/backup.ts'
import { historyView } from '../../app/history-view.ts'
import { rebuildHistory } from '../../app/rebuild-history.ts'
import { retain, USUAL_YEARS } from '../../app/retention.ts'
import type { Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { type Context, endWith } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { countedNumber } from '../options.ts'
import { type KeyOptions, keyOptions, openSigner } from '../sealing.ts'
import { emit, say } from '../terminal.ts'
import { headText, listLines, rebuiltLines } from './history-list.ts'

const OUT = ['--out <folder>', 'where “run” put evidence and packs', 'out'] as const

interface Out {
  readonly out: string
  readonly json?: true
}

/** `history`: what is kept. */
export function keepingCommands(command: Command, context: Context): void {
  command
    .command('list')
    .description('runs, planned ones that did not happen, and what is kept of them')
    .option(...OUT)
    .option('--json', 'print the list')
    .action((options: Out) => list(context, options))
  command
    .command('show <run>')
    .description('what is kept of one run')
    .option(...OUT)
    .option('--json', 'print its trace')
    .action((run: string, options: Out) => show(context, run, options))
  command
    .command('rebuild')
    .description('take traces that the history lacks from sealed packs')
    .option(...OUT)
    .action(async ({ out }: Out) => {
      const rebuilt = await rebuildHistory(context.world, out)
      if (!rebuilt.ok) return endWith(context, rebuilt.error)
      const lines = [...rebuiltLines(rebuilt.value)]
      for (const line of lines.length === 0 ? ['The history has every sealed run that the chains name.'] : lines)
        say(line)
      context.exit(rebuilt.value.missing.length > 0 ? EXIT.incomplete : EXIT.done)
    })
  command
    .command('backup')
    .description('one archive of evidence, packs, chains, history, schedules and register')
    .option(...OUT)
    .requiredOption('--to <file>', 'the new archive')
    .action(async ({ out, to }: Out & { readonly to: string }) => {
      const made = await backUp(context.world, out, to)
      if (!made.ok) return endWith(context, made.error)
      say(`${to} holds ${made.value.files} files, ${made.value.bytes} bytes.`)
      say('Signing identities are not in it: back each up with “barewitness identity backup”.')
      for (const text of made.value.leftOut) say(`Left out: ${plain(text)}`)
      if (made.value.notOurs.length > 0)
        say(`Not of Barewitness, and not in it: ${made.value.notOurs.map((name) => plain(name)).join(', ')}.`)
      context.exit(made.value.leftOut.length > 0 ? EXIT.incomplete : EXIT.done)
    })
  command
    .command('restore <file>')
    .description('put a backup into a new or empty folder')
    .requiredOption('--to <folder>', 'the folder')
    .action(async (file: string, { to }: { readonly to: string }) => {
      const done = await restore(context.world, file, to)
      if (!done.ok) return endWith(context, done.error)
      say(
        `${to} holds ${done.value.files} files, each compared with its digest; ${done.value.runs} runs in the history.`,
      )
      for (const { fleet, entries } of done.value.chains) say(`The chain of ${plain(fleet)} has ${entries} entries.`)
    })
  retainCommand(command, context)
}

async function list(context: Context, { out, json }: Out): Promise<void> {
  const view = await historyView(context.world, out)
  if (!view.ok) return endWith(context, view.error)
  if (json === true) emit(view.value)
  const lines = [...listLines(view.value)]
  for (const line of lines.length === 0 ? [`Nothing is kept in ${out}.`] : lines) say(line)
  if ((view.value.rebuilt?.missing.length ?? 0) > 0) context.exit(EXIT.incomplete)
}

async function show(context: Context, run: string, { out, json }: Out): Promise<void> {
  const view = await historyView(context.world, out)
  if (!view.ok) return endWith(context, view.error)
  const heads = view.value.kept.filter((head) => head.run === run)
  const history = await context.world.openHistory(out)
  if (!history.ok) return endWith(context, history.error)
  // Without one, load() says in which folder it was looked for.
  for (const tagManifest of heads.length === 0 ? [null] : heads.map(({ sealed }) => sealed?.tagManifest ?? null)) {
    const kept = await history.value.load(run, tagManifest)
    if (!kept.ok) return endWith(context, kept.error)
    if (json === true) emit(kept.value)
    const head = heads.find(({ sealed }) => (sealed?.tagManifest ?? null) === tagManifest)
    if (head !== undefined) say(`${head.asOf}  ${headText(head)}`)
    if (kept.value.sealed !== null) {
      say(`  pack ${plain(kept.value.sealed.pack)}, tag manifest ${kept.value.sealed.tagManifest}`)
      say(`  sealed by the key ${kept.value.sealed.signer}`)
    }
    for (const { node, status, failure } of kept.value.trace.nodes)
      say(`  ${plain(node)}: ${status}${failure === null ? '' : ` (${failure})`}`)
  }
}

type RetainOptions = KeyOptions &
  Out & { readonly years: string; readonly why: string; readonly evenInPeriods?: true; readonly apply?: true }

function retainCommand(command: Command, context: Context): void {
  keyOptions(
    command
      .command('retain')
      .description('let go of runs that are older than the policy says; only lists them without --apply')
      .option(...OUT)
      .option('--years <number>', 'how long runs are kept', String(USUAL_YEARS))
      .option('--why <words>', `needed for fewer than ${USUAL_YEARS} years`, '')
      .option('--even-in-periods', 'also runs that a sealed account of a period rests on; needs --why')
      .option('--apply', 'enter into the chain, signed, that they are let go; then remove them'),
  ).action(async (options: RetainOptions) => {
    const years: Outcome<number> = countedNumber('--years', options.years)
    if (!years.ok) return endWith(context, years.error)
    const retained = await retain(context.world, {
      root: options.out,
      years: years.value,
      why: options.why,
      evenInPeriods: options.evenInPeriods === true,
      openSigner: options.apply === true ? () => openSigner(context, options) : null,
    })
    if (!retained.ok) return endWith(context, retained.error)
    const { due, stays, freed, applied } = retained.value
    for (const { run, at } of due) say(`${applied ? 'Removed' : 'Would go'}: ${plain(run)}, as of ${at}`)
    for (const { run, why } of stays) say(`Stays: ${plain(run)}: ${why}`)
    if (due.length === 0) say(`No run is older than ${years.value} years, but for what stays.`)
    else if (!applied) say('Nothing was removed. Do it with --apply.')
    else say(`The chain keeps an entry of each. ${freed} bytes were held by these runs alone.`)
  })
}
