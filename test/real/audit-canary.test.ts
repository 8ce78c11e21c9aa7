import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTransport } from '../../main/adapters/ssh/transport.ts'
import { openEvidenceStore } from '../../main/adapters/store/evidence-store.ts'
import { collectNode } from '../../main/app/collect/collect-node.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import type { LoadedRecording } from '../../main/core/recording/recording.ts'
import { realClock, realEntropy, realPause, targetOf, validator } from '../support/deps.ts'
import { folderOfTests } from '../support/folders.ts'
import { loadedOf } from '../support/loaded.ts'
import { describeUnless } from '../support/needing.ts'
import { must } from '../support/outcomes.ts'
import { isRoot, type Sshd, startSshd, whyNoSshd } from '../support/sshd.ts'

/** A rule of this machine’s kernel: a host in a process namespace of its own is given no control over audit, so test/hosts has files only. */
const folder = folderOfTests('audit-canary')
const SECRET = `Cnry${createHash('sha256').update('live audit rule').digest('hex').slice(0, 28)}`
const RULE = [join(folder, 'watched'), '-p', 'wa', '-k', `token=${SECRET}`]
const auditctl = (...argv: readonly string[]) => spawnSync('auditctl', argv, { encoding: 'utf8' })

/** Why no rule can be loaded here; null where one can. */
function whyNoRules(): string | null {
  if (whyNoSshd !== null) return whyNoSshd
  if (!isRoot) return 'not running as root'
  const status = auditctl('-s')
  if (status.error !== undefined) return 'auditctl is not installed'
  if (status.status !== 0) return 'the kernel gives no control over audit'
  const loaded = auditctl('-w', ...RULE).status === 0
  auditctl('-W', ...RULE)
  return loaded ? null : 'the kernel loads no audit rule'
}
const why = whyNoRules()

describeUnless(why, 'a secret in a loaded audit rule', () => {
  let sshd: Sshd
  let loaded: LoadedRecording
  let listed = ''
  beforeAll(async () => {
    execFileSync('auditctl', ['-w', ...RULE])
    listed = auditctl('-l').stdout
    sshd = await startSshd()
    const store = must(await openEvidenceStore(join(folder, 'evidence'), validator))
    const asked = { ...catalog, probes: catalog.probes.filter(({ id }) => id.startsWith('auditd.')) }
    const collected = await collectNode(
      { transport: createTransport(), store, clock: realClock, entropy: realEntropy, pause: realPause, catalog: asked },
      {
        ...targetOf('host', { port: sshd.port, user: 'root' }),
        trust: { fingerprint: sshd.hostKey.fingerprint, knownHostsFiles: [] },
        credentials: { identityFile: sshd.clientKey, agent: false },
        transport: 'ssh2',
      },
      {
        run: 'audit-canary',
        signal: new AbortController().signal,
        deadlineSeconds: 60,
        onEvent: () => undefined,
        marks: { demo: false, synthetic: null },
        skip: new Set(),
        spreadSeconds: 0,
      },
    )
    loaded = await loadedOf(collected)
  })
  afterAll(async () => {
    auditctl('-W', ...RULE)
    await sshd?.stop()
  })
  const rules = () => loaded.captures.find(({ meta }) => meta.probe === 'auditd.rules')

  test('is printed by the node', () => {
    expect(listed).toContain(SECRET)
  })
  test('is masked in the answer, which still states the rule and what was masked', () => {
    const text = Buffer.from(rules()?.stdout ?? []).toString()
    expect(text).toContain(join(folder, 'watched'))
    expect(text).not.toContain(SECRET)
    expect(rules()?.meta.masked).toMatchObject({ password: 1 })
  })
  test('is in no file that was stored', () => {
    const stored = readdirSync(join(folder, 'evidence'), { recursive: true, withFileTypes: true }).filter((one) =>
      one.isFile(),
    )
    expect(stored.length).toBeGreaterThan(2)
    const forms = [SECRET, Buffer.from(SECRET).toString('hex'), Buffer.from(SECRET).toString('base64').slice(0, -4)]
    for (const { parentPath, name } of stored) {
      const bytes = readFileSync(join(parentPath, name))
      expect(forms.filter((form) => bytes.includes(form))).toEqual([])
    }
  })
})
