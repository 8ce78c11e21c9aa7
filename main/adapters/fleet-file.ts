import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, resolve } from 'node:path'
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, Scalar, stringify } from 'yaml'
import type { Fleet, FleetNode, HardwarePins } from '../../schemas/types.ts'
import type { FleetFile, Fleets, TargetOptions } from '../core/all-ports.ts'
import { fail, type Outcome, ok } from '../core/base/failure.ts'
import { decisionsPath, hardwarePath } from '../core/base/layout.ts'
import { stated } from '../core/base/optional.ts'
import { plain } from '../core/base/plain-text.ts'
import { declaredNode, type PlannedNode, planFleet, withPaths } from '../core/fleet/fleet.ts'
import type { ConnectTarget, Credentials, HostKeyTrust } from '../core/ports/ports.ts'
import { type PlacedProblem, placedProblems, placeName } from './schema-validator.ts'
import type { Hop } from './ssh/host-key.ts'

const LARGEST = 8 * 1024 * 1024
const MOST_ALIASES = 100

/**
 * Reads fleet files. Every problem is one sentence with file, line, column and field; several are separated by “; ”.
 */
export function createFleets(): Fleets {
  return {
    read: async (path) => {
      const text = await textIn(path)
      if (!text.ok) return text
      const pins = await readFile(hardwarePathFor(path), 'utf8').catch(() => null)
      return parseFleet(text.value, path, pins)
    },
    inspect: async (path) => {
      const text = await textIn(path)
      if (!text.ok) return text
      const { fleet, problems } = inspected(text.value, path)
      return ok({
        fleet,
        problems: problems.map(({ line, column, path: place, text: sentence }) => ({
          line,
          column,
          field: place === null ? '' : placeName(place),
          text: sentence,
        })),
      })
    },
    problems: (fleet, path) =>
      problemsIn(fleet, path).problems.map(({ path: place, text, missing }) => ({
        path: missing === undefined ? place : [...place, missing],
        text: missing === undefined ? text : 'is required',
      })),
    moved: (fleet, path) =>
      withPaths(fleet, ({ path: [member], file }) =>
        // A built-in profile is named by its id.
        file.startsWith('~/') || (member === 'provider' && !existsSync(pathFrom(path, file)))
          ? file
          : pathFrom(path, file),
      ),
    textOf: (value, path) => (/\.json$/i.test(path) ? `${JSON.stringify(value, null, 2)}\n` : stringify(value)),
    withHostKeys,
  }
}

/**
 * The text of a fleet file, YAML or JSON. `path` names it in problems, and is the base of relative paths in it.
 * `hardware` is the text of the file of pinned components next to it, where there is one.
 */
export function parseFleet(text: string, path: string, hardware: string | null = null): Outcome<FleetFile> {
  const { fleet, planned, problems } = inspected(text, path)
  if (fleet === null)
    return fail(
      'input.refused',
      problems
        .map(({ line, column, path: place, text: sentence }) => {
          const at = `${path}:${line}:${column}: `
          return place === null ? `${at}${sentence}` : `${at}${placeName(place)} ${sentence}`
        })
        .join('; '),
    )
  const pins = parsePins(hardware, hardwarePathFor(path))
  if (!pins.ok) return pins
  return ok({
    fleet,
    targets: (options) =>
      planned
        .filter(({ source }) => source.jumpOnly !== true)
        .map((node) => connectTarget(fleet, withPins(node, pins.value), path, options)),
  })
}

/** A problem at a place of the text; `path` is null where the text is no document. */
interface FoundProblem {
  readonly line: number
  readonly column: number
  readonly path: readonly (string | number)[] | null
  readonly text: string
}

interface Inspected {
  /** Null where there is a problem. */
  readonly fleet: Fleet | null
  readonly planned: readonly PlannedNode[]
  readonly problems: readonly FoundProblem[]
}

function inspected(text: string, path: string): Inspected {
  const lines = new LineCounter()
  const document = parseDocument(text.replace(/^\uFEFF/, ' '), { lineCounter: lines, prettyErrors: false })
  const at = (offset: number): Pick<FoundProblem, 'line' | 'column'> => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const refuse = (problems: readonly FoundProblem[]): Inspected => ({ fleet: null, planned: [], problems })
  const syntax = document.errors[0]
  if (syntax !== undefined) return refuse([{ ...at(syntax.pos[0]), path: null, text: plain(syntax.message) }])
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: MOST_ALIASES })
  } catch {
    return refuse([{ line: 1, column: 1, path: null, text: 'the document expands too many aliases' }])
  }
  const { planned, problems } = problemsIn(value, path)
  return problems.length === 0
    ? { fleet: value as Fleet, planned, problems: [] }
    : refuse(
        problems.map(({ path: place, text: sentence }) => ({
          ...at(offsetOf(document, place)),
          path: place,
          text: sentence,
        })),
      )
}

/** The schema first, then what it cannot express, then files that are not there: later problems follow from earlier ones. */
function problemsIn(
  value: unknown,
  path: string,
): { readonly planned: readonly PlannedNode[]; readonly problems: readonly PlacedProblem[] } {
  const misfits = placedProblems('fleet', value)
  if (misfits.length > 0) return { planned: [], problems: misfits }
  const fleet = value as Fleet
  const planned = planFleet(fleet)
  return planned.ok
    ? { planned: planned.value, problems: missingFiles(fleet, path) }
    : { planned: [], problems: planned.error }
}

/** The text of a file. Fails with input.not-found, and with input.refused for a file that is too large. */
async function textIn(path: string): Promise<Outcome<string>> {
  try {
    const bytes = await readFile(path)
    return bytes.length > LARGEST ? fail('input.refused', `${path} is larger than 8 MiB`) : ok(bytes.toString('utf8'))
  } catch {
    return fail('input.not-found', `${path} could not be read`)
  }
}

/** Additions name their origin in a comment, except in JSON, which has none. */
const withHostKeys: Fleets['withHostKeys'] = (bytes, keys) => {
  const text = new TextDecoder().decode(bytes)
  if (/^\s*\{/.test(text)) {
    const fleet = JSON.parse(text) as Fleet
    const nodes = fleet.nodes.map((node) => ({ ...node, ...hostKeyOf(keys.get(node.name)) }))
    return `${JSON.stringify({ ...fleet, nodes }, null, 2)}\n`
  }
  const document = parseDocument(text)
  const nodes = document.get('nodes')
  for (const node of isSeq(nodes) ? nodes.items : []) {
    const key = isMap(node) ? keys.get(String(node.get('name'))) : undefined
    if (!isMap(node) || key === undefined) continue
    const value = new Scalar(key.fingerprint)
    if (node.flow !== true) value.comment = ` ${plain(key.note, 300)}`
    node.set('hostKey', value)
  }
  return document.toString({ lineWidth: 0 })
}

const hostKeyOf = (key: { readonly fingerprint: string } | undefined): Pick<FleetNode, 'hostKey'> =>
  key === undefined ? {} : { hostKey: key.fingerprint }

/** Position of a value in the text: the value, or the key of a field without one, or its container. */
export function offsetOf(document: Document, path: readonly (string | number)[]): number {
  for (let depth = path.length; depth > 0; depth--) {
    const parent = depth === 1 ? document.contents : document.getIn(path.slice(0, depth - 1), true)
    const key = path[depth - 1]
    const pair = isMap(parent) ? parent.items.find((item) => isScalar(item.key) && item.key.value === key) : undefined
    const found = depth === path.length && isNode(pair?.key) ? pair.key : document.getIn(path.slice(0, depth), true)
    if (isNode(found) && found.range) return found.range[0]
  }
  return isNode(document.contents) && document.contents.range ? document.contents.range[0] : 0
}

/** known_hosts files that were named but do not exist: an empty one would only fail later, node by node. */
function missingFiles(fleet: Fleet, path: string): readonly PlacedProblem[] {
  const named: { path: (string | number)[]; file: string | undefined }[] = [
    { path: ['knownHosts'], file: fleet.knownHosts },
    ...fleet.nodes.map(({ knownHosts }, index) => ({ path: ['nodes', index, 'knownHosts'], file: knownHosts })),
  ]
  return named.flatMap(({ path: place, file }) =>
    file === undefined || existsSync(pathFrom(path, file))
      ? []
      : [{ path: place, text: `names ${plain(file)}, which does not exist` }],
  )
}

/** A path in a fleet file is relative to the folder of that file; `~/` is the home folder. */
export function pathFrom(fleetPath: string, file: string): string {
  if (file === '~' || file.startsWith('~/')) return resolve(homedir(), file.slice(2))
  return isAbsolute(file) ? file : resolve(dirname(fleetPath), file)
}

/** Host key decisions are stored next to the fleet file, so that they travel with it. */
const decisionsPathFor = (fleetPath: string): string => resolve(dirname(fleetPath), decisionsPath(basename(fleetPath)))

/** Pinned components are stored next to the fleet file as well. */
const hardwarePathFor = (fleetPath: string): string => resolve(dirname(fleetPath), hardwarePath(basename(fleetPath)))

/**
 * The pinned components by node, or the first error in the file. Unreadable pins are an error: otherwise they would be
 * ignored unnoticed.
 */
function parsePins(text: string | null, path: string): Outcome<HardwarePins> {
  if (text === null) return ok({})
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (problem) {
    return fail('input.refused', `${path}: ${plain(String(problem), 200)}`)
  }
  const [first] = placedProblems('hardware', value)
  return first === undefined
    ? ok(value as HardwarePins)
    : fail('input.refused', `${path}: ${placeName(first.path)} ${first.text}`)
}

function withPins(node: PlannedNode, pins: HardwarePins): PlannedNode {
  const own = Object.hasOwn(pins, node.declared.name) ? pins[node.declared.name] : undefined
  return own === undefined ? node : { ...node, declared: { ...node.declared, hardware: own } }
}

/** How to reach one node: absolute paths, its trust and credentials, and those of its jump hosts. */
function connectTarget(fleet: Fleet, node: PlannedNode, fleetPath: string, options: TargetOptions): ConnectTarget {
  const hop = (source: FleetNode): Hop => ({
    node: declaredNode(fleet, source),
    trust: trustOf(fleet, source, fleetPath, options),
    credentials: credentialsOf(source, fleetPath, options),
    transport: source.transport ?? 'auto',
  })
  return { ...hop(node.source), node: node.declared, jumps: node.jumps.map(hop) }
}

/**
 * An inline fingerprint is used alone; a named known_hosts file replaces the user's own. Decisions are always
 * consulted, last.
 */
function trustOf(fleet: Fleet, node: FleetNode, fleetPath: string, options: TargetOptions): HostKeyTrust {
  const named = node.knownHosts ?? fleet.knownHosts
  const usual = node.hostKey === undefined ? [resolve(homedir(), '.ssh/known_hosts'), '/etc/ssh/ssh_known_hosts'] : []
  return {
    ...stated({ fingerprint: node.hostKey }),
    knownHostsFiles: named === undefined ? usual : [pathFrom(fleetPath, named)],
    decisionsFile: options.decisionsFile ?? decisionsPathFor(fleetPath),
  }
}

function credentialsOf(node: FleetNode, fleetPath: string, options: TargetOptions): Credentials {
  const { identityFile: file, agent = file === undefined } = node
  return { ...stated({ identityFile: file === undefined ? file : pathFrom(fleetPath, file), ask: options.ask }), agent }
}
