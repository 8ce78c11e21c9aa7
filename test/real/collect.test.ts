import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTransport } from '../../main/adapters/ssh/transport.ts'
import { openEvidenceStore } from '../../main/adapters/store/evidence-store.ts'
import { collectNode } from '../../main/app/collect/collect-node.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import { rootCommands, sudoersFor } from '../../main/core/collector/sudoers.ts'
import { assess } from '../../main/core/conclusion/assess.ts'
import type { ConnectTarget, EvidenceStore } from '../../main/core/ports/ports.ts'
import type { Catalog } from '../../main/core/rules/catalog.ts'
import type { Capture, EchoTiming } from '../../schemas/types.ts'
import { realClock, realEntropy, realPause, targetOf, validator } from '../support/deps.ts'
import { folderOfTest } from '../support/folders.ts'
import { loadedOf } from '../support/loaded.ts'
import { describeUnless, testUnless } from '../support/needing.ts'
import { must } from '../support/outcomes.ts'
import { isRoot, type Sshd, startSshd, whyNoSshd, whyNoUsers } from '../support/sshd.ts'

// The whole collector through Debian's own OpenSSH server, in the situations that break naive collectors.
const noRoot = whyNoSshd ?? (isRoot ? null : 'not running as root')

let folder = ''
let store: EvidenceStore
beforeEach(async () => {
  folder = folderOfTest('real')
  store = must(await openEvidenceStore(folder, validator))
})

const targetAt = (sshd: Sshd, changes: Partial<ConnectTarget['node']> = {}): ConnectTarget => ({
  ...targetOf('host', { port: sshd.port, user: 'root', ...changes }),
  trust: { fingerprint: sshd.hostKey.fingerprint, knownHostsFiles: [] },
  credentials: { identityFile: sshd.clientKey, agent: false },
  transport: 'ssh2',
})

async function collect(target: ConnectTarget, asked: Catalog = catalog, deadlineSeconds = 60) {
  const collected = await collectNode(
    { transport: createTransport(), store, clock: realClock, entropy: realEntropy, pause: realPause, catalog: asked },
    target,
    {
      run: 'real',
      signal: new AbortController().signal,
      deadlineSeconds,
      onEvent: () => undefined,
      marks: { demo: false, synthetic: null },
      skip: new Set(),
      spreadSeconds: 0,
    },
  )
  return await loadedOf(collected)
}

const few: Catalog = { ...catalog, probes: catalog.probes.slice(0, 3) }
const place = { name: 'here', latitude: 40, longitude: -75, radiusKm: 500, declaredBy: 'test' }

describeUnless(noRoot, 'this host, as root, through its own sshd', () => {
  let sshd: Sshd
  beforeAll(async () => {
    sshd = await startSshd()
  })
  afterAll(async () => await sshd.stop())

  test('every command is answered, in one connection and one login', async () => {
    const { recording, captures } = await collect(targetAt(sshd))
    expect(recording.outcome).toEqual({ status: 'complete', failure: null })
    expect(captures.filter(({ meta }) => meta.status === 'lost')).toEqual([])
    expect(sshd.log().match(/Accepted publickey/g)).toHaveLength(1)
  })

  test('it leaves no file behind outside the login records', async () => {
    const stamp = join(folder, 'stamp')
    writeFileSync(stamp, '')
    await realPause(1100)
    await collect(targetAt(sshd))
    const places = '/usr /boot /opt /srv /var/lib /var/cache /var/log /etc/apt /etc/ssh /etc/ld.so.cache'
    const login = "! -name lastlog ! -name wtmp ! -name btmp ! -name faillog ! -name 'auth.log*' ! -name 'sudo-*'"
    const found = execFileSync(
      'sh',
      ['-c', `find ${places} -xdev -newer ${stamp} -type f ${login} 2>/dev/null || true`],
      { encoding: 'utf8' },
    )
    expect(found).toBe('')
  })

  test('nonces are echoed in the same channel, within what loopback allows', async () => {
    const { captures } = await collect(targetAt(sshd, { location: place, vantage: place }), {
      ...catalog,
      probes: catalog.probes.filter(({ id }) => id === 'location.nonce-echo' || id === 'steal'),
    })
    const echo = captures.find(({ meta }) => meta.probe === 'location.nonce-echo')
    const { bursts, mismatches } = JSON.parse(Buffer.from(echo?.stdout ?? []).toString()) as EchoTiming
    expect(mismatches).toBe(0)
    expect(Math.min(...bursts.flatMap(({ samples }) => samples))).toBeLessThan(20)
  })

  test('a virtual machine is named as one, with its reasons', async () => {
    const kind = execFileSync('sh', ['-c', 'grep -c hypervisor /proc/cpuinfo || true'], { encoding: 'utf8' }).trim()
    const loaded = await collect(targetAt(sshd))
    const { nodes } = assess({
      catalog,
      scope: { fleet: 'f', population: ['host'], frameworks: [] },
      recordings: [loaded],
      asOf: realClock.now(),
    })
    const isolation = nodes[0]?.isolation
    if (kind === '0') return expect(isolation?.environment).toBeDefined()
    expect(isolation?.environment).toBe('virtual-machine')
    expect(isolation?.platform).not.toBeNull()
    expect(
      isolation?.observations.filter(({ direction }) => direction === 'contradicts').length,
    ).toBeGreaterThanOrEqual(3)
  })
})

const situation = (
  name: string,
  options: Parameters<typeof startSshd>[0],
  check: (sshd: Sshd) => Promise<void>,
  reason: string | null = noRoot,
): void => {
  testUnless(reason, `${name}`, async () => {
    const sshd = await startSshd(options)
    try {
      await check(sshd)
    } finally {
      await sshd.stop()
    }
  })
}

describe('servers that are not plain', () => {
  situation('MaxSessions 1', { config: ['MaxSessions 1'] }, async (sshd) => {
    const { recording } = await collect(targetAt(sshd, { location: place, vantage: place }), few)
    expect(recording.outcome.status).toBe('complete')
  })

  situation(
    'a forced command answers something else',
    { config: ['ForceCommand echo only backups here'] },
    async (sshd) => {
      const { recording, captures } = await collect(targetAt(sshd), few)
      expect(recording.outcome.failure?.code).toBe('collector.no-answer')
      expect(captures.filter(({ meta }) => meta.status === 'done' && meta.source === 'node')).toEqual([])
    },
  )

  situation('a server that never ends its output', { config: ['ForceCommand yes'] }, async (sshd) => {
    const { recording } = await collect(targetAt(sshd), few)
    expect(recording.outcome.failure?.code).toBe('collector.no-answer')
  })

  situation('a login banner', { config: ['Banner /etc/os-release'] }, async (sshd) => {
    expect((await collect(targetAt(sshd), few)).recording.outcome.status).toBe('complete')
  })

  situation(
    'a shell that prints when it starts',
    { users: [{ name: 'bwtalk', shell: '/tmp/bw-talking-shell' }], files: {} },
    async (sshd) => {
      execFileSync('sh', [
        '-c',
        'printf \'#!/bin/sh\\necho Welcome to this server!\\necho And mind the step. >&2\\nexec /bin/sh "$@"\\n\' > /tmp/bw-talking-shell; chmod 755 /tmp/bw-talking-shell',
      ])
      try {
        const { recording } = await collect(targetAt(sshd, { user: 'bwtalk' }), few)
        expect(recording.outcome.status).toBe('complete')
      } finally {
        rmSync('/tmp/bw-talking-shell', { force: true })
      }
    },
    whyNoUsers,
  )

  situation('a wrong host key: nothing is authenticated', {}, async (sshd) => {
    const target = { ...targetAt(sshd), trust: { fingerprint: `SHA256:${'A'.repeat(43)}`, knownHostsFiles: [] } }
    const { recording, captures } = await collect(target, few)
    expect(recording.outcome.failure?.code).toBe('ssh.host-key-changed')
    expect(captures).toEqual([])
    expect(sshd.log()).not.toMatch(/Accepted|Failed|Postponed|userauth/i)
  })
})

describe('an ordinary user', () => {
  const users = [{ name: 'bwaudit' }]
  situation(
    'without sudo: root-only questions are recorded as not run, but for what plainly is not there',
    { users },
    async (sshd) => {
      const { recording, captures } = await collect(targetAt(sshd, { user: 'bwaudit' }))
      expect(recording.outcome.status).toBe('complete')
      expect(recording.session?.privilege).toBe('none')
      const commands = new Map(
        catalog.probes.flatMap(({ id, commands }) =>
          Object.entries(commands).map(([name, command]) => [`${id}/${name}`, command] as const),
        ),
      )
      const root = captures.filter(({ meta }) => {
        const command = commands.get(`${meta.probe}/${meta.command}`)
        return command?.kind === 'run' && command.as === 'root'
      })
      expect(root.length).toBe(rootCommands(catalog.probes).length)
      // A file system shows to anyone that a program or a device is absent.
      const isUnasked = ({ status, exitCode }: Capture): boolean =>
        status === 'not-run' || status === 'no-path' || (status === 'done' && exitCode === 127)
      expect(root.filter(({ meta, stdout }) => !isUnasked(meta) || stdout.length > 0)).toEqual([])
      expect(root.filter(({ meta }) => meta.status === 'not-run').length).toBeGreaterThan(0)
    },
    whyNoUsers,
  )

  situation(
    'with the generated sudoers drop-in: the same questions are answered',
    { users, files: { '/etc/sudoers.d/barewitness': sudoersFor(rootCommands(catalog.probes), { user: 'bwaudit' }) } },
    async (sshd) => {
      const { recording, captures } = await collect(targetAt(sshd, { user: 'bwaudit', sudo: true }))
      expect(recording.session?.privilege).toBe('sudo')
      const root = captures.filter(({ meta }) => meta.privilege === 'sudo')
      expect(root.length).toBe(rootCommands(catalog.probes).length)
      const refused = root.filter(({ stderr }) =>
        /password is required|not allowed/.test(Buffer.from(stderr).toString()),
      )
      expect(refused.map(({ meta }) => meta.argv.join(' '))).toEqual([])
      const crypttab = root.find(({ meta }) => meta.argv.includes('/etc/sudoers'))
      expect(crypttab?.meta.exitCode).toBe(0)
    },
    whyNoUsers,
  )
})
