import { readFileSync } from 'node:fs'

/** What one step took. */
export interface ChildFigures {
  readonly milliseconds: number
  /** The most memory its process ever had, by /proc/PID/status. */
  readonly peakMiB: number
  /** The same, just before the step; 0 for a program that does nothing else. */
  readonly beforeMiB: number
}

/** The most memory that a process ever had so far, in MiB; 0 once it is gone. */
export function peakOf(pid: number | 'self'): number {
  try {
    return Math.round(
      Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024,
    )
  } catch {
    return 0
  }
}
