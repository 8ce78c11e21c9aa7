import type { Register } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import type { Signer } from '../../core/ports.ts'
import { currentResponses, respond } from '../../core/register/responses.ts'
import { ok } from '../../core/result.ts'
import type { TableRow } from '../../core/table.ts'
import { readResponseTable } from '../../present/formats/response-table.ts'
import { hexOf } from '../engine/kept-json.ts'
import { signEntry } from './sign.ts'

/** How responses of a table are added. */
export interface TableImport {
  readonly fleet: string
  /** Checks of which there can be findings. */
  readonly checks: readonly string[]
  readonly statedBy: string
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
 * Adds the responses of a table to a register: all, or none. Rows that state what the register states are no new entries. Fails with
 * input.refused, naming each row that is not valid, and as opening the signer and signing do.
 */
export async function importResponses(
  ports: Pick<Ports, 'clock' | 'entropy' | 'sealing'>,
  register: Register,
  rows: readonly TableRow[],
  { fleet, checks, statedBy, openSigner }: TableImport,
): Promise<Outcome<Imported>> {
  const now = ports.clock.now()
  const read = readResponseTable(rows, { fleet, checks, current: currentResponses(register, now) })
  const problems = [...read.problems]
  const known = new Set(checks)
  const added: string[] = []
  let next = register
  for (const { row, ...stated } of read.changed) {
    const id = hexOf(ports.entropy.bytes(16))
    const made = respond(next, { ...stated, statedBy }, { now, id, hasCheck: (check) => known.has(check) })
    if (made.ok) next = made.value
    else problems.push(`row ${row}: ${made.error.detail}`)
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
