import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Capture, DeclaredNode, Recording } from '../../schemas/types.ts'
import { sha256 } from '../../main/core/digest.ts'
import type { Command, Probe } from '../../main/core/probe.ts'
import type { CapturedAnswer, LoadedRecording } from '../../main/core/recording.ts'

export const FIXTURE_NODES = fileURLToPath(new URL('../fixtures/nodes/', import.meta.url))

/**
 * A fixture node is a folder that reads well in a diff: node.json, and per answer `<probe>/<command>` (stdout, exact bytes) with
 * optional `<command>.err` (stderr), `<command>.exit` (exit status, default 0) and `<command>.status` (default done).
 * `extends` takes over another fixture's answers; `omit` leaves out some of them ("probe" or "probe/command").
 */
export interface FixtureNode {
  readonly extends?: string
  readonly omit?: readonly string[]
  readonly synthetic?: string | null
  readonly privilege?: 'root' | 'sudo' | 'none'
  readonly node?: Partial<DeclaredNode>
  /** check id → verdict this fixture must give. */
  readonly expected?: Readonly<Record<string, string>>
}

export interface FixtureAnswer {
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  readonly exitCode: number
  readonly status: Capture['status']
}

export const fixtureNames = (): readonly string[] =>
  readdirSync(FIXTURE_NODES).filter((name) => existsSync(join(FIXTURE_NODES, name, 'node.json'))).sort()

export const fixtureNode = (name: string): FixtureNode => JSON.parse(readFileSync(join(FIXTURE_NODES, name, 'node.json'), 'utf8')) as FixtureNode

/** Settings of a fixture with those it extends, nearest first. */
export function fixtureSettings(name: string): FixtureNode {
  const own = fixtureNode(name)
  if (own.extends === undefined) return own
  const base = fixtureSettings(own.extends)
  return { ...base, ...own, node: { ...base.node, ...own.node } }
}

/** Answers by "probe/command". */
export function fixtureAnswers(name: string): ReadonlyMap<string, FixtureAnswer> {
  const own = fixtureNode(name)
  const answers = new Map<string, FixtureAnswer>(own.extends === undefined ? [] : fixtureAnswers(own.extends))
  for (const key of [...answers.keys()]) if (own.omit?.some((left) => key === left || key.startsWith(`${left}/`)) === true) answers.delete(key)
  const folder = join(FIXTURE_NODES, name)
  for (const probe of readdirSync(folder).filter((entry) => statSync(join(folder, entry)).isDirectory())) {
    const files = readdirSync(join(folder, probe))
    for (const command of new Set(files.map((file) => file.replace(/\.(err|exit|status)$/, '')))) {
      const at = (suffix: string): string => join(folder, probe, command + suffix)
      const read = (suffix: string): Uint8Array => (existsSync(at(suffix)) ? readFileSync(at(suffix)) : new Uint8Array())
      const text = (suffix: string, otherwise: string): string => (existsSync(at(suffix)) ? readFileSync(at(suffix), 'utf8').trim() : otherwise)
      answers.set(`${probe}/${command}`, {
        stdout: read(''),
        stderr: read('.err'),
        exitCode: Number(text('.exit', '0')),
        status: text('.status', 'done') as Capture['status'],
      })
    }
  }
  return answers
}

export const FIXTURE_TIME = '2026-11-20T09:12:00.000Z'

/** The fixture as a recording of the given probes. Without sudo or root, root-only commands are not run, as the collector would. */
export function fixtureRecording(name: string, probes: readonly Probe<unknown>[]): LoadedRecording {
  const settings = fixtureSettings(name)
  const answers = fixtureAnswers(name)
  const privilege = settings.privilege ?? 'sudo'
  const captures: CapturedAnswer[] = []
  for (const probe of probes) {
    for (const [command, spec] of Object.entries(probe.commands)) {
      const captured = capture(probe.id, command, spec, privilege, answers.get(`${probe.id}/${command}`))
      if (captured !== null) captures.push(captured)
    }
  }
  const recording: Recording = {
    schema: 'barewitness.recording/1',
    id: name,
    run: 'fixture',
    node: { name, address: '192.0.2.1', port: 22, user: 'bwaudit', sudo: privilege === 'sudo', ...settings.node },
    hostKey: { type: 'ssh-ed25519', fingerprint: `SHA256:${'A'.repeat(43)}`, trust: { how: 'fingerprint', detail: 'fixture' } },
    session: { transport: 'replay', authMethod: 'publickey', privilege },
    collector: { version: '0.1.0', catalogVersion: '0.1.0', catalogDigest: '0'.repeat(64) },
    startedAt: FIXTURE_TIME,
    endedAt: FIXTURE_TIME,
    clock: { offsetSeconds: 0, uncertaintySeconds: 0.01 },
    outcome: { status: 'complete', failure: null },
    demo: name.startsWith('demo-'),
    synthetic: settings.synthetic ?? null,
  }
  return { recording, captures }
}

function capture(probe: string, command: string, spec: Command, privilege: 'root' | 'sudo' | 'none', answer: FixtureAnswer | undefined): CapturedAnswer | null {
  const isRoot = spec.kind === 'run' && spec.as === 'root'
  const denied = isRoot && privilege === 'none'
  if (answer === undefined && !denied) return null
  const stdout = denied || answer === undefined ? new Uint8Array() : answer.stdout
  const stderr = denied || answer === undefined ? new Uint8Array() : answer.stderr
  const meta: Capture = {
    probe,
    command,
    argv: spec.kind === 'run' ? spec.argv.map((part) => (typeof part === 'string' ? part : part.glob)) : [spec.measure],
    source: spec.kind === 'run' ? 'node' : 'collector',
    privilege: isRoot && privilege !== 'none' ? privilege : 'user',
    status: denied ? 'not-run' : (answer?.status ?? 'lost'),
    exitCode: denied ? null : (answer?.exitCode ?? null),
    startedAt: FIXTURE_TIME,
    durationMs: 2,
    stdout: { sha256: sha256(stdout), size: stdout.length },
    stderr: { sha256: sha256(stderr), size: stderr.length },
  }
  return { meta, stdout, stderr }
}
