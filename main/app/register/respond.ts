import type { Register } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import type { Outcome } from '../../core/failure.ts'
import type { Signer } from '../../core/ports.ts'
import { currentResponses, respond } from '../../core/register/responses.ts'
import type { TableRow } from '../../core/table.ts'
import { readResponseTable } from '../../present/formats/response-table.ts'
import { type Imported, importTable } from './table-import.ts'

/** How responses of a table are added. */
export interface TableImport {
  readonly fleet: string
  /** Checks of which there can be findings. */
  readonly checks: readonly string[]
  readonly statedBy: string
  /** Called at most once, after every row was accepted; null leaves the entries without a signature. */
  readonly openSigner: (() => Promise<Outcome<Signer>>) | null
}

/**
 * Adds the responses of a table to a register: all, or none. Rows that state what the register states are no new entries. Fails with
 * input.refused, naming each row that is not valid, and as opening the signer and signing do.
 */
export function importResponses(
  ports: Pick<Ports, 'clock' | 'entropy' | 'sealing'>,
  register: Register,
  rows: readonly TableRow[],
  { fleet, checks, statedBy, openSigner }: TableImport,
): Promise<Outcome<Imported>> {
  const known = new Set(checks)
  return importTable(ports, register, {
    read: (now, at) => readResponseTable(rows, { fleet, checks, current: currentResponses(now, at) }),
    state: (next, { row: _, ...stated }, moment) =>
      respond(next, { ...stated, statedBy }, { ...moment, hasCheck: (check) => known.has(check) }),
    openSigner,
  })
}
