import { constants } from 'node:buffer'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openObjectFolder } from '../../main/adapters/objects/folder.ts'
import { ok } from '../../main/core/base/failure.ts'
import { EMPTY_LOG } from '../../main/server/audit.ts'
import { chainedLine, type LogHead } from '../../main/server/chained-log.ts'
import { completeLines, linesInOrder } from '../../main/server/edge/log-lines.ts'
import { compareAuditLog, startAuditCopies } from '../../main/server/edge/services/audit-copies.ts'
import { openAuditLog, readAuditLog } from '../../main/server/edge/services/audit-file.ts'
import { folderOfTest } from '../support/folders.ts'
import { must } from '../support/outcomes.ts'

/** Writes a log that is longer than the longest text of Node.js. Its entries are large, so that it has few of them. */
function longLog(): { readonly path: string; readonly head: LogHead } {
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-long-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'audit.jsonl')
  const file = openSync(path, 'w')
  const reason = 'x'.repeat(500_000)
  let [head, bytes] = [EMPTY_LOG, 0]
  while (bytes <= constants.MAX_STRING_LENGTH) {
    const next = chainedLine(head, { kind: 'call', reason })
    bytes += writeSync(file, next.line)
    head = next.head
  }
  closeSync(file)
  return { path, head }
}

test('an audit log that is longer than any text can be is opened and continued', async () => {
  const { path, head } = longLog()
  const log = must(await openAuditLog(path))
  expect(log.head()).toEqual(head)
  expect(log.unsignedHead()).toEqual(head)
  const { size } = statSync(path)
  await log.append({ kind: 'stop' } as never)
  await log.close()
  expect(log.head().size).toBe(head.size + 1)
  expect(statSync(path).size).toBeGreaterThan(size)
})

test('it is verified, and copied to an object store in parts, of which the last is compared', async () => {
  const { path, head } = longLog()
  const read = must(await readAuditLog(path))
  expect([read.check, read.heads.has(head)]).toEqual([{ intact: true, head }, true])
  const store = must(await openObjectFolder(folderOfTest('objects')))
  const made = async (): Promise<boolean> => {
    const copies = startAuditCopies(
      {
        openStore: async () => ok(store),
        ...{ place: 'here', file: path, head: () => head, years: 1, everyMs: 3_600_000 },
        now: () => '2026-11-29T00:00:00.000Z',
      },
      () => undefined,
    )
    await copies.now()
    await copies.close()
    return copies.state().waiting === 0 && !copies.state().isFailing
  }
  expect([await made(), await made()]).toEqual([true, true])
  const lines = linesInOrder(completeLines(path))
  expect(await compareAuditLog(store, 'here', lines)).toEqual(ok({ kept: head.size, problems: [], others: [] }))
})
