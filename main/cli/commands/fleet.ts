import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Fleet, FleetNode } from '../../../schemas/types.ts'
import { catalog } from '../../catalog/index.ts'
import { assess } from '../../core/assess.ts'
import { decidedPin, type KeyList, pinInKnownHosts } from '../../core/host-key-pins.ts'
import { plain } from '../../core/plain-text.ts'
import { compare, loadAll } from '../../core/recording.ts'
import type { Context } from '../context.ts'
import { endWith } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { emit, emitText, say } from '../terminal.ts'
import { type BulkOptions, pinFromLists } from './fleet-trust.ts'

const KINDS = ['ssh-config', 'csv', 'ansible'] as const
type Kind = (typeof KINDS)[number]

/** `fleet import|show|trust|pin`: the declared population, decisions about host keys, and the parts that a later run must find again. */
export function fleetCommand(context: Context): void {
  const command = context.program.command('fleet').description('the declared population')
  command
    .command('import <file>')
    .description('ssh config, CSV or Ansible inventory → fleet file; every line accounted for')
    .option('--kind <kind>', KINDS.join(', '))
    .option('--name <name>', 'name of the fleet', 'My servers')
    .option('--out <file>', 'where to write the fleet file, as YAML, or JSON where it ends so; default JSON on stdout')
    .option('--sudo', 'root-only questions go through sudo on every node')
    .option(
      '--known-hosts <file...>',
      'pin host keys from these; for an ssh config those it names, else ~/.ssh/known_hosts',
    )
    .action(async (file: string, options: ImportOptions) => await importFleet(context, file, options))
  command
    .command('show <file>')
    .description('read and check a fleet file')
    .option('--json', 'machine-readable')
    .action(async (file: string, { json }: { json?: true }) => await showFleet(context, file, json === true))
  command
    .command('trust <file>')
    .description(
      'record a decision about a node’s host key, after you verified its fingerprint; or pin all nodes from a list',
    )
    .option('--node <name>', 'the node')
    .option('--fingerprint <SHA256:…>', 'the fingerprint you verified')
    .option(
      '--how <words>',
      'how you verified the fingerprint, or the list: with --list, keys that you decided about before count as compared with it',
    )
    .option('--from-known-hosts <file...>', 'pin every node that these known_hosts files have a key of')
    .option('--list <file...>', 'pin every node that stands in these lists, beside its fingerprint; they come first')
    .option('--json', 'machine-readable, with --from-known-hosts or --list')
    .action(async (file: string, { node, fingerprint, how, ...bulk }: Partial<TrustOptions> & BulkOptions) => {
      const isBulk = bulk.fromKnownHosts !== undefined || bulk.list !== undefined
      if (isBulk && node === undefined && fingerprint === undefined && (how === undefined || bulk.list !== undefined))
        return await pinFromLists(context, file, how === undefined ? bulk : { ...bulk, how })
      if (!isBulk && node !== undefined && fingerprint !== undefined && how !== undefined)
        return await trust(context, file, { node, fingerprint, how })
      const takes = '--node, --fingerprint and --how together, or --from-known-hosts, or --list with or without --how'
      endWith(context, { code: 'input.refused', detail: `fleet trust takes ${takes}` })
    })
  command
    .command('pin <file>')
    .description('pin serial numbers and addresses that a collection found, so that later ones notice a swapped part')
    .requiredOption('--from <recordings...>', 'recordings of the nodes')
    .action(async (file: string, { from }: { from: string[] }) => await pin(context, file, from))
}

async function pin(context: Context, file: string, folders: readonly string[]): Promise<void> {
  const { world } = context
  const fleet = await world.fleets.read(file)
  if (!fleet.ok) return endWith(context, fleet.error)
  const sources = await world.readRecordings(folders)
  const recordings = sources.ok ? await loadAll(sources.value) : sources
  if (!recordings.ok) return endWith(context, recordings.error)
  const asOf = recordings.value
    .map(({ recording }) => recording.endedAt)
    .sort()
    .at(-1)
  if (asOf === undefined) return context.exit(EXIT.usage)
  const population = fleet.value.targets({}).map(({ node }) => node.name)
  const scope = { fleet: fleet.value.fleet.name, population, frameworks: [] }
  const { nodes } = assess({ catalog, scope, recordings: recordings.value, asOf })
  const found = nodes.flatMap(({ node, isolation }) =>
    isolation === null || isolation.pins.length === 0 ? [] : [[node, isolation.pins] as const],
  )
  const before = fleet.value
    .targets({})
    .flatMap(({ node }) => (node.hardware === undefined ? [] : [[node.name, node.hardware] as const]))
  const pins = Object.fromEntries([...before, ...found].sort(([a], [b]) => compare(a, b)))
  const path = `${file}.hardware.json`
  const written = await world.files.write(path, `${JSON.stringify(pins, null, 2)}\n`)
  if (!written.ok) return endWith(context, written.error)
  for (const [node, parts] of found) say(`  ${node}  ${parts.length} parts`)
  say(`Wrote ${path}: parts of ${found.length} of ${population.length} nodes. Later collections compare with it.`)
}

async function importFleet(context: Context, file: string, options: ImportOptions): Promise<void> {
  const { world } = context
  const bytes = await world.files.read(file)
  if (!bytes.ok) return endWith(context, bytes.error)
  const kind = options.kind ?? guessKind(file)
  if (!KINDS.some((known) => known === kind)) {
    say(`--kind must be one of ${KINDS.join(', ')}`)
    return context.exit(EXIT.usage)
  }
  const { nodes, lines, knownHosts } = await world.importers.preview(
    kind as Kind,
    new TextDecoder().decode(bytes.value),
    [],
    {
      follow: true,
    },
  )
  for (const { line, file: included, outcome, why, text } of lines)
    say(
      `${included === undefined ? '' : `${plain(included)}:`}${String(line).padStart(5)}  ${outcome.padEnd(8)} ${plain(text, 60)}${why === '' ? '' : `  (${plain(why, 200)})`}`,
    )
  const problems = lines.filter(({ outcome }) => outcome === 'problem').length
  say(`${nodes.length} nodes from ${lines.length} lines; ${problems} with a problem`)
  if (nodes.length === 0) return context.exit(EXIT.usage)
  const lists = await knownHostsFor(context, kind as Kind, options.knownHosts)
  if (lists === null) return
  const own = options.knownHosts === undefined ? await ownLists(context, knownHosts ?? new Map()) : new Map()
  const pinned = nodes.map((node): FleetNode => {
    const found = decidedPin(node.hostKey, pinInKnownHosts(node, own.get(node.name) ?? lists))
    return {
      ...node,
      ...(found.kind === 'found' ? { hostKey: found.fingerprint } : {}),
      ...(options.sudo === true ? { sudo: true } : {}),
    }
  })
  if (lists.length + own.size > 0)
    say(`Host keys pinned: ${pinned.filter(({ hostKey }) => hostKey !== undefined).length} of ${nodes.length} nodes.`)
  // The schema wants at least one node, which there is.
  const fleet = { name: options.name, nodes: pinned } as unknown as Fleet
  if (problems > 0) context.exit(EXIT.incomplete)
  if (options.out === undefined) return emitText(world.fleets.textOf(fleet, '.json'))
  const written = await world.files.write(options.out, world.fleets.textOf(fleet, options.out))
  if (!written.ok) return endWith(context, written.error)
  say(`Wrote ${options.out}. Nothing was contacted.`)
}

/** The known_hosts files that keys are pinned from; null where one that was named cannot be read, which is told. */
async function knownHostsFor(
  context: Context,
  kind: Kind,
  named: readonly string[] | undefined,
): Promise<readonly KeyList[] | null> {
  const usual = kind === 'ssh-config' ? [join(homedir(), '.ssh', 'known_hosts')] : []
  const lists: KeyList[] = []
  for (const path of named ?? usual) {
    const bytes = await context.world.files.read(path)
    if (bytes.ok) lists.push({ file: path, text: new TextDecoder().decode(bytes.value) })
    else if (named !== undefined) {
      endWith(context, bytes.error)
      return null
    }
  }
  return lists
}

/** For the nodes whose configuration names known_hosts files of their own: those that can be read. The others are told. */
async function ownLists(
  { world }: Context,
  named: ReadonlyMap<string, readonly string[]>,
): Promise<ReadonlyMap<string, readonly KeyList[]>> {
  const lists = new Map<string, KeyList | null>()
  for (const path of new Set([...named.values()].flat())) {
    const file = path.startsWith('~/') ? join(homedir(), path.slice(2)) : path
    const bytes = await world.files.read(file)
    if (!bytes.ok) say(`${plain(path, 200)} could not be read; no host key is pinned from it.`)
    lists.set(path, bytes.ok ? { file, text: new TextDecoder().decode(bytes.value) } : null)
  }
  return new Map(
    [...named].map(([node, paths]) => [
      node,
      paths.flatMap((path) => {
        const list = lists.get(path)
        return list === null || list === undefined ? [] : [list]
      }),
    ]),
  )
}

interface ImportOptions {
  readonly kind?: string
  readonly name: string
  readonly out?: string
  readonly sudo?: true
  readonly knownHosts?: readonly string[]
}

const guessKind = (file: string): Kind =>
  /\.csv$/i.test(file) ? 'csv' : /\.(ya?ml|ini|hosts)$|inventory|hosts$/i.test(file) ? 'ansible' : 'ssh-config'

async function showFleet(context: Context, file: string, json: boolean): Promise<void> {
  const read = await context.world.fleets.read(file)
  if (!read.ok) return endWith(context, read.error)
  const { fleet } = read.value
  if (json) return emit(fleet)
  const collected = fleet.nodes.filter(({ jumpOnly }) => jumpOnly !== true)
  emitText(`${plain(fleet.name)}: ${collected.length} nodes in the population\n`)
  for (const node of collected) {
    const key = node.hostKey ?? node.knownHosts ?? fleet.knownHosts ?? 'no host key on record'
    emitText(
      `  ${node.name}  ${node.user ?? ''}@${node.address}:${node.port ?? 22}  ${key}${node.sudo === true ? '  sudo' : ''}${node.location === undefined ? '' : `  declared in ${plain(node.location.name)}`}\n`,
    )
  }
}

interface TrustOptions {
  readonly node: string
  readonly fingerprint: string
  readonly how: string
}

async function trust(context: Context, file: string, options: TrustOptions): Promise<void> {
  const { world } = context
  const read = await world.fleets.read(file)
  if (!read.ok) return endWith(context, read.error)
  const target = read.value.targets({}).find(({ node }) => node.name === options.node)
  if (target === undefined) {
    say(`${file} has no node named ${plain(options.node)}`)
    return context.exit(EXIT.usage)
  }
  const scanned = await world.hostKeys.scan(target, AbortSignal.timeout(20_000))
  if (!scanned.ok) return endWith(context, scanned.error)
  if (scanned.value.fingerprint !== options.fingerprint) {
    say(
      `${options.node} shows ${scanned.value.type} ${scanned.value.fingerprint}, not ${plain(options.fingerprint)}. Nothing was recorded.`,
    )
    return context.exit(EXIT.usage)
  }
  const decisions = target.trust.decisionsFile
  if (decisions === undefined) return context.exit(EXIT.bug)
  const recorded = await world.hostKeys.record(decisions, target, scanned.value, options.how)
  if (!recorded.ok) return endWith(context, recorded.error)
  say(
    `Recorded in ${decisions}: ${options.node} ${scanned.value.type} ${scanned.value.fingerprint} (${plain(options.how)})`,
  )
}
