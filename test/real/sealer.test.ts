import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chainsBelow } from '../../main/app/history/rebuild-history.ts'
import { tokenDigest } from '../../main/core/team/jobs.ts'
import { digestsIn } from '../../main/core/team/sealing-orders.ts'
import type { ExportDraft, ExportPlan } from '../../schemas/ipc-packs.ts'
import { TEAM_HEADERS } from '../../schemas/ipc-team.ts'
import { bundled } from '../support/bundled.ts'
import { newToken } from '../support/collector-kit.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { folderOfTests } from '../support/folders.ts'
import { titled } from '../support/needing.ts'
import { must } from '../support/outcomes.ts'
import { writeFleet } from '../support/sealer-kit.ts'
import { softHsm, whyNoSoftHsm } from '../support/softhsm.ts'
import { replyIn, type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'

/** How a signer holds the key: what makes the identity, and the secret that opens it. */
interface Held {
  readonly secret: string
  readonly create: readonly string[]
  readonly signer: string
  readonly env: Readonly<Record<string, string>>
  /** After its process was killed. */
  readonly repair: () => void
  readonly stop: () => void
}

const inFile = (): Held => ({
  secret: 'correct horse battery',
  create: ['create', 'chen', '--subject', 'J. Chen'],
  signer: 'J. Chen',
  env: {},
  repair: () => undefined,
  stop: () => undefined,
})

function onToken(): Held {
  const hsm = softHsm()
  hsm.plugIn()
  const asMade = `${hsm.tokens}-as-made`
  cpSync(hsm.tokens, asMade, { recursive: true })
  const certificates = [hsm.certificate('EC'), join(hsm.ca.folder, 'issuer.pem'), join(hsm.ca.folder, 'root.pem')]
  return {
    secret: hsm.pin,
    create: [
      'add-token',
      'chen',
      '--module',
      hsm.module,
      '--token',
      hsm.token,
      '--key',
      'EC',
      '--certificate',
      ...certificates,
    ],
    signer: 'Token EC',
    env: { SOFTHSM2_CONF: process.env.SOFTHSM2_CONF ?? '' },
    // Killed at some moments, SoftHSM leaves files in which it finds no token any more; a token of hardware is not affected.
    repair: () => {
      rmSync(hsm.tokens, { recursive: true })
      cpSync(asMade, hsm.tokens, { recursive: true })
    },
    stop: hsm.stop,
  }
}

const noToken = whyNoSoftHsm()
const HOLDERS: readonly (readonly [string, string | null, () => Held])[] = [
  ['a key in a file', null, inFile],
  [titled('a key on a token', noToken), noToken, onToken],
]

describe.each(HOLDERS)('a sealer with %s', (_, missing, holder) => {
  if (missing !== null) {
    test.skip('needs a token', () => undefined)
    return
  }
  const folder = folderOfTests('sealer-process')
  const token = newToken()
  let held: Held
  let made: Awaited<ReturnType<typeof bundled>>
  let kit: TeamKit
  let officer: Visitor
  let sealer: ChildProcess
  let said = ''
  let perExport = 0

  const identity = ['--identity-folder', join(folder, 'identities'), '--passphrase-file', join(folder, 'passphrase')]

  beforeAll(async () => {
    held = holder()
    made = await bundled('team-cli.ts')
    writeFileSync(join(folder, 'passphrase'), `${held.secret}\n`, { mode: 0o600 })
    writeFileSync(join(folder, 'token'), `${token}\n`, { mode: 0o600 })
    const env = { ...process.env, ...held.env }
    const created = spawnSync(process.execPath, [made.program, 'identity', ...held.create, ...identity], {
      encoding: 'utf8',
      env,
    })
    const [certificate = ''] = /\b[0-9a-f]{64}\b/.exec(created.stderr) ?? []
    expect(certificate, created.stderr).not.toBe('')
    kit = await teamKit({
      config: (config) => {
        const [alpha, ...others] = config.engagements
        writeFleet(alpha.folder)
        return {
          ...config,
          engagements: [{ ...alpha, demo: false }, ...others],
          sealers: [{ name: 'chen', engagement: 'alpha', tokenDigest: tokenDigest(token), certificate }],
        }
      },
    })
    officer = await kit.as('officer')
    await officer.call('alpha', 'run.start', { nodes: [], only: 'all' })
    writeFileSync(
      join(folder, 'sealer.json'),
      JSON.stringify({
        schema: 'barewitness.sealer/1',
        server: kit.server.origin,
        tokenFile: 'token',
        record: 'signed.jsonl',
      }),
    )
    startSealer()
    while (replyIn<ExportPlan>(await officer.call('alpha', 'export.plan', null)).ok === false) await sleep(50)
  })
  /** Starts the sealer, whose words are kept from here on. */
  function startSealer(): void {
    said = ''
    const argv = [made.program, 'sealer', '--config', join(folder, 'sealer.json'), ...identity]
    sealer = spawn(process.execPath, argv, { env: { ...process.env, ...held.env } })
    sealer.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString()
    })
  }
  async function sealsInChain(): Promise<readonly string[]> {
    const chains = must(await chainsBelow(createFakePorts(), join(kit.folder, 'alpha')))
    return chains.flatMap(({ chain }) =>
      chain.entries.flatMap(({ entry }) => (entry.kind === 'run' ? [entry.tagManifest] : [])),
    )
  }
  async function killed(): Promise<void> {
    const ended = new Promise((resolve) => sealer.once('exit', resolve))
    sealer.kill('SIGKILL')
    await ended
    held.repair()
  }
  afterAll(async () => {
    sealer?.kill('SIGKILL')
    await kit?.close()
    held?.stop()
    if (made !== undefined) rmSync(made.folder, { recursive: true, force: true })
  })

  /** Requests an export and answers the question of the sealer. */
  async function exported(answer: string) {
    while (said === '' || !said.includes('Waiting for exports')) await sleep(20)
    const from = said.length
    const going = officer.call('alpha', 'export.build', {
      ...{ frameworks: ['hipaa'], identity: 'chen', timestamp: false, also: [], redact: null },
    })
    while (!said.slice(from).includes('Type yes to confirm')) await sleep(20)
    expect(said.slice(from)).toContain('Requested by: officer (officer), as the server states')
    sealer.stdin?.write(`${answer}\n`)
    return replyIn<ExportDraft>(await going)
  }

  test('the signer confirms an export on the terminal, or does not', async () => {
    for (;;) {
      const plan = replyIn<ExportPlan>(await officer.call('alpha', 'export.plan', null))
      if (plan.ok && plan.value.identities.length === 1) break
      await sleep(50)
    }
    expect(await exported('no')).toMatchObject({ ok: false, error: { code: 'sealing.refused' } })
    const sealed = await exported('yes')
    expect(sealed.ok && sealed.value.signer).toContain(held.signer)
    const record = readFileSync(join(folder, 'signed.jsonl'), 'utf8').trim().split('\n')
    const digests = record.filter((line) => !line.includes('auditHead'))
    expect(record.length).toBeGreaterThan(digests.length)
    expect(said).toContain('Audit log signed')
    expect(digests).toHaveLength(said.match(/Signed: SHA-256 [0-9a-f]{64}/g)?.length ?? -1)
    expect(said).not.toContain(held.secret)
    perExport = digests.length
  })

  test('a question that the server no longer waits for is withdrawn, and its answer confirms no other one', async () => {
    const from = said.length
    const other = await kit.as('officer', 'second')
    const wanted = { frameworks: ['hipaa'], identity: 'chen', timestamp: false, also: [], redact: null }
    const withdrawn = other.call('alpha', 'export.build', wanted)
    while (!said.slice(from).includes('Type yes to confirm')) await sleep(20)
    sealer.stdin?.write('ye')
    const { csrf } = await other.session('alpha')
    await other.send('POST', '/auth/sign-out', { [TEAM_HEADERS.csrf]: csrf })
    expect(replyIn(await withdrawn)).toMatchObject({ ok: false, error: { code: 'access.ended' } })
    const next = officer.call('alpha', 'export.build', wanted)
    while (!/Type yes [0-9a-f]{4} to confirm/.test(said.slice(from))) await sleep(20)
    expect(said.slice(from)).toContain('Withdrawn: the server no longer waits for this.')
    sealer.stdin?.write('s\n')
    expect(replyIn(await next)).toMatchObject({ ok: false, error: { code: 'sealing.refused' } })
    expect(await exported('yes')).toMatchObject({ ok: true })
    perExport = digestsIn(readFileSync(join(folder, 'signed.jsonl'), 'utf8')).length - perExport
    said = ''
  })

  test('a sealer that is killed while it decides leaves the export open, which is sealed once', async () => {
    const record = join(folder, 'signed.jsonl')
    const before = readFileSync(record, 'utf8')
    const sealsBefore = (await sealsInChain()).length
    let isAnswered = false
    const going = officer
      .call('alpha', 'export.build', {
        ...{ frameworks: ['hipaa'], identity: 'chen', timestamp: false, also: [], redact: null },
      })
      .finally(() => {
        isAnswered = true
      })
    // While the question is open, then so many milliseconds after its answer, and at last not at all.
    for (const afterAnswer of [null, 0, 1, 2, 4, 8, 16, 32, 64, Number.POSITIVE_INFINITY]) {
      while (!isAnswered && !said.includes('Type yes to confirm')) await sleep(5)
      if (isAnswered) break
      if (afterAnswer !== null) sealer.stdin?.write('yes\n')
      if (afterAnswer === Number.POSITIVE_INFINITY) break
      await sleep(afterAnswer ?? 0)
      await killed()
      startSealer()
    }
    expect(replyIn<ExportDraft>(await going)).toMatchObject({ ok: true })
    expect((await sealsInChain()).length).toBe(sealsBefore + 1)
    const added = readFileSync(record, 'utf8').slice(before.length)
    const signed = digestsIn(added)
    // Each started sealer signs the head of the audit log as well. No line is cut.
    const heads = added
      .trimEnd()
      .split('\n')
      .filter((line) => 'auditHead' in JSON.parse(line))
    expect(added.trimEnd().split('\n')).toHaveLength(signed.length + heads.length)
    // A request that was recorded and not answered is recorded again, with the same digest.
    expect(new Set(signed.map(String)).size).toBe(new Set(signed.map(([id]) => id)).size)
    expect(new Set(signed.map(([id]) => id)).size).toBe(perExport)
  })

  test('it ends when it is asked to', async () => {
    while (!said.includes('Waiting for exports')) await sleep(5)
    const ended = new Promise((resolve) => sealer.once('exit', resolve))
    sealer.kill('SIGTERM')
    expect(await ended).toBe(0)
  })
})
