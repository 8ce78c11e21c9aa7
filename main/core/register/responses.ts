import type { ManagementResponse, Register } from '../../../schemas/types.ts'
import { compare } from '../recording.ts'
import { millisOf } from './days.ts'

/**
 * Management responses that are current at a moment, by check: of those that are not withdrawn and not later than it, the latest; of several
 * of one moment, the one with the last id, so that the order of the register carries no meaning.
 */
export function currentResponses(
  { responses = [] }: Pick<Register, 'responses'>,
  asOf: string,
): ReadonlyMap<string, ManagementResponse> {
  const found = new Map<string, ManagementResponse>()
  for (const entry of responses) {
    if (entry.withdrawn !== null || !(millisOf(entry.statedAt) <= millisOf(asOf))) continue
    const other = found.get(entry.check)
    const order = other === undefined ? 1 : millisOf(entry.statedAt) - millisOf(other.statedAt)
    if (other === undefined || order > 0 || (order === 0 && compare(entry.id, other.id) > 0))
      found.set(entry.check, entry)
  }
  return found
}
