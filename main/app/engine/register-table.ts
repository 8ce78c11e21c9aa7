import type { RiskAcceptanceView } from '../../../schemas/ipc-packs.ts'
import { standingWords } from '../../../schemas/words.ts'
import type { Catalog } from '../../core/catalog.ts'
import { oneLine } from '../../core/plain-text.ts'
import { signaturesOf } from '../../core/register/signatures.ts'
import { isOnePerson } from '../../core/register.ts'
import type { Table } from '../tables.ts'

const HEAD = [
  'status',
  'check',
  'expected condition',
  'nodes',
  'reason',
  'compensating control',
  'owner',
  'requested by',
  'approved by',
  'approver’s role',
  'same requester and approver',
  'accepted at (UTC)',
  'expires at (UTC)',
  'run',
  'withdrawn at (UTC)',
  'withdrawn by',
  'withdrawal reason',
  'signed as, with key',
  'id',
]

/** Risk acceptances, one a line, as they were entered. */
export function exceptionsTable(exceptions: readonly RiskAcceptanceView[], { checks }: Catalog): Table {
  const claims = new Map(checks.map(({ id, expected }) => [id, expected]))
  const rows = exceptions.map((entry) => [
    standingWords[entry.standing],
    entry.check,
    claims.get(entry.check) ?? '',
    entry.nodes.join(' '),
    entry.reason,
    entry.compensatingControl,
    entry.owner,
    entry.requestedBy,
    entry.approvedBy,
    entry.approverRole ?? '',
    isOnePerson(entry) ? 'requested and approved by the same person' : '',
    entry.acceptedAt,
    entry.expiresAt,
    entry.run ?? '',
    entry.withdrawn?.at ?? '',
    entry.withdrawn?.by ?? '',
    entry.withdrawn?.reason ?? '',
    signaturesOf(entry)
      .map(({ role, fingerprint }) => `${role} ${fingerprint}`)
      .join('; '),
    entry.id,
  ])
  return [HEAD, ...rows.map((row) => row.map((cell) => oneLine(cell, 30_000)))]
}
