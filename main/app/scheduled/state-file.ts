import type { Notify, Schedule } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { canonicalJson } from '../../core/canonical-json.ts'
import type { Outcome } from '../../core/failure.ts'
import { scheduleState } from '../../core/layout.ts'
import type { Notice } from '../../core/notice.ts'
import { hasExactly, isName, parsedJson } from '../../core/run-chain/entry.ts'
import type { WatchedStates } from './states.ts'

/** A notification that one recipient has not received yet. */
export interface Waiting {
  readonly to: Notify
  readonly notice: Notice
}

/** State of a schedule between runs. It is not evidence: without it, monitoring starts again. */
export interface Remembered {
  /** The last run that was exported; null before there was one. */
  readonly run: string | null
  readonly states: WatchedStates | null
  readonly waiting: readonly Waiting[]
}

const SCHEMA = 'barewitness.schedule-state/1'
const LARGEST = 64 * 1024 * 1024
export const NOTHING_REMEMBERED: Remembered = { run: null, states: null, waiting: [] }

/** Null where the file exists but is not in the expected form. */
export async function readRemembered(
  { files }: Pick<Ports, 'files'>,
  schedule: Pick<Schedule, 'out' | 'name'>,
): Promise<Remembered | null> {
  const path = scheduleState(schedule)
  if (!(await files.isThere(path))) return NOTHING_REMEMBERED
  const bytes = await files.read(path, LARGEST)
  return bytes.ok ? parseRemembered(new TextDecoder().decode(bytes.value)) : null
}

/** Fails with store.failed. */
export const writeRemembered = (
  { files }: Pick<Ports, 'files'>,
  schedule: Pick<Schedule, 'out' | 'name'>,
  remembered: Remembered,
): Promise<Outcome<null>> => files.write(scheduleState(schedule), rememberedText(remembered))

const rememberedText = (remembered: Remembered): string => {
  const body = canonicalJson({ schema: SCHEMA, ...remembered })
  return `${body}\n`
}

function parseRemembered(text: string): Remembered | null {
  const value = parsedJson(text)
  if (!hasExactly(value, ['schema', 'run', 'states', 'waiting']) || value.schema !== SCHEMA) return null
  const { run, states, waiting } = value
  if (!(run === null || isName(run)) || !(states === null || isStates(states))) return null
  if (!Array.isArray(waiting) || !waiting.every(isWaiting)) return null
  const remembered = { run, states, waiting }
  return rememberedText(remembered) === text ? remembered : null
}

const isStates = (value: unknown): value is WatchedStates =>
  hasExactly(value, ['outcome', 'missed', 'controls', 'gaps', 'missing', 'machines', 'declared']) &&
  ['complete', 'incomplete', 'failed'].some((outcome) => outcome === value.outcome) &&
  typeof value.missed === 'boolean' &&
  isRecord(value.controls, (state) => typeof state === 'string') &&
  isList(value.gaps, (gap) => isList(gap, (part) => typeof part === 'string') && gap.length === 2) &&
  isList(value.missing, (node) => typeof node === 'string') &&
  isRecord(
    value.machines,
    (machine) =>
      hasExactly(machine, ['hostKey', 'parts']) &&
      [machine.hostKey, machine.parts].every((part) => part === null || typeof part === 'string'),
  ) &&
  Number.isSafeInteger(value.declared)

const isWaiting = (value: unknown): value is Waiting =>
  hasExactly(value, ['to', 'notice']) &&
  typeof value.to === 'object' &&
  value.to !== null &&
  hasExactly(value.notice, ['schema', 'id', 'schedule', 'fleet', 'at', 'run', 'due', 'summary', 'changes', 'counts']) &&
  isName(value.notice.id)

const isList = (value: unknown, of: (one: unknown) => boolean): value is unknown[] =>
  Array.isArray(value) && value.every(of)
const isRecord = (value: unknown, of: (one: unknown) => boolean): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(of)
