import type { EvidenceList, EvidencePiece } from '../../schemas/ipc-results.ts'
import { capturesByKey } from '../core/captures.ts'
import type { Catalog } from '../core/catalog.ts'
import { sha256 } from '../core/digest.ts'
import { markedLines } from '../core/evidence-lines.ts'
import { fail, type Outcome } from '../core/failure.ts'
import { askedFor, readProbe } from '../core/probe.ts'
import { byProbeAndCommand, type LoadedRecording } from '../core/recording.ts'
import { ok } from '../core/result.ts'

/** The stored data of one node: its recording and the captures in canonical order, without bytes. */
export const evidenceList = (loaded: LoadedRecording | undefined): EvidenceList => ({
  recording: loaded?.recording ?? null,
  captures: (loaded?.captures ?? []).map(({ meta }) => meta).sort(byProbeAndCommand),
})

const PIECE_BYTES = 1024 * 1024

/**
 * Up to 1 MiB of one stored stream, and the fact that its probe parses from the whole capture. Fails with
 * input.not-found.
 */
export function evidencePiece(
  loaded: LoadedRecording | undefined,
  catalog: Catalog,
  capture: string,
  stream: 'stdout' | 'stderr',
  offset: number,
): Outcome<EvidencePiece> {
  const captures = capturesByKey(loaded?.captures ?? [])
  const found = captures.get(capture)
  if (found === undefined) return fail('input.not-found', capture)
  const bytes = stream === 'stdout' ? found.stdout : found.stderr
  const start = Math.min(bytes.length, offset)
  const end = characterEdge(bytes, Math.min(bytes.length, start + PIECE_BYTES))
  const probe = catalog.probes.find(({ id }) => id === found.meta.probe)
  const parsed =
    probe === undefined
      ? ({ ok: false, reason: 'this catalog has no such probe' } as const)
      : readProbe(probe, captures, askedFor(loaded?.recording ?? {}))
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start, end))
  return ok({
    capture: found.meta,
    stream,
    text,
    offset: start,
    nextOffset: end < bytes.length ? end : null,
    size: bytes.length,
    marked: parsed.ok ? markedLines(text, parsed.fact) : [],
    digestNow: sha256(bytes),
    reading: parsed.ok ? { ok: true, fact: JSON.stringify(parsed.fact, showable, 2) ?? 'null' } : parsed,
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
