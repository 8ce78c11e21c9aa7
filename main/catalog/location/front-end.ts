import type { FrontEnd, PathTiming } from '../../../schemas/types.ts'
import type { Timing } from './timing.ts'

/** Servers take a little time to respond, and lines waver: less of a difference is no evidence. */
const LEAST_GAP_MS = 5
const JITTERS = 3

/**
 * How far the echo, which only the holder of the session keys can response, took longer than opening the TCP connection, which whatever is
 * at the address responses. A gap beyond what is allowed: something nearer than the node takes the connections in its place. It bounds
 * nothing, and its absence shows nothing. null where there is no echo to compare, or where a jump host opened the connection.
 */
export function frontEnd(timing: Timing, path: PathTiming | null): FrontEnd | null {
  if (!timing.ok || path === null || path.tcpMs === null || path.jumps > 0) return null
  const gapMs = timing.milliseconds - path.tcpMs
  const allowedMs = Math.max(LEAST_GAP_MS, JITTERS * timing.jitterMs)
  return { echoMs: timing.milliseconds, tcpMs: path.tcpMs, gapMs, allowedMs, exceeds: gapMs > allowedMs }
}
