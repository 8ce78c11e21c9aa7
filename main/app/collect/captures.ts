import type { Capture, Session } from '../../../schemas/types.ts'
import { hostIdentity } from '../../catalog/hardware/machine/identity.ts'
import { sha256 } from '../../core/base/digest.ts'
import type { Frame } from '../../core/collector/frames.ts'
import { DEFAULT_MAX_BYTES, MAX_ERROR_BYTES, type PlannedCommand } from '../../core/collector/plan.ts'
import { type Masked, type Masking, masked, type RedactionCounts } from '../../core/collector/redact.ts'
import { argvOf, captureKey, readProbe } from '../../core/recording/probe.ts'
import type { CapturedAnswer } from '../../core/recording/recording.ts'
import type { Catalog } from '../../core/rules/catalog.ts'

interface FrameTimes {
  /** When the collector was started, by the clock of this computer (UTC). */
  readonly startedAt: string
  /** The node's uptime at its first frame, in seconds. */
  readonly firstUptime: number
  readonly privilege: Session['privilege']
}

// timeout(1) exits with 124, or 137 after it had to kill; busybox exits with 143, the status of the ended command. An
// output that ended for any other reason is not made complete by this.
const ENDED_BY_TIMEOUT: readonly (number | null)[] = [124, 137, 143]

/** One frame as a capture: masked first, then cut to its limit, hashed and described. */
export function captureOfFrame(
  planned: PlannedCommand,
  frame: Frame,
  times: FrameTimes,
  mask: Masking = masked,
): CapturedAnswer {
  const limit = planned.run.maxBytes ?? DEFAULT_MAX_BYTES
  const isTimeout = ENDED_BY_TIMEOUT.includes(frame.exitCode)
  const isCut = frame.stdout.length > limit || frame.stderr.length > MAX_ERROR_BYTES
  const ran: Capture['status'] = isTimeout ? 'timed-out' : isCut ? 'truncated' : 'done'
  const status: Capture['status'] = frame.notRun
    ? 'not-run'
    : frame.noPath
      ? 'no-path'
      : frame.notAsked
        ? 'not-asked'
        : ran
  const stdout = mask(frame.stdout.subarray(0, limit))
  const stderr = mask(frame.stderr.subarray(0, MAX_ERROR_BYTES))
  const startedAt = new Date(
    Date.parse(times.startedAt) + within(frame.startedUptime - times.firstUptime) * 1000,
  ).toISOString()
  return describe(planned, stdout, stderr, {
    status,
    exitCode: frame.exitCode,
    startedAt,
    durationMs: Math.round(within(frame.endedUptime - frame.startedUptime) * 1000),
    privilege: privilegeOf(planned, times.privilege),
    masked: together(stdout.classes, stderr.classes),
    // For other commands this adds no information and would make recordings of the same output differ.
    heardMs: planned.live ? frame.heardMs : null,
  })
}

/** Both streams of a capture. */
const together = (one: RedactionCounts, other: RedactionCounts): RedactionCounts => {
  const classes = [...new Set([...Object.keys(one), ...Object.keys(other)])].sort() as (keyof RedactionCounts)[]
  return Object.fromEntries(classes.map((kind) => [kind, (one[kind] ?? 0) + (other[kind] ?? 0)]))
}

/** The node's count of seconds, limited to the longest possible collection: a node may report any value. */
const within = (seconds: number): number => Math.min(Math.max(0, seconds), 86_400)

/** A command whose output never arrived: recorded, so that a missing capture cannot be mistaken for an empty one. */
export const lostCapture = (planned: PlannedCommand, at: string, privilege: Session['privilege']): CapturedAnswer =>
  describe(planned, masked(new Uint8Array()), masked(new Uint8Array()), {
    status: 'lost',
    exitCode: null,
    startedAt: at,
    durationMs: 0,
    privilege: privilegeOf(planned, privilege),
    masked: {},
    heardMs: null,
  })

/**
 * A measurement by this computer, as JSON. A text is stored unchanged, so that its digest matches that of the
 * original.
 */
export function measuredCapture(
  probe: string,
  command: string,
  measure: string,
  value: unknown,
  at: string,
): CapturedAnswer {
  const stdout = new TextEncoder().encode(typeof value === 'string' ? value : `${JSON.stringify(value)}\n`)
  const empty = new Uint8Array()
  const meta: Capture = {
    probe,
    command,
    argv: [measure],
    source: 'collector',
    privilege: 'user',
    status: 'done',
    exitCode: 0,
    startedAt: at,
    durationMs: 0,
    stdout: { sha256: sha256(stdout), size: stdout.length },
    stderr: { sha256: sha256(empty), size: 0 },
  }
  return { meta, stdout, stderr: empty }
}

const privilegeOf = ({ run }: PlannedCommand, privilege: Session['privilege']): Capture['privilege'] =>
  run.as === 'root' && privilege !== 'none' ? privilege : 'user'

type Described = Pick<Capture, 'status' | 'exitCode' | 'startedAt' | 'durationMs' | 'privilege'> & {
  readonly masked: RedactionCounts
  readonly heardMs: number | null
}

function describe(
  planned: PlannedCommand,
  stdout: Pick<Masked, 'bytes' | 'sha256'>,
  stderr: Pick<Masked, 'bytes' | 'sha256'>,
  { masked, heardMs, ...rest }: Described,
): CapturedAnswer {
  const maskedCount = Object.values(masked).reduce((sum, count) => sum + count, 0)
  const meta: Capture = {
    probe: planned.probe,
    command: planned.command,
    argv: argvOf(planned.run),
    source: 'node',
    ...rest,
    stdout: { sha256: stdout.sha256, size: stdout.bytes.length },
    stderr: { sha256: stderr.sha256, size: stderr.bytes.length },
    ...(maskedCount === 0 ? {} : { maskedCount, masked }),
    ...(heardMs === null ? {} : { heardMs }),
  }
  return { meta, stdout: stdout.bytes, stderr: stderr.bytes }
}

/**
 * The capture that identifies the boot of a node (random(4): boot_id differs after each start). Collected again in
 * every attempt.
 */
export const BOOT_KEY = captureKey(hostIdentity.id, 'ids')

/** The boot that a capture identifies; null for other captures, and where it identifies none. */
export function bootIn(answer: CapturedAnswer): string | null {
  const key = captureKey(answer.meta.probe, answer.meta.command)
  if (key !== BOOT_KEY) return null
  const reading = readProbe(hostIdentity, new Map([[key, answer]]))
  return reading.ok ? reading.fact.bootId : null
}

export interface Answered {
  /** "probe/command" of captures that need not be collected again. */
  readonly keys: ReadonlySet<string>
  /** The boot during which these captures were collected; null where unknown. */
  readonly boot: string | null
}

/**
 * The captures of earlier attempts that remain valid, given in stored order: those of one boot of the node. Captures
 * from before a restart are collected again, and so are all captures where none identifies a boot. A catalog that
 * does not collect the boot id cannot distinguish them.
 */
export function answeredInOneBoot({ probes }: Pick<Catalog, 'probes'>, captures: readonly CapturedAnswer[]): Answered {
  const keys = new Set<string>()
  let boot: string | null = null
  for (const capture of captures) {
    const named = bootIn(capture)
    if (named !== null && boot !== null && named !== boot) keys.clear()
    boot = named ?? boot
    if (capture.meta.status === 'done') keys.add(captureKey(capture.meta.probe, capture.meta.command))
  }
  if (!probes.some(({ id }) => id === hostIdentity.id)) return { keys, boot: null }
  if (boot === null) return { keys: new Set(), boot }
  keys.delete(BOOT_KEY)
  return { keys, boot }
}
