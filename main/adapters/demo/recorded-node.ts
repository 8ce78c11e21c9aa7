import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Capture, DeclaredLocation, DeclaredNode } from '../../../schemas/types.ts'

/**
 * A recorded node as a folder that reads well in a diff: node.json, and per capture `<probe>/<command>` (stdout, exact
 * bytes) with optional `<command>.err` (stderr), `<command>.exit` (exit status, default 0), `<command>.status` (default
 * done) and, for live tests, `<command>.seconds`: its duration by the node's clock and by the auditor's, which a
 * replaying server does not reproduce. The demo fleet and the test fixtures consist of these.
 */
export interface NodeSettings {
  /** Inherits the captures and settings of another node in the same folder. */
  readonly extends?: string
  /** Omits some of them: "probe" or "probe/command". */
  readonly omit?: readonly string[]
  /** How the captures were made up; null for captures of a real machine. */
  readonly synthetic?: string | null
  readonly privilege?: 'root' | 'sudo' | 'none'
  readonly node?: Partial<DeclaredNode>
  /** Used by tests: location evidence from outside the node. */
  readonly location?: DeclaredLocation
  /** Used by tests: check id → the verdict that these captures must give. */
  readonly expected?: Readonly<Record<string, string>>
}

export interface RecordedAnswer {
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  readonly exitCode: number
  readonly status: Capture['status']
  readonly seconds?: { readonly node: number; readonly auditor: number }
}

export const recordedNodeNames = (root: string): readonly string[] =>
  readdirSync(root)
    .filter((name) => existsSync(join(root, name, 'node.json')))
    .sort()

const ownSettings = (root: string, name: string): NodeSettings =>
  JSON.parse(readFileSync(join(root, name, 'node.json'), 'utf8')) as NodeSettings

/** Settings of a node with those it extends, nearest first. */
export function nodeSettings(root: string, name: string): NodeSettings {
  const own = ownSettings(root, name)
  if (own.extends === undefined) return own
  const base = nodeSettings(root, own.extends)
  return { ...base, ...own, node: { ...base.node, ...own.node } }
}

/** Captures by "probe/command". */
export function nodeAnswers(root: string, name: string): ReadonlyMap<string, RecordedAnswer> {
  const own = ownSettings(root, name)
  const answers = new Map<string, RecordedAnswer>(own.extends === undefined ? [] : nodeAnswers(root, own.extends))
  const isLeftOut = (key: string): boolean =>
    own.omit?.some((left) => key === left || key.startsWith(`${left}/`)) === true
  for (const key of [...answers.keys()]) if (isLeftOut(key)) answers.delete(key)
  const folder = join(root, name)
  for (const { name: probe } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    const files = new Set(readdirSync(join(folder, probe)))
    for (const command of new Set([...files].map((file) => file.replace(/\.(err|exit|status|seconds)$/, ''))))
      answers.set(`${probe}/${command}`, readAnswer(join(folder, probe), command, files))
  }
  return answers
}

/** One capture of a probe's folder; `files`: the names in that folder. */
function readAnswer(folder: string, command: string, files: ReadonlySet<string>): RecordedAnswer {
  const bytes = (suffix: string): Uint8Array =>
    files.has(command + suffix) ? readFileSync(join(folder, command + suffix)) : new Uint8Array()
  const text = (suffix: string, otherwise: string): string =>
    files.has(command + suffix) ? readFileSync(join(folder, command + suffix), 'utf8').trim() : otherwise
  const [node, auditor] = text('.seconds', '').split(' ').map(Number)
  return {
    stdout: bytes(''),
    stderr: bytes('.err'),
    exitCode: Number(text('.exit', '0')),
    status: text('.status', 'done') as Capture['status'],
    ...(node === undefined || auditor === undefined ? {} : { seconds: { node, auditor } }),
  }
}
