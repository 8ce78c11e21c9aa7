import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openObjectFolder } from '../../main/adapters/objects/folder.ts'
import { serveCommand } from '../../main/cli/commands/serve.ts'
import { EXIT } from '../../main/cli/parts/exit-codes.ts'
import { fail } from '../../main/core/base/failure.ts'
import { type ObjectStore, textBytes } from '../../main/core/objects.ts'
import { EMPTY_LOG } from '../../main/server/audit.ts'
import {
  coveredBy,
  type Entries,
  linesOf,
  partKey,
  partsAfter,
  partsAmong,
  placeOf,
} from '../../main/server/audit-parts.ts'
import { chainedLine, logLines } from '../../main/server/chained-log.ts'
import { linesInOrder } from '../../main/server/edge/log-lines.ts'
import { type AuditCopies, compareAuditLog, startAuditCopies } from '../../main/server/edge/services/audit-copies.ts'
import { openAuditLog } from '../../main/server/edge/services/audit-file.ts'
import { auditEvent } from '../../main/server/edge/services/parts.ts'
import { closedAfterEach } from '../support/closing.ts'
import { commandLine } from '../support/command-line.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { folderOfTest } from '../support/folders.ts'
import { must } from '../support/outcomes.ts'

const PLACE = 'https_audit.example.com_8443'
const UNTIL = '2032-11-29T00:00:00.000Z'
const NEVER_MS = 600_000
const event = (node: string) => auditEvent({ now: () => 0 }, null, { kind: 'call', of: { node } })

/** The text of a log with an entry for each name. */
function logOf(...names: readonly string[]): string {
  let [head, text] = [EMPTY_LOG, '']
  for (const name of names) {
    const made = chainedLine(head, event(name))
    head = made.head
    text += made.line
  }
  return text
}

describe('parts of an audit log', () => {
  test.each([
    ['http://127.0.0.1:8443', 'http_127.0.0.1_8443'],
    ['https://[::1]:8443', 'https_1_8443'],
    ['https://Audit.Example.com', 'https_audit.example.com'],
  ])('of %s are in %s', (origin, place) => expect(placeOf(origin)).toBe(place))

  test.each<[reads: string, entries: readonly Entries[], covered: number]>([
    ['none', [], 0],
    ['one', [{ first: 1, last: 4 }], 4],
    ['the first is missing', [{ first: 2, last: 4 }], 0],
    ['one between is missing', [{ first: 1, last: 2 }, { first: 4, last: 9 }], 2], // biome-ignore format: one case a line
    ['two overlap', [{ first: 1, last: 4 }, { first: 3, last: 6 }, { first: 7, last: 7 }], 7], // biome-ignore format: one case a line
    ['one is within another', [{ first: 1, last: 9 }, { first: 3, last: 4 }, { first: 10, last: 11 }], 11], // biome-ignore format: one case a line
  ])('cover entries without a gap: %s', (_, entries, covered) => expect(coveredBy(entries)).toBe(covered))

  test('take every entry once, in order, and no part is larger than asked unless one entry is', () => {
    const line = fc.string({ maxLength: 40 }).map((text) => `${text.replaceAll('\n', '')}\n`)
    fc.assert(
      fc.property(fc.array(line), fc.nat(50), fc.nat(50), fc.integer({ min: 1, max: 90 }), (lines, from, to, bytes) => {
        const parts = partsAfter(lines, { from, to, bytes })
        expect(parts.map(({ text }) => text).join('')).toBe(lines.slice(from, to).join(''))
        for (const [at, { first, last, text }] of parts.entries()) {
          expect(first).toBe((parts[at - 1]?.last ?? from) + 1)
          expect(linesOf(text)).toEqual(lines.slice(first - 1, last))
          if (last > first) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytes)
        }
      }),
    )
  })

  test('are read from their names; any other name is none', () => {
    fc.assert(fc.property(fc.string(), (key) => void partsAmong([{ key }])))
    const key = partKey(PLACE, { first: 3, last: 12 })
    expect(partsAmong([{ key }])).toEqual([{ place: PLACE, first: 3, last: 12, version: { key } }])
    for (const other of [`${key}x`, `x/${key}`, key.replace('00000003', '00000000'), key.replace('03', '13')])
      expect(partsAmong([{ key: other }])).toEqual([])
  })
})

const open = closedAfterEach()

/** The lines of a log, in batches of two. */
const linesOfLog = (text: string) =>
  linesInOrder(
    (async function* () {
      const lines = logLines(text)
      for (let at = 0; at < lines.length; at += 2) yield lines.slice(at, at + 2)
    })(),
  )

/** A log of a server with its copies, which are made when asked. */
async function started(store: ObjectStore, text = '') {
  const file = join(folderOfTest('audit'), 'audit.jsonl')
  writeFileSync(file, text)
  const audit = must(await openAuditLog(file))
  const lines: Readonly<Record<string, unknown>>[] = []
  const copies: AuditCopies = startAuditCopies(
    {
      openStore: async () => ({ ok: true, value: store }),
      ...{ place: PLACE, file, head: audit.head, years: 6, everyMs: NEVER_MS, now: () => '2026-11-29T00:00:00.000Z' },
    },
    (line) => lines.push(line),
  )
  open.push(async () => {
    await copies.close()
    await audit.close()
  })
  await copies.now()
  return { file, audit, copies, lines }
}

const away = fail('objects.unreachable', 'the answer was lost')
const newStore = async (): Promise<ObjectStore> => must(await openObjectFolder(folderOfTest('objects')))
const keysOf = async (store: ObjectStore): Promise<readonly string[]> =>
  must(await store.versions('')).map(({ key }) => key)

describe('copies of an audit log', () => {
  test('have each entry once, with retention, and continue after a restart', async () => {
    const store = await newStore()
    const first = await started(store, logOf('a', 'b'))
    expect(first.copies.state()).toEqual({ waiting: 0, isFailing: false })
    await first.audit.append(event('c'))
    expect(first.copies.state().waiting).toBe(1)
    await first.copies.now()
    const second = await started(store, readFileSync(first.file, 'utf8'))
    await second.audit.append(event('d'))
    await second.copies.now()
    const names = [
      [1, 2],
      [3, 3],
      [4, 4],
    ].map(([from = 0, to = 0]) => partKey(PLACE, { first: from, last: to }))
    expect(await keysOf(store)).toEqual(names)
    for (const { key, version } of must(await store.versions('')))
      expect(must(await store.head(key, version))?.lock?.until).toBe(UNTIL)
    expect(must(await compareAuditLog(store, PLACE, linesOfLog(readFileSync(second.file, 'utf8'))))).toEqual({
      ...{ kept: 4, problems: [], others: [] },
    })
  })

  test('a part whose answer was lost is not a contradiction', async () => {
    const store = await newStore()
    let [isLost, didStore] = [true, false]
    const lossy: ObjectStore = {
      ...store,
      versions: async (prefix) => (isLost && didStore ? away : await store.versions(prefix)),
      put: async (...given) => {
        const stored = await store.put(...given)
        didStore = true
        return isLost ? away : stored
      },
    }
    const { copies, audit, file, lines } = await started(lossy, logOf('a', 'b'))
    expect(lines).toEqual(
      Array.from({ length: lines.length }, () => ({ kind: 'audit-copy', failed: 'objects.unreachable' })),
    )
    expect(copies.state()).toEqual({ waiting: 2, isFailing: true })
    await audit.append(event('c'))
    isLost = false
    await copies.now()
    expect(copies.state()).toEqual({ waiting: 0, isFailing: false })
    expect(must(await compareAuditLog(store, PLACE, linesOfLog(readFileSync(file, 'utf8'))))).toMatchObject({
      kept: 3,
      problems: [],
    })
  })

  test.each<[how: string, text: string]>([
    ['rewritten', logOf('a', 'x', 'c')],
    ['cut', logOf('a')],
    ['written anew and longer', logOf('x', 'y', 'z', 'zz')],
  ])('a log that was %s is noticed, and not copied', async (_, text) => {
    const store = await newStore()
    await started(store, logOf('a', 'b', 'c'))
    const before = await keysOf(store)
    const { copies, lines } = await started(store, text)
    expect(copies.state().isFailing).toBe(true)
    expect(lines.at(-1)).toEqual({ kind: 'audit-copy', failed: 'objects.altered' })
    expect(await keysOf(store)).toEqual(before)
    expect(must(await compareAuditLog(store, PLACE, linesOfLog(text))).problems).toHaveLength(1)
  })

  test('a rewritten log is noticed also where the store no longer has its first part', async () => {
    const store = await newStore()
    must(await store.put(partKey(PLACE, { first: 2, last: 2 }), textBytes(linesOf(logOf('a', 'b'))[1] ?? ''), UNTIL))
    const kept = await started(store, logOf('a', 'b', 'c'))
    expect(kept.copies.state()).toEqual({ waiting: 0, isFailing: false })
    const other = await newStore()
    must(await other.put(partKey(PLACE, { first: 2, last: 2 }), textBytes(linesOf(logOf('a', 'b'))[1] ?? ''), UNTIL))
    const { copies, lines } = await started(other, logOf('x', 'y', 'z'))
    expect([copies.state().isFailing, lines.at(-1)]).toEqual([true, { kind: 'audit-copy', failed: 'objects.altered' }])
  })

  test('a later version of a part changes nothing, and a part with other bytes is named', async () => {
    const store = await newStore()
    const text = logOf('a', 'b')
    await started(store, text)
    must(await store.put(partKey(PLACE, { first: 1, last: 2 }), textBytes(logOf('x', 'y')), UNTIL))
    expect(must(await compareAuditLog(store, PLACE, linesOfLog(text)))).toMatchObject({ kept: 2, problems: [] })
    must(await store.put(partKey(PLACE, { first: 2, last: 2 }), textBytes('{}\n'), UNTIL))
    expect(must(await compareAuditLog(store, PLACE, linesOfLog(text))).problems).toEqual([
      expect.stringContaining('entry 2'),
    ])
  })

  test.each(['\uFEFF', '\n', ' '])('bytes beside the entries of a part are noticed: %j', async (more) => {
    const store = await newStore()
    const text = logOf('a')
    const part = more === '\uFEFF' ? `${more}${text}` : `${text}${more}`
    must(await store.put(partKey(PLACE, { first: 1, last: 1 }), textBytes(part), UNTIL))
    expect(must(await compareAuditLog(store, PLACE, linesOfLog(text))).problems).toHaveLength(1)
  })
})

describe('barewitness serve --verify-audit with an object store', () => {
  const cli = commandLine(createFakePorts, serveCommand)
  const EXAMPLE = /```yaml\n([\s\S]*?)```/.exec(readFileSync('docs/team-server.md', 'utf8'))?.[1] ?? ''
  const place = placeOf(/publicUrl: (\S+)/.exec(EXAMPLE)?.[1] ?? '')

  /** The exit code for a log, and a store that keeps another. */
  async function verified(text: string, kept: string, of = place): Promise<number> {
    const folder = folderOfTest('verify')
    const config = join(folder, 'team.yaml')
    const objects = `objects:\n  folder: ${join(folder, 'objects')}\n`
    writeFileSync(config, `${EXAMPLE.replace(/^objects:\n(?: .*\n)*/m, '')}${objects}`)
    writeFileSync(join(folder, 'audit.jsonl'), text)
    const store = must(await openObjectFolder(join(folder, 'objects', '_audit-logs')))
    for (const { text: part, ...entries } of partsAfter(linesOf(kept), { from: 0, to: 9, bytes: 500 }))
      must(await store.put(partKey(of, entries), textBytes(part), UNTIL))
    return await cli.run('serve', '--config', config, '--verify-audit')
  }

  test('prints how many entries the store keeps as they are', async () => {
    expect(await verified(logOf('a', 'b', 'c'), logOf('a', 'b'))).toBe(EXIT.done)
    expect(cli.told).toContain('keeps the first 2 entries')
  })
  test('a chain that was written anew continues itself, and is not what the store keeps', async () => {
    expect(await verified(logOf('a', 'x', 'c'), logOf('a', 'b'))).toBe(EXIT.notVerified)
    expect(cli.told).toContain('entry 2 of the audit log is another one')
  })
  test('a log of which the store keeps nothing is not verified; the log that it keeps is named', async () => {
    expect(await verified(logOf('a'), logOf('a', 'b'), 'https_other.example.com')).toBe(EXIT.notVerified)
    expect(cli.told).toContain('https_other.example.com, with 2 entries')
  })
})
