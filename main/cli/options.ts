import type { Scope } from '../../schemas/types.ts'
import { fail, type Outcome } from '../core/failure.ts'
import type { Clock } from '../core/ports.ts'
import { ok } from '../core/result.ts'

const KNOWN = ['hipaa', 'soc2', 'nprm'] as const

/** Off unless given: live tests load the node. */
export const LIVE_TESTS = [
  '--live-tests',
  'also ask live tests: bounded measurements that keep one processor of each node busy, less than a minute in all',
] as const

/** "hipaa,soc2" → the frameworks in scope. The proposed rule is in only when asked for. */
export function frameworkList(
  text: string | undefined,
  otherwise: Scope['frameworks'] = ['hipaa', 'soc2'],
): Outcome<Scope['frameworks']> {
  if (text === undefined) return ok(otherwise)
  const names = text.split(',').map((name) => name.trim().toLowerCase())
  const unknown = names.find((name) => !KNOWN.some((known) => known === name))
  if (unknown !== undefined) return fail('input.refused', `--framework: “${unknown}” is none of ${KNOWN.join(', ')}`)
  return ok(KNOWN.filter((known) => names.includes(known)))
}

/** A moment given by a person, as UTC with milliseconds; now when none is given. */
export function instant(option: string, text: string | undefined, clock: Clock): Outcome<string> {
  if (text === undefined) return ok(clock.now())
  const iso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?Z)?$/.test(text)
  const time = iso ? Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text) : Number.NaN
  if (Number.isNaN(time))
    return fail('input.refused', `${option}: “${text}” is not a UTC time such as 2026-11-21T09:00:00Z`)
  return ok(new Date(time).toISOString())
}
