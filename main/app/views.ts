import type {
  AssessmentView,
  EvidenceList,
  EvidencePiece,
  FleetView,
  RunPreview,
  Source,
} from '../../schemas/ipc-views.ts'
import type { Assessment, Fleet } from '../../schemas/types.ts'
import type { Catalog } from '../core/catalog.ts'
import { sha256 } from '../core/digest.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { type Command, captureKey, readProbe } from '../core/probe.ts'
import { byProbeAndCommand, type LoadedRecording } from '../core/recording.ts'
import { ok } from '../core/result.ts'

/** Plain data for the window, made from the engine's values. Nothing here decides anything. */

export const DEFAULT_TIMEOUT_SECONDS = 20

export function assessmentView(of: Source, run: string, assessment: Assessment, catalog: Catalog): AssessmentView {
  return {
    of,
    run,
    assessment,
    checks: catalog.checks.map(({ id, property, claim, limits, needs, wants }) => ({
      id,
      property,
      claim,
      limits,
      needs: Object.values(needs).map((probe) => probe.id),
      wants: Object.values(wants ?? {}).map((probe) => probe.id),
    })),
    probes: catalog.probes.map(({ id, title, why }) => ({ id, title, why })),
    signals: catalog.signals.map(({ probes: _, ...note }) => note),
    frameworks: catalog.frameworks.filter(({ id }) => assessment.scope.frameworks.includes(id)),
  }
}

/** Everything a run from the window would ask, and why: what the owner of a server can approve before anything happens. No live tests. */
export const runPreview = (catalog: Catalog, nodes: readonly string[]): RunPreview => ({
  nodes,
  questions: catalog.probes
    .filter(({ live }) => live !== true)
    .map(({ id, title, why, commands }) => ({
      probe: id,
      title,
      why,
      lines: Object.entries(commands).map(([name, command]) => commandLine(name, command)),
    })),
})

function commandLine(name: string, command: Command): RunPreview['questions'][number]['lines'][number] {
  if (command.kind === 'measure')
    return { name, argv: [], by: 'this-computer', timeoutSeconds: DEFAULT_TIMEOUT_SECONDS }
  const argv = command.argv.map((part) => (typeof part === 'string' ? part : part.glob))
  return { name, argv, by: command.as, timeoutSeconds: command.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS }
}

export function fleetView(fleet: Fleet, demo: boolean): FleetView {
  const nodes = fleet.nodes.filter(({ jumpOnly }) => jumpOnly !== true)
  return {
    name: fleet.name,
    demo,
    frameworks: fleet.frameworks ?? ['hipaa', 'soc2'],
    nodes: nodes.map((node) => ({
      name: node.name,
      address: node.address,
      port: node.port ?? 22,
      user: node.user ?? '',
      sudo: node.sudo ?? false,
      jump: node.jump ?? [],
      place: node.location?.name ?? null,
      role: node.role ?? null,
    })),
  }
}

export const evidenceList = (loaded: LoadedRecording | undefined): EvidenceList => ({
  recording: loaded?.recording ?? null,
  captures: (loaded?.captures ?? []).map(({ meta }) => meta).sort(byProbeAndCommand),
})

const PIECE_BYTES = 1024 * 1024

/** Up to 1 MiB of one stored stream, and what its probe reads from the whole answer. */
export function evidencePiece(
  loaded: LoadedRecording | undefined,
  catalog: Catalog,
  capture: string,
  stream: 'stdout' | 'stderr',
  offset: number,
): Outcome<EvidencePiece> {
  const captures = new Map(loaded?.captures.map((one) => [captureKey(one.meta.probe, one.meta.command), one]))
  const found = captures.get(capture)
  if (found === undefined) return fail('input.not-found', capture)
  const bytes = stream === 'stdout' ? found.stdout : found.stderr
  const end = characterEdge(bytes, Math.min(bytes.length, offset + PIECE_BYTES))
  const probe = catalog.probes.find(({ id }) => id === found.meta.probe)
  const parsed =
    probe === undefined
      ? ({ ok: false, reason: 'this catalog has no such probe' } as const)
      : readProbe(probe, captures)
  return ok({
    capture: found.meta,
    stream,
    text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(offset, end)),
    offset,
    nextOffset: end < bytes.length ? end : null,
    size: bytes.length,
    digestNow: sha256(bytes),
    reading: parsed.ok ? { ok: true, fact: JSON.stringify(parsed.fact, showable, 2) } : parsed,
  })
}

// A cut in the middle of a UTF-8 sequence would show a replacement character that is not in the evidence.
function characterEdge(bytes: Uint8Array, end: number): number {
  if (end >= bytes.length) return end
  let edge = end
  while (edge > end - 4 && edge > 0 && ((bytes[edge] ?? 0) & 0xc0) === 0x80) edge -= 1
  return edge
}

const showable = (_key: string, value: unknown): unknown => {
  if (value instanceof Map) return Object.fromEntries(value)
  if (value instanceof Set) return [...value]
  if (value instanceof Uint8Array) return `${value.length} bytes`
  return typeof value === 'bigint' ? value.toString() : value
}
