import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { remoteSigning } from '../../main/adapters/seal/remote-signing.ts'
import { runSealer, type SealerEvent } from '../../main/app/export/sealer.ts'
import { serveCommand } from '../../main/cli/commands/serve.ts'
import { EXIT } from '../../main/cli/parts/exit-codes.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { ok } from '../../main/core/base/failure.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import { type AuditHead, headStatement, headsIn, readHeadStatement } from '../../main/core/team/audit-head.ts'
import { type AuditEvent, checkAudit, EMPTY_LOG } from '../../main/server/audit.ts'
import { logHeads, recordedHeads } from '../../main/server/audit-heads.ts'
import { chainedLine, logLines } from '../../main/server/chained-log.ts'
import { openAuditLog } from '../../main/server/edge/services/audit-file.ts'
import { auditEvent } from '../../main/server/edge/services/parts.ts'
import { closedAfterEach } from '../support/closing.ts'
import { commandLine } from '../support/command-line.ts'
import { fakeCatalog } from '../support/fake-catalog.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { must } from '../support/outcomes.ts'
import { CHEN, newSigner, startSealer, withSealers } from '../support/sealer-kit.ts'
import { replyIn, type TeamKit, teamKit } from '../support/team-kit.ts'

const signer = newSigner('J. Chen')
const signedHeads = (text: string) => logHeads(logLines(text)).signed()
const AT = '2026-11-28T10:00:00.000Z'
const open = closedAfterEach()
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-heads-'))
  open.push(async () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

describe('a statement about a head', () => {
  const text = headStatement('https://audit.example.com', { size: 7, digest: sha256('x') }, AT)
  test('is read as it was written', () => {
    expect(readHeadStatement(text)).toEqual({
      ...{
        schema: 'barewitness.audit-head/1',
        server: 'https://audit.example.com',
        size: 7,
        digest: sha256('x'),
        at: AT,
      },
    })
  })
  test.each([
    ['spaces', text.replaceAll(':', ': ')],
    ['another schema', text.replace('audit-head/1', 'audit-head/2')],
    ['a member too many', text.replace('{', '{"a":1,')],
    ['no entry', text.replace('"size":7', '"size":0')],
    ['another time', text.replace('Z"', '+02:00"')],
    ['no object', 'null'],
  ])('with %s is none', (_, changed) => expect(readHeadStatement(changed)).toBeNull())
  test('any text is read or refused, also as a line of a record', () => {
    fc.assert(
      fc.property(fc.string(), (any) => {
        readHeadStatement(any)
        expect(headsIn(any)).toEqual([])
      }),
    )
  })
})

test.each([[undefined], [null], [5], [{}], [{ statement: 5, cms: null }], [{ statement: {}, cms: ['AAAA'] }]])(
  'a log that was continued with a signed head of %j has a head that is not in it',
  (of) => {
    const { line } = chainedLine(EMPTY_LOG, { kind: 'head-signed', ...(of === undefined ? {} : { of }) })
    expect(checkAudit(line).intact).toBe(true)
    const [head] = signedHeads(line)
    expect(head).toMatchObject({ line: 1, statement: null, text: '', cms: '', isInLog: false })
    expect(remoteSigning.textSigner(head?.text ?? '', Buffer.from(head?.cms ?? '', 'base64'))).toBeNull()
  },
)

async function kitWithSealers(): Promise<TeamKit> {
  const kit = await teamKit({ config: (config) => withSealers(config, signer) })
  open.push(() => kit.close())
  return kit
}

/** The log once a sealer entered so many heads. */
async function logWith(kit: TeamKit, heads: number): Promise<string> {
  for (;;) {
    const text = kit.auditText()
    if (signedHeads(text).length >= heads) return text
    await sleep(20)
  }
}

describe('the audit log of a server with a sealer', () => {
  test('has its head signed, by the certificate of the sealer, and in the record before', async () => {
    const kit = await kitWithSealers()
    const sealer = startSealer(kit.server.origin, signer)
    open.push(() => sealer.stop())
    const text = await logWith(kit, 1)
    expect(checkAudit(text).intact).toBe(true)
    const [head] = signedHeads(text)
    expect(head?.isInLog).toBe(true)
    expect(head?.statement?.server).toBe(kit.server.origin)
    expect(remoteSigning.textSigner(head?.text ?? '', Buffer.from(head?.cms ?? '', 'base64'))).toBe(signer.fingerprint)
    expect(
      recordedHeads(readFileSync(sealer.record, 'utf8'), logHeads(logLines(text))).map(({ isInLog }) => isInLog),
    ).toEqual([true])
  })

  const send = (kit: TeamKit, target: string, body: unknown, token = CHEN) =>
    kit
      .visitor()
      .send(
        'POST',
        target,
        { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        JSON.stringify(body),
      )
  const headOf = async (kit: TeamKit): Promise<AuditHead | null> => {
    const reply = replyIn<AuditHead | null>(await send(kit, '/sealer/head', {}))
    return reply.ok ? reply.value : null
  }
  const signed = async (by: Signer, statement: string) => ({
    statement,
    cms: Buffer.from(await remoteSigning.signText(by, statement)).toString('base64'),
  })

  test('is not signed again for the entry of a signature alone', async () => {
    const kit = await kitWithSealers()
    const head = (await headOf(kit)) as AuditHead
    const answer = await signed(signer, headStatement(kit.server.origin, head, AT))
    expect((await send(kit, '/sealer/head/answer', answer)).status).toBe(200)
    expect(await headOf(kit)).toBeNull()
    await kit.as('officer')
    expect((await headOf(kit))?.size).toBeGreaterThan(head.size + 1)
    expect(signedHeads(kit.auditText())).toHaveLength(1)
  })

  test('takes no other statement and no other signature', async () => {
    const kit = await kitWithSealers()
    const head = (await headOf(kit)) as AuditHead
    const { origin } = kit.server
    const own = await signed(signer, headStatement(origin, head, AT))
    const forged = [
      await signed(signer, headStatement('https://other.example.com', head, AT)),
      await signed(signer, headStatement(origin, { ...head, size: head.size + 1 }, AT)),
      await signed(signer, headStatement(origin, { ...head, digest: sha256('other') }, AT)),
      await signed(signer, 'not a statement'),
      await signed(newSigner('J. Chen'), headStatement(origin, head, AT)),
      { ...own, statement: headStatement(origin, head, '2026-11-28T11:00:00.000Z') },
      { ...own, cms: Buffer.from('no signature').toString('base64') },
    ]
    for (const one of forged) expect((await send(kit, '/sealer/head/answer', one)).status).toBe(400)
    expect((await send(kit, '/sealer/head/answer', own, 'x'.repeat(43))).status).toBe(401)
    expect(signedHeads(kit.auditText())).toEqual([])
    expect((await send(kit, '/sealer/head/answer', own)).status).toBe(200)
    // The same once more.
    expect((await send(kit, '/sealer/head/answer', own)).status).toBe(400)
  })
})

test('a sealer does not sign a log that was shortened since, also after it was started again', async () => {
  const record = join(newFolder(), 'signed.jsonl')
  const answers: string[] = []
  const run = async (heads: readonly AuditHead[]): Promise<readonly SealerEvent[]> => {
    const [stop, events, left] = [new AbortController(), [] as SealerEvent[], [...heads]]
    const ports = createFakePorts()
    let minutes = 0n
    await runSealer(
      {
        ports: { ...ports, clock: { ...ports.clock, ticks: () => minutes * 60_000_000_000n } },
        ...{
          signer,
          signing: remoteSigning,
          catalog: fakeCatalog,
          confirm: async () => false,
          wait: async () => undefined,
        },
        server: {
          ask: async () => {
            minutes += 10n
            if (left.length === 0) stop.abort()
            return ok(null)
          },
          head: async () => ok(left.shift() ?? null),
          signHead: async ({ statement }) => {
            answers.push(statement)
            return ok(null)
          },
          answer: async () => ok(null),
          refuse: async () => ok(null),
        },
      },
      { record, auditLogOf: 'https://a.example', signal: stop.signal, onEvent: (event) => events.push(event) },
    )
    return events
  }
  const head = (size: number): AuditHead => ({ size, digest: sha256(String(size)) })
  expect((await run([head(5), head(9), head(7)])).map(({ kind }) => kind)).toEqual([
    'head-signed',
    'head-signed',
    'log-shortened',
  ])
  expect((await run([head(8), head(9), head(10)])).map(({ kind }) => kind)).toEqual([
    'log-shortened',
    // Its answer may not have arrived.
    'head-signed',
    'head-signed',
  ])
  expect((await run([{ size: 10, digest: sha256('rewritten') }])).map(({ kind }) => kind)).toEqual(['log-shortened'])
  expect(answers.map((text) => readHeadStatement(text)?.size)).toEqual([5, 9, 9, 10])
  expect(headsIn(readFileSync(record, 'utf8')).map(({ statement }) => statement.size)).toEqual([5, 9, 9, 10])
})

describe('barewitness serve --verify-audit', () => {
  const ORIGIN = 'https://audit.example.com'
  const EXAMPLE = /```yaml\n([\s\S]*?)```/.exec(readFileSync('docs/team-server.md', 'utf8'))?.[1] ?? ''
  const cli = commandLine(createFakePorts, serveCommand)
  const event = (part: Partial<AuditEvent> & Pick<AuditEvent, 'kind'>): AuditEvent =>
    auditEvent({ now: () => 0 }, null, part)
  const lines = (events: readonly AuditEvent[]): readonly string[] => {
    let head: AuditHead = EMPTY_LOG
    return events.map((one) => {
      const made = chainedLine(head, one)
      head = made.head
      return made.line
    })
  }
  const CALLS = Array.from({ length: 4 }, (_, at) => event({ kind: 'call', of: { node: `n-${at}` } }))
  const digestAt = (text: readonly string[], size: number): string => sha256((text[size - 1] ?? '').trimEnd())

  /** Four calls, their head signed, one more call; and the record of the sealer. */
  async function written(by: Signer = signer) {
    const folder = newFolder()
    const statement = headStatement(ORIGIN, { size: 4, digest: digestAt(lines(CALLS), 4) }, AT)
    const cms = Buffer.from(await remoteSigning.signText(by, statement)).toString('base64')
    const signedHead = event({ kind: 'head-signed', of: { statement, cms } })
    const log = lines([...CALLS, signedHead, event({ kind: 'stop' })])
    const [config, audit, record] = ['team.yaml', 'audit.jsonl', 'record.jsonl'].map((name) => join(folder, name))
    writeFileSync(config ?? '', EXAMPLE.replace(/certificate: "[0-9a-f]{64}"/, `certificate: "${signer.fingerprint}"`))
    writeFileSync(record ?? '', `${JSON.stringify({ auditHead: statement })}\n{"digest":"an export"}\n{"torn`)
    const verified = (text: string): Promise<number> => {
      writeFileSync(audit ?? '', text)
      return cli.run('serve', '--config', config ?? '', '--verify-audit', '--record', record ?? '')
    }
    return { log, signedHead, verified, audit: audit ?? '' }
  }

  test('prints up to where the log is signed, and that the record agrees', async () => {
    const { log, verified } = await written()
    expect(await verified(log.join(''))).toBe(EXIT.done)
    expect(cli.told).toContain('The first 4 entries were signed')
    expect(cli.told).toContain('1 of 1 recorded heads are in the log')
  })
  test('a log that was written anew, with the old signature in it', async () => {
    const { signedHead, verified } = await written()
    const other = CALLS.map((one) => ({ ...one, of: { node: 'other' } }))
    expect(await verified(lines([...other, signedHead]).join(''))).toBe(EXIT.notVerified)
    expect(cli.told).toContain('No entry is covered')
  })
  test('a log whose signed end was cut off is noticed with the record', async () => {
    const { log, verified } = await written()
    expect(await verified(log.slice(0, 3).join(''))).toBe(EXIT.notVerified)
    expect(cli.told).toContain('0 of 1 recorded heads')
  })
  test('a signature by another key', async () => {
    const { log, verified } = await written(newSigner('J. Chen'))
    expect(await verified(log.join(''))).toBe(EXIT.notVerified)
  })
  test('a log that is continued after a start knows what was signed', async () => {
    const { log, audit, verified } = await written()
    await verified(log.slice(0, 5).join(''))
    const opened = must(await openAuditLog(audit))
    expect(opened.unsignedHead()).toBeNull()
    await opened.append(event({ kind: 'start' }))
    expect(opened.unsignedHead()?.size).toBe(6)
    await opened.close()
  })
})
