import type { Schedule } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { scheduleAttempts } from '../../core/layout.ts'
import { ok } from '../../core/result.ts'
import { hasExactly, isInstant, isName, isSchedule, parsedJson } from '../../core/run-chain/entry.ts'

/**
 * How a start ended: `going` has started, or was killed; `nothing-due` collected nothing, and neither did `overlap`
 * (the previous run was in progress), `too-late` (the schedule skips missed runs) and `stopped` (before collection).
 */
export const ATTEMPT_CODES = ['going', 'ran', 'nothing-due', 'overlap', 'too-late', 'stopped', 'failed'] as const
export type AttemptCode = (typeof ATTEMPT_CODES)[number]

/** One start of a schedule. An unsigned log for people: the run chain is authoritative. */
export interface Attempt {
  /** 16 hexadecimal digits: its first line and its last have the same. */
  readonly id: string
  readonly schedule: string
  /** The due time of this start; null when nothing was due. */
  readonly due: string | null
  readonly startedAt: string
  readonly endedAt: string | null
  readonly run: string | null
  readonly exit: number | null
  readonly code: AttemptCode
  readonly detail: string
}

const LARGEST = 64 * 1024 * 1024
const LONGEST_DETAIL = 2000

/** Adds a line. Fails with store.failed. */
export const writeAttempt = (
  { files }: Pick<Ports, 'files'>,
  schedule: Pick<Schedule, 'out' | 'name'>,
  attempt: Attempt,
): Promise<Outcome<null>> =>
  files.append(
    scheduleAttempts(schedule),
    canonicalJson({ ...attempt, detail: attempt.detail.slice(0, LONGEST_DETAIL) }),
  )

/**
 * The starts of a schedule, in order of their start; none where nothing was ever started. Fails with input.refused,
 * naming the line.
 */
export async function readAttempts(
  { files }: Pick<Ports, 'files'>,
  out: string,
  name: string,
): Promise<Outcome<readonly Attempt[]>> {
  const path = scheduleAttempts({ out, name })
  if (!(await files.isThere(path))) return ok([])
  const bytes = await files.read(path, LARGEST)
  return bytes.ok ? parseAttempts(new TextDecoder().decode(bytes.value), path, name) : bytes
}

/** Reads lines strictly. The last one counts only with its line end: otherwise it was still being written. */
export function parseAttempts(text: string, path: string, name: string): Outcome<readonly Attempt[]> {
  const attempts = new Map<string, Attempt>()
  for (const [index, line] of text.split('\n').slice(0, -1).entries()) {
    const value = parsedJson(line)
    if (!isAttempt(value, name) || canonicalJson(value) !== line)
      return fail('input.refused', `${path}:${index + 1} is not a start of the schedule ${name}`)
    attempts.set(value.id, value)
  }
  return ok([...attempts.values()])
}

const MEMBERS = ['id', 'schedule', 'due', 'startedAt', 'endedAt', 'run', 'exit', 'code', 'detail'] as const

const isAttempt = (value: unknown, name: string): value is Attempt =>
  hasExactly(value, MEMBERS) &&
  typeof value.id === 'string' &&
  /^[0-9a-f]{16}$/.test(value.id) &&
  isSchedule(value.schedule) &&
  value.schedule === name &&
  isInstant(value.startedAt) &&
  [value.due, value.endedAt].every((one) => one === null || isInstant(one)) &&
  (value.run === null || isName(value.run)) &&
  (value.exit === null || Number.isSafeInteger(value.exit)) &&
  ATTEMPT_CODES.some((code) => code === value.code) &&
  typeof value.detail === 'string' &&
  value.detail.length <= LONGEST_DETAIL
