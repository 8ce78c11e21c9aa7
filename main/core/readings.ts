import type { Catalog } from './catalog.ts'
import { askedFor, captureKey, type Parsed, readProbe } from './probe.ts'
import { type CapturedAnswer, compare, type LoadedRecording } from './recording.ts'

/** What every question of a catalog reads as in a recording, by the question's id. */
export type Readings = ReadonlyMap<string, Parsed<unknown>>

/** Those of the last recording that was asked about: one node after the other is judged, traced and drawn, each from the same readings. */
let last: { readonly loaded: LoadedRecording; readonly probes: Catalog['probes']; readonly readings: Readings } | null =
  null

/** None without a recording. */
export function readingsOf({ probes }: Pick<Catalog, 'probes'>, loaded: LoadedRecording | null): Readings {
  if (loaded === null) return new Map()
  if (last?.loaded === loaded && last.probes === probes) return last.readings
  const byKey = capturesByKey(loaded.captures)
  const asked = askedFor(loaded.recording)
  const readings = new Map(probes.map((probe) => [probe.id, readProbe(probe, byKey, asked)]))
  last = { loaded, probes, readings }
  return readings
}

/** Captures by probe and command: see captureKey(). */
export type CaptureIndex = ReadonlyMap<string, CapturedAnswer>

/** Captures by probe and command. Where a resumed run asked twice, a complete answer counts before an incomplete one, the later before the earlier. */
export function capturesByKey(captures: readonly CapturedAnswer[]): CaptureIndex {
  const rank = ({ meta }: CapturedAnswer): string =>
    `${meta.status === 'done' ? '1' : '0'} ${meta.startedAt} ${meta.stdout.sha256} ${meta.stderr.sha256}`
  const ordered = [...captures].sort((a, b) => compare(rank(a), rank(b)))
  return new Map(ordered.map((capture) => [captureKey(capture.meta.probe, capture.meta.command), capture]))
}
