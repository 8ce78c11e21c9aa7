import type { Command } from 'commander'
import type { TeamConfig, TeamObjects } from '../../../schemas/types.ts'
import { USUAL_YEARS } from '../../app/history/retention.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain, plural } from '../../core/base/plain-text.ts'
import type { ObjectStore } from '../../core/objects.ts'
import { type Context, EXIT, endWith, printLine } from '../parts/options.ts'

interface Options {
  readonly config: string
  readonly engagement: string
}

interface Opened {
  readonly store: ObjectStore
  readonly input: { readonly root: string; readonly engagement: string; readonly years: number }
}

/** `objects copy|verify|restore`: the store that a team server copies evidence to. */
export function objectsCommand(context: Context): void {
  const command = context.program.command('objects').description('Copy evidence to an object store with a lock')
  const named = (one: Command): Command =>
    one
      .requiredOption('--config <file>', 'Configuration of the team server')
      .requiredOption('--engagement <name>', 'Engagement in that configuration')
  named(command.command('copy').description('Copy what the store does not have yet')).action((options: Options) =>
    withStore(context, options, async (opened) => await copy(context, opened)),
  )
  named(command.command('verify').description('Compare the folder with the store: files, retention and run chains'))
    .option('--contents', 'Read every object and compare its digest')
    .action((options: Options & { readonly contents?: true }) =>
      withStore(context, options, async (opened) => await verify(context, opened, options.contents === true)),
    )
  named(command.command('restore').description('Write everything that the store has into an empty folder'))
    .requiredOption('--to <folder>', 'New or empty folder')
    .action((options: Options & { readonly to: string }) =>
      withStore(context, options, async (opened) => await restore(context, opened, options.to)),
    )
}

async function withStore(context: Context, options: Options, work: (opened: Opened) => Promise<void>): Promise<void> {
  const opened = await openedStore(options)
  if (!opened.ok) return endWith(context, opened.error)
  const { store } = opened.value
  printLine(`Object store: ${plain(store.name, 600)}`)
  if (!store.locks)
    printLine('This store is a folder without a lock: an account that can write to it can delete from it.')
  await work(opened.value)
}

async function openedStore({ config: file, engagement: name }: Options): Promise<Outcome<Opened>> {
  // Loaded when needed: no other command needs the server and the client of the store.
  const { teamConfigIn } = await import('../parts/serving.ts')
  const config: Outcome<TeamConfig> = await teamConfigIn(file)
  if (!config.ok) return config
  const { engagements } = config.value
  const objects: TeamObjects | undefined = config.value.objects
  const engagement = engagements.find((one) => one.name === name)
  if (engagement === undefined) return fail('input.not-found', `${file} has no engagement ${plain(name, 60)}`)
  if (objects === undefined) return fail('input.refused', `${file} names no object store; add objects`)
  const { readObjectSecrets } = await import('../../adapters/team-config.ts')
  const secrets = readObjectSecrets(objects)
  if (!secrets.ok) return secrets
  const { openObjects } = await import('../../adapters/objects/index.ts')
  const store = await openObjects(objects, secrets.value, name)
  if (!store.ok) return store
  const input = { root: engagement.folder, engagement: name, years: objects.years ?? USUAL_YEARS }
  return ok({ store: store.value, input })
}

async function copy(context: Context, { store, input }: Opened): Promise<void> {
  const { copyToStore } = await import('../../app/objects/copy.ts')
  const copied = await copyToStore(context.ports, store, input)
  if (!copied.ok) return endWith(context, copied.error)
  const { files, objects, all, until, notIncluded } = copied.value
  if (until === null) printLine(`Nothing was new. The store has ${plural(all, 'file')} of ${input.engagement}.`)
  else
    printLine(
      `Copied ${plural(files, 'file')} as ${plural(objects, 'new object')}, ${store.locks ? 'locked' : 'to be kept'} until ${until}. The store has ${plural(all, 'file')} of ${input.engagement}.`,
    )
  for (const text of notIncluded) printLine(`Not included: ${plain(text)}`)
  context.exit(notIncluded.length > 0 ? EXIT.incomplete : EXIT.done)
}

async function verify(context: Context, { store, input }: Opened, contents: boolean): Promise<void> {
  const { compareWithStore, isWhole } = await import('../../app/objects/verify.ts')
  const compared = await compareWithStore(context.ports, store, input, contents)
  if (!compared.ok) return endWith(context, compared.error)
  const { value } = compared
  for (const path of value.notCopied) printLine(`Not in the store: ${plain(path)}`)
  for (const path of value.differing) printLine(`Differs from the store: ${plain(path)}`)
  for (const { path, until } of value.lost)
    printLine(`Missing in the folder; the store has it, until ${until}: ${plain(path)}`)
  for (const run of value.retired)
    printLine(`Deleted here under the retention policy, and still in the store: ${plain(run)}`)
  for (const path of value.discarded) printLine(`Export discarded here, and still in the store: ${plain(path)}`)
  for (const { path, why } of value.notKept) printLine(`Not kept as its list states: ${plain(path)}: its object ${why}`)
  for (const key of value.hidden) printLine(`Behind a delete marker, and still kept: ${plain(key)}`)
  for (const key of value.rewritten) printLine(`Written again; the first version is still kept: ${plain(key)}`)
  for (const text of value.chains) printLine(`Run chain: ${plain(text)}`)
  if (value.first > 1) printLine(`Lists before number ${value.first} are no longer in the store.`)
  const of = `${plural(value.listed, 'file')} in ${plural(value.objects, 'object')}`
  const read = contents ? 'Every object was read' : 'Objects were not read; use --contents to read them'
  const whole = isWhole(value)
  printLine(`${whole ? 'Folder and store agree' : 'Folder and store differ'}: ${of}. ${read}.`)
  const isPlain = value.hidden.length + value.rewritten.length === 0
  context.exit(whole ? (isPlain ? EXIT.done : EXIT.gaps) : EXIT.notVerified)
}

async function restore(context: Context, { store, input }: Opened, to: string): Promise<void> {
  const { restoreFromStore } = await import('../../app/objects/restore.ts')
  const restored = await restoreFromStore(context.ports, store, { engagement: input.engagement, to })
  if (!restored.ok) return endWith(context, restored.error)
  const { files, runs, chains, ended } = restored.value
  printLine(
    `${to} contains ${plural(files, 'file')}, each verified against its digest; ${plural(runs, 'run')} in the history.`,
  )
  for (const { fleet, entries } of chains) printLine(`The run chain of ${plain(fleet)} has ${entries} entries.`)
  for (const path of ended)
    printLine(`Not restored; its retention has ended and the store no longer has it: ${plain(path)}`)
  printLine(
    'Signing identities are not in the store. Runs that were deleted under the retention policy are restored as well.',
  )
  context.exit(ended.length > 0 ? EXIT.incomplete : EXIT.done)
}
