import { readFile, stat } from 'node:fs/promises'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { readHeadStatement } from '../../../core/team/audit-head.ts'
import { type AuditEvent, EMPTY_LOG } from '../../audit.ts'
import { headCounter, type LogHeads, logHeads } from '../../audit-heads.ts'
import { chainReader, type LogCheck, type LogHead } from '../../chained-log.ts'
import { completeLines } from '../log-lines.ts'
import { type ChainedFile, openChainedLog } from './chained-file.ts'

export interface AuditLog extends ChainedFile<AuditEvent> {
  /** The head, where entries were added since the last head that a sealer signed; otherwise null. */
  readonly unsignedHead: () => LogHead | null
  /** Whether unsignedHead() returned this head and no offered head was signed since. */
  readonly wasOffered: (head: LogHead) => boolean
}

/** Maximum number of offered heads. A sealer asks for one every ten minutes; all are dropped when one is signed. */
const MOST_OFFERED = 100

/** Opens an audit log to continue it; fails as openChainedLog() does. */
export async function openAuditLog(path: string): Promise<Outcome<AuditLog>> {
  const counter = headCounter()
  const opened = await openChainedLog<AuditEvent>(path, EMPTY_LOG, counter.add)
  if (!opened.ok) return opened
  const log = opened.value
  // A signed head adds an entry, which alone is no reason to sign the next head.
  let others = counter.others()
  let signed = counter.signed()
  const offered = new Map<number, { readonly digest: string; readonly others: number }>()
  return ok({
    ...log,
    append: async (event) => {
      await log.append(event)
      if (event.kind !== 'head-signed') others += 1
      else {
        signed = Math.max(signed, offered.get(readHeadStatement(event.of.statement ?? '')?.size ?? 0)?.others ?? 0)
        offered.clear()
      }
    },
    unsignedHead: () => {
      if (others <= signed) return null
      const head = log.head()
      if (offered.size === MOST_OFFERED) offered.clear()
      offered.set(head.size, { digest: head.digest, others })
      return head
    },
    wasOffered: ({ size, digest }) => offered.get(size)?.digest === digest,
  })
}

interface AuditReading {
  readonly check: LogCheck
  /** Of an intact log. */
  readonly heads: LogHeads
}

/** Checks every line of an audit log of any length. Fails with input.not-found where it cannot be read. */
export async function readAuditLog(path: string): Promise<Outcome<AuditReading>> {
  const [reader, heads] = [chainReader(EMPTY_LOG), logHeads()]
  let bytes = 0
  try {
    // Entries can be added while it is read.
    const { size } = await stat(path)
    for await (const lines of completeLines(path))
      for (const line of lines) {
        if (!reader.add(line)) return ok({ check: { intact: false, line: reader.head().size + 1 }, heads })
        heads.add(line)
        bytes += Buffer.byteLength(line) + 1
      }
    const head = reader.head()
    return ok({ check: bytes < size ? { intact: false, line: head.size + 1 } : { intact: true, head }, heads })
  } catch {
    return fail('input.not-found', path)
  }
}

/** The text of the record of a sealer. Fails with input.not-found where it cannot be read. */
export async function readRecord(path: string): Promise<Outcome<string>> {
  try {
    return ok(await readFile(path, 'utf8'))
  } catch {
    return fail('input.not-found', path)
  }
}
