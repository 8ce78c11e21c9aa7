import type { Register } from '../../../schemas/types.ts'
import type { Ports } from '../../core/all-ports.ts'
import type { Outcome } from '../../core/failure.ts'
import type { Signer } from '../../core/ports.ts'
import { currentAuditorRequests, stateAuditorRequest } from '../../core/register/auditor-requests.ts'
import type { TableRow } from '../../core/table.ts'
import { readRequestTable } from '../../present/formats/request-table.ts'
import { type Imported, importTable } from './table-import.ts'

/** How the list of an auditor is added. */
export interface ListImport {
  /** IDs of the evidence requests of the catalog. */
  readonly requests: readonly string[]
  readonly statedBy: string
  readonly openSigner: (() => Promise<Outcome<Signer>>) | null
}

/**
 * Adds the request list of an auditor to a register: all rows, or none. Rows that state what the register states are no new entries. Fails with
 * input.refused, naming each row that is not valid, and as opening the signer and signing do.
 */
export function importAuditorList(
  ports: Pick<Ports, 'clock' | 'entropy' | 'sealing'>,
  register: Register,
  rows: readonly TableRow[],
  { requests, statedBy, openSigner }: ListImport,
): Promise<Outcome<Imported>> {
  const known = new Set(requests)
  return importTable(ports, register, {
    read: (now, at) => readRequestTable(rows, currentAuditorRequests(now, at)),
    state: (next, { row: _, ...stated }, moment) =>
      stateAuditorRequest(next, { ...stated, statedBy }, { ...moment, hasRequest: (id) => known.has(id) }),
    openSigner,
  })
}
