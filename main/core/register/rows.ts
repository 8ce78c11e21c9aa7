import type { ControlRef, Register } from '../../../schemas/types.ts'
import { EMPTY_REGISTER } from '../register.ts'
import { decisionsOf } from './decisions.ts'

/** Register entries of one control: documents, requests and decisions. */
export type RowRegister = (row: { readonly framework: string; readonly control: string }) => Register

/** A register indexed by control, so that many controls do not each scan the whole register. */
export function byRow(register: Register): RowRegister {
  const attachments = grouped(register.documents, ({ controls }) => controls)
  const requests = grouped(register.documentRequests, (one) => [one])
  const decisions = grouped(decisionsOf(register), (one) => [one])
  return (row) => {
    const key = keyOf(row)
    return {
      ...EMPTY_REGISTER,
      documents: attachments.get(key) ?? [],
      documentRequests: requests.get(key) ?? [],
      decisions: decisions.get(key) ?? [],
    }
  }
}

type Row = Pick<ControlRef, 'control'> & { readonly framework: string }

// A framework ID has no line ends.
const keyOf = ({ framework, control }: Row): string => `${framework}\n${control}`

function grouped<T>(entries: readonly T[], rowsOf: (entry: T) => readonly Row[]): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>()
  for (const entry of entries)
    for (const key of new Set(rowsOf(entry).map(keyOf))) {
      const known = found.get(key)
      if (known === undefined) found.set(key, [entry])
      else known.push(entry)
    }
  return found
}
