import { readFile } from 'node:fs/promises'
import { readHeadStatement } from '../../core/audit-head.ts'
import { fail, type Outcome, ok } from '../../core/failure.ts'
import { type AuditEvent, EMPTY_LOG } from '../audit.ts'
import { otherEntries, signedHeads } from '../audit-heads.ts'
import type { LogHead } from '../chained-log.ts'
import { type ChainedFile, openChainedFile } from './chained-file.ts'

export interface AuditLog extends ChainedFile<AuditEvent> {
  /** The head, where entries were added since the last head that a sealer signed; otherwise null. */
  readonly unsignedHead: () => LogHead | null
  /** Whether unsignedHead() returned this head and no offered head was signed since. */
  readonly wasOffered: (head: LogHead) => boolean
}

/** Maximum number of offered heads. A sealer asks for one every ten minutes; all are dropped when one is signed. */
const MOST_OFFERED = 100

/** Opens an audit log to continue it; fails as openChainedFile() does. */
export async function openAuditLog(path: string): Promise<Outcome<AuditLog>> {
  const opened = await openChainedFile<AuditEvent>(path, EMPTY_LOG)
  if (!opened.ok) return opened
  const { log, text } = opened.value
  // A signed head adds an entry, which alone is no reason to sign the next head.
  let others = otherEntries(text, Number.POSITIVE_INFINITY)
  let signed = otherEntries(text, signedHeads(text).at(-1)?.statement?.size ?? 0)
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

/** The text of an audit log, or of the record of a sealer. Fails with input.not-found where it cannot be read. */
export async function readAuditFile(path: string): Promise<Outcome<string>> {
  try {
    return ok(await readFile(path, 'utf8'))
  } catch {
    return fail('input.not-found', path)
  }
}
