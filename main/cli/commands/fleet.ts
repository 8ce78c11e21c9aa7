import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Fleet, FleetNode } from '../../../schemas/types.ts'
import { catalog } from '../../catalog/index.ts'
import { assess } from '../../core/assess.ts'
import { decidedPin, type KeyList, pinInKnownHosts } from '../../core/host-key-pins.ts'
import { hardwarePath } from '../../core/layout.ts'
import { plain } from '../../core/plain-text.ts'
import { compare, loadAll } from '../../core/recording.ts'
import type { Context } from '../context.ts'
import { endWith } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { emit, emitText, say } from '../terminal.ts'
import { type BulkOptions, pinFromLists } from './fleet-trust.ts'

const KINDS = ['ssh-config', 'csv', 'ansible'] as const
type Kind = (typeof KINDS)[number]

/** `fleet import|show|trust|pin`: the fleet file, verified host keys, and serial numbers that later runs compare with. */
export function fleetCommand(context: Context): void {
  const command = context.program.command('fleet').description('Manage the fleet file')
  command
    .command('import')
    .description('Convert an SSH config, CSV file or Ansible inventory to a fleet file')
    .argument('<file>', 'File to convert')
    .option('--kind <kind>', `Kind of the file: ${KINDS.join(', ')}; default by its name`)
    .option('--name <name>', 'Name of the fleet', 'My servers')
    .option('--out <file>', 'Fleet file to write, YAML or (ending in .json) JSON; default JSON on stdout')
    .option('--sudo', 'Run privileged probes with sudo on every node')
    .option(
      '--known-hosts <file...>',
      'Pin host keys from these files; default for an SSH config the files it names, otherwise ~/.ssh/known_hosts',
    )
    .action(async (file: string, options: ImportOptions) => await importFleet(context, file, options))
  command
    .command('show')
    .description('Validate and print a fleet file')
    .argument('<file>', 'Fleet file')
    .option('--json', 'Print JSON')
    .action(async (file: string, { json }: { json?: true }) => await showFleet(context, file, json === true))
  command
    .command('trust')
    .description('Record a verified host key for a node')
    .argument('<file>', 'Fleet file')
    .option('--node <name>', 'Node')
    .option('--fingerprint <SHA256:…>', 'Fingerprint that you verified')
    .option(
      '--verified-by <text>',
      'How you verified the fingerprint or the list; with --list, earlier manual decisions are compared with the list',
    )
    .option('--from-known-hosts <file...>', 'Pin every node whose key is in these known_hosts files')
    .option('--list <file...>', 'Pin every node whose fingerprint is in these lists; lists take precedence')
    .option('--json', 'Print JSON, with --from-known-hosts or --list')
    .action(async (file: string, { verifiedBy: how, ...options }: Partial<TrustOptions> & BulkTrustOptions) => {
      const { node, fingerprint, ...bulk } = options
      const isBulk = bulk.fromKnownHosts !== undefined || bulk.list !== undefined
      if (isBulk && node === undefined && fingerprint === undefined && (how === undefined || bulk.list !== undefined))
        return await pinFromLists(context, file, how === undefined ? bulk : { ...bulk, how })
      if (!isBulk && node !== undefined && fingerprint !== undefined && how !== undefined)
        return await trust(context, file, { node, fingerprint, how })
      const forms =
        '--node, --fingerprint and --verified-by together, --from-known-hosts, or --list with or without --verified-by'
      endWith(context, { code: 'input.refused', detail: `fleet trust requires ${forms}` })
    })
  command
    .command('pin')
    .description('Record hardware serial numbers to detect replaced components')
    .argument('<file>', 'Fleet file')
    .requiredOption('--from <recordings...>', 'Folders of recordings of the nodes')
    .action(async (file: string, { from }: { from: string[] }) => await pin(context, file, from))
}

async function pin(context: Context, file: string, folders: readonly string[]): Promise<void> {
  const { ports } = context
  const fleet = await ports.fleets.read(file)
  if (!fleet.ok) return endWith(context, fleet.error)
  const sources = await ports.readRecordings(folders)
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
  const path = hardwarePath(file)
  const written = await ports.files.write(path, `${JSON.stringify(pins, null, 2)}\n`)
  if (!written.ok) return endWith(context, written.error)
  for (const [node, parts] of found) say(`  ${node}  ${parts.length} parts`)
  say(`Wrote ${path}: parts of ${found.length} of ${population.length} nodes. Later collections are compared with it.`)
}

async function importFleet(context: Context, file: string, options: ImportOptions): Promise<void> {
  const { ports } = context
  const bytes = await ports.files.read(file)
  if (!bytes.ok) return endWith(context, bytes.error)
  const kind = options.kind ?? guessKind(file)
  if (!KINDS.some((known) => known === kind)) {
    say(`--kind must be one of ${KINDS.join(', ')}`)
    return context.exit(EXIT.usage)
  }
  const { nodes, lines, knownHosts } = await ports.importers.preview(
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
  say(`${nodes.length} nodes from ${lines.length} lines; ${problems} lines with a problem`)
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
  // The schema requires at least one node; there is one here.
  const fleet = { name: options.name, nodes: pinned } as unknown as Fleet
  if (problems > 0) context.exit(EXIT.incomplete)
  if (options.out === undefined) return emitText(ports.fleets.textOf(fleet, '.json'))
  const written = await ports.files.write(options.out, ports.fleets.textOf(fleet, options.out))
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
    const bytes = await context.ports.files.read(path)
    if (bytes.ok) lists.push({ file: path, text: new TextDecoder().decode(bytes.value) })
    else if (named !== undefined) {
      endWith(context, bytes.error)
      return null
    }
  }
  return lists
}

/** The known_hosts files that the configuration names for a node. Unreadable files are reported and skipped. */
async function ownLists(
  { ports }: Context,
  named: ReadonlyMap<string, readonly string[]>,
): Promise<ReadonlyMap<string, readonly KeyList[]>> {
  const lists = new Map<string, KeyList | null>()
  for (const path of new Set([...named.values()].flat())) {
    const file = path.startsWith('~/') ? join(homedir(), path.slice(2)) : path
    const bytes = await ports.files.read(file)
    if (!bytes.ok) say(`Could not read ${plain(path, 200)}: no host key is pinned from it.`)
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
  const read = await context.ports.fleets.read(file)
  if (!read.ok) return endWith(context, read.error)
  const { fleet } = read.value
  if (json) return emit(fleet)
  const collected = fleet.nodes.filter(({ jumpOnly }) => jumpOnly !== true)
  emitText(`${plain(fleet.name)}: ${collected.length} nodes in the population\n`)
  for (const node of collected) {
    const key = node.hostKey ?? node.knownHosts ?? fleet.knownHosts ?? 'host key not verified'
    emitText(
      `  ${node.name}  ${node.user ?? ''}@${node.address}:${node.port ?? 22}  ${key}${node.sudo === true ? '  sudo' : ''}${node.location === undefined ? '' : `  declared location ${plain(node.location.name)}`}\n`,
    )
  }
}

interface TrustOptions {
  readonly node: string
  readonly fingerprint: string
  readonly how: string
}
type BulkTrustOptions = Omit<BulkOptions, 'how'> & { readonly verifiedBy?: string }

async function trust(context: Context, file: string, options: TrustOptions): Promise<void> {
  const { ports } = context
  const read = await ports.fleets.read(file)
  if (!read.ok) return endWith(context, read.error)
  const target = read.value.targets({}).find(({ node }) => node.name === options.node)
  if (target === undefined) {
    say(`${file} contains no node named ${plain(options.node)}`)
    return context.exit(EXIT.usage)
  }
  const scanned = await ports.hostKeys.scan(target, AbortSignal.timeout(20_000))
  if (!scanned.ok) return endWith(context, scanned.error)
  if (scanned.value.fingerprint !== options.fingerprint) {
    say(
      `${options.node} presents ${scanned.value.type} ${scanned.value.fingerprint}, not ${plain(options.fingerprint)}. Nothing was recorded.`,
    )
    return context.exit(EXIT.usage)
  }
  const decisions = target.trust.decisionsFile
  if (decisions === undefined) return context.exit(EXIT.bug)
  const recorded = await ports.hostKeys.record(decisions, target, scanned.value, options.how)
  if (!recorded.ok) return endWith(context, recorded.error)
  say(
    `Recorded in ${decisions}: ${options.node} ${scanned.value.type} ${scanned.value.fingerprint} (${plain(options.how)})`,
  )
}
