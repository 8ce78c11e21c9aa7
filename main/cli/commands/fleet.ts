import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Fleet, FleetNode } from '../../../schemas/types.ts'
import { catalog } from '../../catalog/definition/index.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { hardwarePath } from '../../core/base/layout.ts'
import { plain } from '../../core/base/plain-text.ts'
import { assess } from '../../core/conclusion/assess.ts'
import { listProblem, matchKeys, readDecision } from '../../core/fleet/host-key-list.ts'
import {
  decidedPin,
  type KeyList,
  keysFor,
  type PinDecision,
  parseKnownHosts,
  pinInKnownHosts,
  pinInList,
} from '../../core/fleet/known-hosts.ts'
import type { ConnectTarget } from '../../core/ports/ports.ts'
import { compare, loadAll } from '../../core/recording/recording.ts'
import { type Context, EXIT, emit, emitText, endWith, JSON_OUTPUT, printLine } from '../parts/options.ts'

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
    .option(...JSON_OUTPUT)
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
  for (const [node, parts] of found) printLine(`  ${node}  ${parts.length} parts`)
  printLine(
    `Wrote ${path}: parts of ${found.length} of ${population.length} nodes. Later collections are compared with it.`,
  )
}

async function importFleet(context: Context, file: string, options: ImportOptions): Promise<void> {
  const { ports } = context
  const bytes = await ports.files.read(file)
  if (!bytes.ok) return endWith(context, bytes.error)
  const kind = options.kind ?? guessKind(file)
  if (!KINDS.some((known) => known === kind)) {
    printLine(`--kind must be one of ${KINDS.join(', ')}`)
    return context.exit(EXIT.usage)
  }
  const text = new TextDecoder().decode(bytes.value)
  const { nodes, lines, knownHosts } = await ports.importers.preview(kind as Kind, text, [], { follow: true })
  for (const { line, file: included, outcome, why, text: shown } of lines)
    printLine(
      `${included === undefined ? '' : `${plain(included)}:`}${String(line).padStart(5)}  ${outcome.padEnd(8)} ${plain(shown, 60)}${why === '' ? '' : `  (${plain(why, 200)})`}`,
    )
  const problems = lines.filter(({ outcome }) => outcome === 'problem').length
  printLine(`${nodes.length} nodes from ${lines.length} lines; ${problems} lines with a problem`)
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
    printLine(
      `Host keys pinned: ${pinned.filter(({ hostKey }) => hostKey !== undefined).length} of ${nodes.length} nodes.`,
    )
  // The schema requires at least one node; there is one here.
  const fleet = { name: options.name, nodes: pinned } as unknown as Fleet
  if (problems > 0) context.exit(EXIT.incomplete)
  if (options.out === undefined) return emitText(ports.fleets.textOf(fleet, '.json'))
  const written = await ports.files.write(options.out, ports.fleets.textOf(fleet, options.out))
  if (!written.ok) return endWith(context, written.error)
  printLine(`Wrote ${options.out}. Nothing was contacted.`)
}

/** The known_hosts files that keys are pinned from; null where one that was named cannot be read, which is reported. */
async function knownHostsFor(
  context: Context,
  kind: Kind,
  named: readonly string[] | undefined,
): Promise<readonly KeyList[] | null> {
  const usual = kind === 'ssh-config' ? [join(homedir(), '.ssh', 'known_hosts')] : []
  if (named !== undefined) return await listsIn(context, named)
  const found = await Promise.all(usual.map((path) => listIn(context, path)))
  return found.flatMap((list) => (list.ok ? [list.value] : []))
}

async function listIn({ ports }: Context, file: string): Promise<Outcome<KeyList>> {
  const bytes = await ports.files.read(file)
  return bytes.ok ? ok({ file, text: new TextDecoder().decode(bytes.value) }) : bytes
}

/** The lists in files; null where one cannot be read, which is reported. */
async function listsIn(context: Context, paths: readonly string[]): Promise<readonly KeyList[] | null> {
  const lists: KeyList[] = []
  for (const path of paths) {
    const list = await listIn(context, path)
    if (!list.ok) {
      endWith(context, list.error)
      return null
    }
    lists.push(list.value)
  }
  return lists
}

/** The known_hosts files that the configuration names for a node. Unreadable files are reported and skipped. */
async function ownLists(
  context: Context,
  named: ReadonlyMap<string, readonly string[]>,
): Promise<ReadonlyMap<string, readonly KeyList[]>> {
  const lists = new Map<string, KeyList>()
  for (const path of new Set([...named.values()].flat())) {
    const list = await listIn(context, path.startsWith('~/') ? join(homedir(), path.slice(2)) : path)
    if (list.ok) lists.set(path, list.value)
    else printLine(`Could not read ${plain(path, 200)}: no host key is pinned from it.`)
  }
  return new Map([...named].map(([node, paths]) => [node, paths.flatMap((path) => lists.get(path) ?? [])]))
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
      `  ${node.name}  ${node.user ?? ''}@${node.address}:${node.port ?? 22}  ${key}${node.sudo === true ? '  sudo' : ''}${node.location === undefined ? '' : `  declared place ${plain(node.location.name)}`}\n`,
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
    printLine(`${file} contains no node named ${plain(options.node)}`)
    return context.exit(EXIT.usage)
  }
  const scanned = await ports.hostKeys.scan(target, AbortSignal.timeout(20_000))
  if (!scanned.ok) return endWith(context, scanned.error)
  if (scanned.value.fingerprint !== options.fingerprint) {
    printLine(
      `${options.node} presents ${scanned.value.type} ${scanned.value.fingerprint}, not ${plain(options.fingerprint)}. Nothing was recorded.`,
    )
    return context.exit(EXIT.usage)
  }
  const decisions = target.trust.decisionsFile
  if (decisions === undefined) return context.exit(EXIT.bug)
  const recorded = await ports.hostKeys.record(decisions, target, scanned.value, options.how)
  if (!recorded.ok) return endWith(context, recorded.error)
  printLine(
    `Recorded in ${decisions}: ${options.node} ${scanned.value.type} ${scanned.value.fingerprint} (${plain(options.how)})`,
  )
}

interface BulkOptions {
  readonly fromKnownHosts?: readonly string[]
  readonly list?: readonly string[]
  /** The source of the list and how it was verified: with it, keys confirmed manually before are compared with the list. */
  readonly how?: string
  readonly json?: true
}

type KeyResult =
  | PinDecision
  /** The key was confirmed manually before; its entry now names the list, which is stored next to it as evidence. */
  | { readonly kind: 'compared'; readonly fingerprint: string; readonly from: string }

const WORDS: Readonly<Record<KeyResult['kind'], string>> = {
  found: 'pinned',
  compared: 'confirmed before; the list contains the same key and is stored with that decision',
  already: 'already pinned to the same key',
  other: 'NOT CHANGED: already pinned to another key',
  ambiguous: 'not pinned: several keys match',
  revoked: 'NOT PINNED: its key is marked as revoked',
  authority: 'not pinned: only a certificate authority is listed; use “knownHosts” for it',
  none: 'not pinned: not in the list',
}

/** `fleet trust FILE --from-known-hosts …` and `--list …`: pins all nodes at once, as `hostKey` in the fleet file. Contacts no node. */
async function pinFromLists(context: Context, file: string, options: BulkOptions): Promise<void> {
  const { ports } = context
  const fleet = await ports.fleets.read(file)
  if (!fleet.ok) return endWith(context, fleet.error)
  const known = await listsIn(context, options.fromKnownHosts ?? [])
  const given = known === null ? null : await listsIn(context, options.list ?? [])
  if (known === null || given === null) return
  const { how } = options
  const compared =
    how === undefined ? ok(new Map()) : await comparedDecisions(context, fleet.value.targets({}), given, how)
  if (!compared.ok) return endWith(context, compared.error)
  const decided = fleet.value.fleet.nodes.map((node): KeyResult & { readonly node: string } => {
    const borne = compared.value.get(node.name)
    if (borne !== undefined) return { node: node.name, kind: 'compared', ...borne }
    const listed = given.length === 0 ? ({ kind: 'none' } as const) : pinInList(node, given)
    return {
      node: node.name,
      ...decidedPin(node.hostKey, listed.kind === 'none' ? pinInKnownHosts(node, known) : listed),
    }
  })
  const pins = decided.flatMap((one) => (one.kind === 'found' ? [[one.node, one] as const] : []))
  if (pins.length > 0) {
    const before = await ports.files.read(file)
    if (!before.ok) return endWith(context, before.error)
    const day = ports.clock.now().slice(0, 10)
    const notes = new Map(pins.map(([node, { fingerprint, from }]) => [node, { fingerprint, note: `${from}, ${day}` }]))
    const written = await ports.files.write(file, ports.fleets.withHostKeys(before.value, notes))
    if (!written.ok) return endWith(context, written.error)
  }
  if (options.json === true) emit(decided)
  for (const one of decided)
    printLine(
      `  ${one.node}  ${WORDS[one.kind]}${'from' in one && one.from !== '' ? `  (${plain(one.from, 300)})` : ''}`,
    )
  const settled: readonly KeyResult['kind'][] = ['found', 'already', 'compared']
  const open = decided.filter(({ kind }) => !settled.includes(kind)).length
  const also = compared.value.size === 0 ? '' : `; ${compared.value.size} confirmed before and in the list`
  printLine(
    `Pinned ${pins.length} of ${decided.length} nodes in ${file}${also}; ${open} not verified. No node was contacted.`,
  )
  if (open > 0) context.exit(EXIT.incomplete)
}

interface Borne {
  readonly fingerprint: string
  readonly from: string
}

/**
 * Keys that were confirmed manually only, and that a list contains: the decision is recorded again with the list and the line, as in the
 * window, so that the list becomes evidence of every later collection. Nodes that are pinned in the fleet file stay unchanged.
 */
async function comparedDecisions(
  context: Context,
  targets: readonly ConnectTarget[],
  lists: readonly KeyList[],
  how: string,
): Promise<Outcome<ReadonlyMap<string, Borne>>> {
  if (how.trim().length < 3)
    return fail('input.refused', 'enter the source of the list, and how you verified it, with --verified-by')
  const problem = lists
    .map(({ file, text }) => [file, listProblem(text)] as const)
    .find(([, listed]) => listed !== null)
  if (problem !== undefined) return fail('input.refused', `${problem[0]}: ${problem[1]}`)
  const decisions = new Map<string, string>()
  for (const path of new Set(targets.flatMap(({ trust }) => trust.decisionsFile ?? []))) {
    const list = await listIn(context, path)
    if (list.ok) decisions.set(path, list.value.text)
  }
  const fleet = targets.map(({ node: { name, address, port } }) => ({ node: name, address, port }))
  const waiting = targets.flatMap((target) => {
    const { node, trust } = target
    const text = decisions.get(trust.decisionsFile ?? '')
    if (text === undefined || trust.fingerprint !== undefined) return []
    const lines = new Map(parseKnownHosts(text).map((one) => [one.line, one]))
    return keysFor(text, node.address, node.port).flatMap(({ line, type, fingerprint, marker }) => {
      const { key, comment } = lines.get(line) ?? { key: '', comment: '' }
      return marker !== null || readDecision(comment).list !== null
        ? []
        : [{ target, key: { type, fingerprint, blob: Buffer.from(key, 'base64') } }]
    })
  })
  const borne = new Map<string, Borne>()
  const done = new Set<(typeof waiting)[number]>()
  // A server has one key of each type; a list may contain several of them.
  for (const type of new Set(waiting.map(({ key }) => key.type)))
    for (const { file, text } of lists) {
      const own = waiting.filter((one) => one.key.type === type && !done.has(one))
      const shown = own.map(({ target: { node }, key }) => ({
        node: node.name,
        address: node.address,
        port: node.port,
        fingerprint: key.fingerprint,
      }))
      const found = matchKeys(text, shown, fleet)
      for (const one of own) {
        const { target, key } = one
        const line = found.get(target.node.name)
        if (line === undefined) continue
        const decisionsFile = target.trust.decisionsFile ?? ''
        const { hostKeys } = context.ports
        const recorded = await hostKeys.record(decisionsFile, target, key, how.trim(), { text, line })
        if (!recorded.ok) return recorded
        done.add(one)
        borne.set(target.node.name, { fingerprint: key.fingerprint, from: `${file} line ${line}` })
      }
    }
  return ok(borne)
}
