import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type NodeSettings,
  nodeAnswers,
  nodeSettings,
  type RecordedAnswer,
} from '../../main/adapters/demo/recorded-node.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { argvOf, type Command, type Probe } from '../../main/core/recording/probe.ts'
import type { CapturedAnswer, LoadedRecording } from '../../main/core/recording/recording.ts'
import type { Capture, Recording } from '../../schemas/types.ts'

/** Fixture nodes: one file each, in the format of main/adapters/demo/recorded-node.ts. */
export const FIXTURE_NODES = fileURLToPath(new URL('../fixtures/nodes/', import.meta.url))

export const fixtureNames = (): readonly string[] =>
  readdirSync(FIXTURE_NODES)
    .filter((file) => file.endsWith('.txt'))
    .map((file) => basename(file, '.txt'))
    .sort()

/** Read once by each process: many tests ask all nodes for one probe after another. */
function readOnce<T>(read: (root: string, name: string) => T): (name: string) => T {
  const held = new Map<string, T>()
  return (name) => {
    const value = held.get(name) ?? read(FIXTURE_NODES, name)
    held.set(name, value)
    return value
  }
}

export const fixtureSettings: (name: string) => NodeSettings = readOnce(nodeSettings)
export const fixtureAnswers: (name: string) => ReadonlyMap<string, RecordedAnswer> = readOnce(nodeAnswers)

export const FIXTURE_TIME = '2026-11-20T09:12:00.000Z'

/** The fixture as a recording of the given probes. Without sudo or root, root-only commands are not run, as the collector would. */
export function fixtureRecording(name: string, probes: readonly Probe<unknown>[]): LoadedRecording {
  const settings = fixtureSettings(name)
  const answers = fixtureAnswers(name)
  const privilege = settings.privilege ?? 'sudo'
  const captures: CapturedAnswer[] = []
  const live = new Set(probes.flatMap((probe) => (probe.live === true ? [probe.id] : [])))
  const metadata = new Set(probes.flatMap((probe) => (probe.optIn === 'metadata' ? [probe.id] : [])))
  const isAnswered = ({ id }: Probe<unknown>): boolean => [...answers.keys()].some((key) => key.startsWith(`${id}/`))
  // Live tests and the metadata service are asked of nodes that were recorded with them, and of no others.
  for (const probe of probes.filter((one) => (one.live !== true && one.optIn === undefined) || isAnswered(one))) {
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
    hostKey: {
      type: 'ssh-ed25519',
      fingerprint: `SHA256:${'A'.repeat(43)}`,
      trust: { how: 'fingerprint', detail: 'fixture' },
    },
    session: { transport: 'replay', authMethod: 'publickey', privilege },
    collector: { version: '0.1.0', catalogVersion: '0.1.0', catalogDigest: '0'.repeat(64) },
    startedAt: FIXTURE_TIME,
    endedAt: FIXTURE_TIME,
    clock: { offsetSeconds: 0, uncertaintySeconds: 0.01 },
    outcome: { status: 'complete', failure: null },
    demo: name.startsWith('demo-'),
    synthetic: settings.synthetic ?? null,
    ...(captures.some(({ meta }) => live.has(meta.probe)) ? { liveTests: true } : {}),
    ...(captures.some(({ meta }) => metadata.has(meta.probe)) ? { metadata: true } : {}),
  }
  return { recording, captures }
}

function capture(
  probe: string,
  command: string,
  spec: Command,
  privilege: 'root' | 'sudo' | 'none',
  answer: RecordedAnswer | undefined,
): CapturedAnswer | null {
  const isRoot = spec.kind === 'run' && spec.as === 'root'
  const denied = isRoot && privilege === 'none'
  const seconds = answer?.seconds
  if (answer === undefined && !denied) return null
  const stdout = denied || answer === undefined ? new Uint8Array() : answer.stdout
  const stderr = denied || answer === undefined ? new Uint8Array() : answer.stderr
  const meta: Capture = {
    probe,
    command,
    argv: argvOf(spec),
    source: spec.kind === 'run' ? 'node' : 'collector',
    privilege: isRoot && privilege !== 'none' ? privilege : 'user',
    status: denied ? 'not-run' : (answer?.status ?? 'lost'),
    exitCode: denied ? null : (answer?.exitCode ?? null),
    startedAt: FIXTURE_TIME,
    durationMs: seconds === undefined ? 2 : Math.round(seconds.node * 1000),
    stdout: { sha256: sha256(stdout), size: stdout.length },
    stderr: { sha256: sha256(stderr), size: stderr.length },
    ...(seconds === undefined ? {} : { heardMs: Math.round(seconds.collectingComputer * 1000) }),
  }
  return { meta, stdout, stderr }
}
