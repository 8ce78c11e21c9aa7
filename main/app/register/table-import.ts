import type { Register } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import type { Signer } from '../../core/ports.ts'
import type { Moment } from '../../core/register.ts'
import { ok } from '../../core/result.ts'
import { hexOf } from '../engine/kept-json.ts'
import { signEntry } from './sign.ts'

/** Rows of a table as they were read against a register. */
export interface TableReading<Row extends { readonly row: number }> {
  readonly changed: readonly Row[]
  readonly unchanged: number
  readonly problems: readonly string[]
}

export interface TableStatements<Row extends { readonly row: number }> {
  /** Reads the table against the register at the time of the import. */
  readonly read: (register: Register, now: string) => TableReading<Row>
  /** Adds the entry that a row states. */
  readonly state: (register: Register, row: Row, moment: Moment) => Outcome<Register>
  /** Called at most once, after every row was accepted; null leaves the entries without a signature. */
  readonly openSigner: (() => Promise<Outcome<Signer>>) | null
}

export interface Imported {
  readonly register: Register
  readonly added: readonly string[]
  readonly unchanged: number
}

const MOST_PROBLEMS = 20

/**
 * Adds what the rows of a table state to a register: all, or none. Fails with input.refused, naming each row that is not valid, and as opening
 * the signer and signing do.
 */
export async function importTable<Row extends { readonly row: number }>(
  ports: Pick<Ports, 'clock' | 'entropy' | 'sealing'>,
  register: Register,
  { read: readIn, state, openSigner }: TableStatements<Row>,
): Promise<Outcome<Imported>> {
  const now = ports.clock.now()
  const read = readIn(register, now)
  const problems = [...read.problems]
  const added: string[] = []
  let next = register
  for (const one of read.changed) {
    const id = hexOf(ports.entropy.bytes(16))
    const made = state(next, one, { now, id })
    if (made.ok) next = made.value
    else problems.push(`row ${one.row}: ${made.error.detail}`)
    added.push(id)
  }
  if (problems.length > 0) return fail('input.refused', listed(problems))
  if (openSigner === null || added.length === 0) return ok({ register: next, added, unchanged: read.unchanged })
  const signer = await openSigner()
  if (!signer.ok) return signer
  for (const id of added) {
    const signed = await signEntry(ports, next, id, { role: 'respondent', openSigner: async () => signer })
    if (!signed.ok) return signed
    next = signed.value
  }
  return ok({ register: next, added, unchanged: read.unchanged })
}

const listed = (problems: readonly string[]): string => {
  const more = problems.length - MOST_PROBLEMS
  return `${problems.slice(0, MOST_PROBLEMS).join('; ')}${more > 0 ? `; and ${more} more` : ''}. Nothing was stored`
}
