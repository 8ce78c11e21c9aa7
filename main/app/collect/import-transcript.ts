import type { DeclaredNode, Recording, Session } from '../../../schemas/types.ts'
import { VERSION } from '../../../schemas/version.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { sha256 } from '../../core/base/digest.ts'
import { type Failure, fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain } from '../../core/base/plain-text.ts'
import { createFrameReader, type FrameEvent, type Header } from '../../core/collector/frames.ts'
import { keptBytes, type Plan, planOf, slowSudo } from '../../core/collector/plan.ts'
import { printableScript } from '../../core/collector/script.ts'
import type { Entropy } from '../../core/ports/ports.ts'
import type { Probe } from '../../core/recording/probe.ts'
import type { CapturedAnswer, LoadedRecording } from '../../core/recording/recording.ts'
import { type Catalog, catalogDigest } from '../../core/rules/catalog.ts'
import { captureOfFrame, lostCapture } from './captures.ts'

/**
 * A transcript from a node that SSH does not reach: both streams of the printed collector, and the node that it is
 * declared to be from.
 */
interface Transcript {
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  readonly node: DeclaredNode
  readonly run: string
  /** UTC, ISO 8601. */
  readonly importedAt: string
}

/**
 * The collector as one self-contained program to carry to a node. Its nonce is twelve random hex digits and twelve that
 * identify the plan, so that a transcript is matched to exactly the commands it contains.
 */
export function printableCollector(
  probes: readonly Probe<unknown>[],
  entropy: Entropy,
  { sudo, liveTests = false }: { readonly sudo: boolean; readonly liveTests?: boolean },
): string {
  const plan = planOf(probes, { sudo, echo: false, liveTests })
  return printableScript(plan, Buffer.from(entropy.bytes(6)).toString('hex') + planMark(plan))
}

const planMark = ({ commands, sudo }: Plan): string => sha256(canonicalJson({ commands, sudo })).slice(0, 12)

/**
 * A transcript as a recording with transport `script` and no host key, because none was verified. Times are the
 * node's own, never later than the import. Fails with collector.no-answer without a header, and with input.refused
 * for the commands of another catalog. A damaged transcript, or one that ends early, becomes a partial recording that
 * names the failure.
 */
export function importTranscript(transcript: Transcript, catalog: Catalog): Outcome<LoadedRecording> {
  const { node, run, importedAt } = transcript
  const nonce = nonceOf(transcript.stdout)
  if (nonce === null) return fail('collector.no-answer', 'the transcript has no collector header')
  const plan = [true, false]
    .flatMap((sudo) => [false, true].map((liveTests) => planOf(catalog.probes, { sudo, echo: false, liveTests })))
    .find((candidate) => planMark(candidate) === nonce.slice(12))
  if (plan === undefined)
    return fail(
      'input.refused',
      'the transcript was made by another version of the collector; print the collector again',
    )
  const { frames, header, endedAt, broken } = read(transcript, nonce, plan)
  if (header === null) return fail('collector.no-answer', 'the transcript has no collector header')
  const privilege: Session['privilege'] = header.uid === 0 ? 'root' : plan.sudo ? 'sudo' : 'none'
  const startedAt = instant(header.epochSeconds, importedAt)
  const firstUptime = frames[0]?.startedUptime ?? 0
  const byIndex = new Map(frames.map((frame) => [frame.index, frame]))
  const captures = plan.commands.map((planned): CapturedAnswer => {
    const frame = byIndex.get(planned.index)
    if (frame === undefined) return lostCapture(planned, startedAt, privilege)
    return captureOfFrame(planned, frame, { startedAt, firstUptime, privilege })
  })
  const missing = plan.commands.length - byIndex.size
  const sudo = slowSudo()
  for (const answer of captures) sudo.add(answer)
  const failure =
    broken ??
    (missing > 0
      ? ({
          code: 'collector.truncated',
          detail: `${missing} of ${plan.commands.length} commands have no output in the transcript`,
        } as const)
      : sudo.notAsked() > 0
        ? ({ code: 'collector.sudo-slow', detail: plain(sudo.words() ?? '', 1900) } as const)
        : null)
  const recording: Recording = {
    schema: 'barewitness.recording/1',
    id: node.name,
    run,
    node,
    hostKey: null,
    session: { transport: 'script', authMethod: 'none', privilege },
    collector: { version: VERSION, catalogVersion: catalog.version, catalogDigest: catalogDigest(catalog) },
    startedAt,
    endedAt: instant(endedAt ?? header.epochSeconds, importedAt),
    clock: null,
    outcome: {
      status: failure === null ? 'complete' : byIndex.size > 0 ? 'partial' : 'failed',
      failure: failure === null ? null : { code: failure.code, detail: failure.detail },
    },
    demo: false,
    synthetic: null,
    ...(plan.commands.some(({ live }) => live) ? { liveTests: true } : {}),
  }
  return ok({ recording, captures })
}

const BANNER = 1024 * 1024

function nonceOf(stdout: Uint8Array): string | null {
  const text = new TextDecoder('latin1').decode(stdout.subarray(0, BANNER))
  return /([0-9a-f]{24}) H 1 /.exec(text)?.[1] ?? null
}

interface Read {
  readonly frames: readonly Extract<FrameEvent, { kind: 'frame' }>['frame'][]
  readonly header: Header | null
  readonly endedAt: number | null
  readonly broken: Failure | null
}

// Files arrive whole; in slices, so that the reader stops at the first error.
const SLICE = 64 * 1024

function read({ stdout, stderr }: Transcript, nonce: string, plan: Plan): Read {
  const reader = createFrameReader(nonce, plan.commands.length, keptBytes(plan))
  const events: FrameEvent[] = []
  for (const [name, bytes] of [['stdout', stdout] as const, ['stderr', stderr] as const])
    for (let at = 0; at < bytes.length; at += SLICE)
      events.push(...reader.push(name, bytes.subarray(at, at + SLICE)).filter(({ kind }) => kind !== 'echo'))
  const first = <K extends FrameEvent['kind']>(kind: K): Extract<FrameEvent, { kind: K }> | undefined =>
    events.find((event): event is Extract<FrameEvent, { kind: K }> => event.kind === kind)
  return {
    frames: events.flatMap((event) => (event.kind === 'frame' ? [event.frame] : [])),
    header: first('header')?.header ?? null,
    endedAt: first('end')?.epochSeconds ?? null,
    broken: first('broken') ?? null,
  }
}

/** The node's clock, which may be wrong: the captures existed at the import at the latest. */
function instant(epochSeconds: number | null, importedAt: string): string {
  const latest = Date.parse(importedAt)
  return new Date(epochSeconds === null ? latest : Math.min(epochSeconds * 1000, latest)).toISOString()
}
