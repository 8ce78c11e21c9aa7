import { captureKey } from './probe.ts'
import { type CapturedAnswer, compare } from './recording.ts'

/** Captures by probe and command: see captureKey(). */
export type CaptureIndex = ReadonlyMap<string, CapturedAnswer>

/** Captures by probe and command. Where a resumed run asked twice, a complete answer counts before an incomplete one, the later before the earlier. */
export function capturesByKey(captures: readonly CapturedAnswer[]): CaptureIndex {
  const rank = ({ meta }: CapturedAnswer): string =>
    `${meta.status === 'done' ? '1' : '0'} ${meta.startedAt} ${meta.stdout.sha256} ${meta.stderr.sha256}`
  const ordered = [...captures].sort((a, b) => compare(rank(a), rank(b)))
  return new Map(ordered.map((capture) => [captureKey(capture.meta.probe, capture.meta.command), capture]))
}
