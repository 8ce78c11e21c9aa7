import { sha256 } from '../base/digest.ts'
import { type AskedFor, askedFor, captureKey, type Parsed, type Probe, readProbe } from './probe.ts'
import { type CapturedAnswer, compare, type LoadedRecording } from './recording.ts'

/** The readings of all probes of a catalog in one recording, by probe id. */
type Readings = ReadonlyMap<string, Parsed<unknown>>

/**
 * The readings of the latest recording: nodes are evaluated, traced and drawn one after the other, each from the same
 * readings.
 */
let last: {
  readonly loaded: LoadedRecording
  readonly probes: readonly Probe<unknown>[]
  readonly readings: Readings
} | null = null

/**
 * The readings of a recording; empty without one. Nodes of a fleet have many answers in common: a probe whose answers
 * have the same bytes as on an earlier node is not parsed again, and its fact is the same object, which no rule
 * modifies.
 */
export function readingsOf(
  { probes }: { readonly probes: readonly Probe<unknown>[] },
  loaded: LoadedRecording | null,
): Readings {
  if (loaded === null) return new Map()
  if (last?.loaded === loaded && last.probes === probes) return last.readings
  const byKey = capturesByKey(loaded.captures)
  const asked = askedFor(loaded.recording)
  const readings = new Map(probes.map((probe) => [probe.id, readOnce(probe, byKey, asked)]))
  last = { loaded, probes, readings }
  return readings
}

/** The reading of a probe on this node: a fact, or the reason why there is none. */
export type Read = <F, C extends string>(probe: Probe<F, C>) => Parsed<F>

const NOT_COLLECTED: Parsed<never> = { ok: false, reason: 'this was not collected' }

/** Readings by probe id, as rules take them; a probe without a reading counts as not collected. */
export const readFrom =
  (readings: ReadonlyMap<string, Parsed<unknown>>): Read =>
  <F, C extends string>(probe: Probe<F, C>) =>
    (readings.get(probe.id) ?? NOT_COLLECTED) as Parsed<F>

/** Limit on the answers whose readings are remembered, in bytes; the facts are about as large. */
const MOST_REMEMBERED = 4 * 1024 * 1024
const remembered = new Map<Probe<unknown>, Map<string, Parsed<unknown>>>()
let size = 0

/** As readProbe(), remembering the reading of equal bytes. */
export function readOnce<F>(probe: Probe<F>, byKey: CaptureIndex, asked: AskedFor = {}): Parsed<F> {
  const answers = answersTo(probe, byKey)
  if (answers === null) return sameWords(readProbe(probe, byKey, asked))
  const known = remembered.get(probe)?.get(answers.key)
  if (known !== undefined) return known as Parsed<F>
  const reading = readProbe(probe, byKey, asked)
  size += answers.size
  if (size > MOST_REMEMBERED) {
    remembered.clear()
    size = answers.size
  }
  const ofProbe = remembered.get(probe) ?? new Map<string, Parsed<unknown>>()
  remembered.set(probe, ofProbe.set(answers.key, reading))
  return reading
}

/** One object for each reason, so that whatever is derived from a missing answer is derived once as well. */
function sameWords<F>(reading: Parsed<F>): Parsed<F> {
  if (reading.ok) return reading
  const known = REASONS.get(reading.reason)
  if (known !== undefined) return known
  if (REASONS.size < MOST_REASONS) REASONS.set(reading.reason, reading)
  return reading
}

const REASONS = new Map<string, Parsed<never>>()
const MOST_REASONS = 200

/**
 * Everything that readProbe() reads from the answers to a probe, as a key, with their size. Null where a capture is
 * missing, and for live tests, the only probes that read the duration of an answer.
 */
function answersTo(
  { id, live, commands }: Probe<unknown>,
  byKey: CaptureIndex,
): { readonly key: string; readonly size: number } | null {
  if (live === true) return null
  let key = ''
  let bytes = 0
  for (const name of Object.keys(commands)) {
    const capture = byKey.get(captureKey(id, name))
    if (capture === undefined) return null
    const { meta, stdout, stderr } = capture
    const { argv, source, privilege, status, exitCode, masked = null } = meta
    key += `${JSON.stringify([argv, source, privilege, status, exitCode, masked])}${digestOf(stdout)}${digestOf(stderr)}`
    bytes += stdout.length + stderr.length
  }
  return { key, size: bytes + key.length }
}

/**
 * Computed from the bytes themselves: with a key that was only stated, one answer could be substituted for another.
 */
function digestOf(bytes: Uint8Array): string {
  if (bytes.length === 0) return '-'
  const known = DIGESTS.get(bytes)
  if (known !== undefined) return known
  const digest = sha256(bytes)
  DIGESTS.set(bytes, digest)
  return digest
}

/** Nodes of one pack share the arrays of equal outputs, which nothing modifies. */
const DIGESTS = new WeakMap<Uint8Array, string>()

/** Captures by probe and command; see captureKey(). */
type CaptureIndex = ReadonlyMap<string, CapturedAnswer>

/**
 * Indexes captures by probe and command. Where a resumed run asked twice, a complete answer takes precedence over an
 * incomplete one, and a later over an earlier one.
 */
export function capturesByKey(captures: readonly CapturedAnswer[]): CaptureIndex {
  const known = indexed.find((one) => one.captures === captures)
  if (known !== undefined) return known.index
  const ranked = captures.map((capture) => ({ capture, rank: rankOf(capture) })).sort((a, b) => compare(a.rank, b.rank))
  const index = new Map(ranked.map(({ capture }) => [captureKey(capture.meta.probe, capture.meta.command), capture]))
  indexed = [{ captures, index }, ...indexed].slice(0, MOST_INDEXED)
  return index
}

const rankOf = ({ meta }: CapturedAnswer): string =>
  `${meta.status === 'done' ? '1' : '0'} ${meta.startedAt} ${meta.stdout.sha256} ${meta.stderr.sha256}`

/**
 * A node is evaluated, traced and drawn before the next one, or compared with another recording of it; older ones are
 * not needed again soon.
 */
const MOST_INDEXED = 2
let indexed: readonly { readonly captures: readonly CapturedAnswer[]; readonly index: CaptureIndex }[] = []
