import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { farthestKm, settledTime } from '../../main/catalog/location/peers.ts'
import { frontEnd } from '../../main/catalog/location/registry.ts'
import type { NonceEcho } from '../../main/catalog/operations/evidence/probes.ts'
import type { Borders, Disc, Relation } from '../../main/core/geo/geodesy.ts'
import { geodesicKm, type Point } from '../../main/core/geo/geodesy.ts'
import { relate } from '../../main/core/geo/relation.ts'
import { type Link, openLink, SERVER_ADDRESS, whyNoLink } from '../bench/net/link.ts'
import { bundled } from '../support/bundled.ts'
import { describeUnless, titled } from '../support/needing.ts'
import { type RelaySettings, startRelay } from '../support/relay.ts'
import { isRoot, type Sshd, startSshd, whyNoSshd } from '../support/sshd.ts'
import { type Reach, timeNode } from '../support/timed-node.ts'

// Networks whose truth is known: a real SSH server, timed by the real collection, judged by the real rules. Two busy processors only
// lengthen what is measured, so that bounds from above are wide, and bounds from below hold whatever happens.
const noRoot = whyNoSshd ?? (isRoot ? null : 'not running as root')
const noLink = noRoot ?? whyNoLink()

const ASHBURN: Point = { latitude: 39.0438, longitude: -77.4874 }
/** Some 2,000 km to the west. */
const KANSAS: Point = { latitude: 39.0438, longitude: -100.7 }
const FRANKFURT: Point = { latitude: 50.1109, longitude: 8.6821 }
const OWN_ERROR_KM = 2
const CITY_KM = 60
/** The fastest a fibre lets anything go there and back. */
const fibreMs = (km: number): number => (2 * km) / 199.862
const NO_BORDERS: Borders = { landIn: () => new Set(), toleranceKm: 5, codes: new Set() }

const settled = (echo: NonceEcho) => {
  const timing = settledTime(echo)
  if (!timing.ok) throw new Error(timing.reason)
  return timing
}

/**
 * Something else may keep the processors busy: times that do not agree are taken again, and so is a connection that waited as long as the
 * echo. A relay that never opens at once fails all the same.
 */
async function settling(time: () => Promise<NonceEcho>, turns = 3, relayed = false): Promise<NonceEcho> {
  const echo = await time()
  const timing = settledTime(echo)
  const tells = timing.ok && (!relayed || frontEnd(timing, echo.path)?.exceeds === true)
  return tells || turns <= 1 ? echo : await settling(time, turns - 1, relayed)
}

const discOf = (vantage: Point, echo: NonceEcho): Disc => ({
  center: vantage,
  radiusKm: farthestKm(settled(echo).milliseconds, OWN_ERROR_KM),
})
const isIn = (discs: readonly Disc[], center: Point): Relation =>
  relate(discs, { kind: 'disc', disc: { center, radiusKm: CITY_KM } }, NO_BORDERS)
const reachOf = (sshd: Sshd, address = '127.0.0.1'): Reach => ({
  address,
  port: sshd.port,
  fingerprint: sshd.hostKey.fingerprint,
  identityFile: sshd.clientKey,
})

// Most of each is waiting, so they wait side by side.
describe.skipIf(noRoot !== null)(titled('on loopback', noRoot), { concurrent: true }, () => {
  let sshd: Sshd
  let near: NonceEcho
  beforeAll(async () => {
    sshd = await startSshd({ config: ['MaxStartups 100'] })
    // Something else may keep the processors busy at the moment.
    for (let turn = 0; turn < 4 && (turn === 0 || !settledTime(near).ok); turn += 1)
      near = await timeNode(reachOf(sshd))
  })
  afterAll(async () => await sshd?.stop())

  /** As timed through a machine in between. */
  const through = async (relay: Omit<RelaySettings, 'to'>, turns = 5, relayed = false): Promise<NonceEcho> => {
    const started = await startRelay({ ...relay, to: { host: '127.0.0.1', port: sshd.port } })
    try {
      return await settling(() => timeNode({ ...reachOf(sshd), port: started.port }), turns, relayed)
    } finally {
      await started.close()
    }
  }

  test('a node next door: thirty round trips under 5 ms, and the times recorded with them agree', async () => {
    expect(near.bursts.flatMap(({ samples }) => samples)).toHaveLength(30)
    // With Nagle's algorithm and delayed acknowledgements each would take 41 to 44 ms.
    expect(settled(near).milliseconds).toBeLessThan(40)
    expect(near.path).toMatchObject({ jumps: 0, remoteAddress: '127.0.0.1' })
    expect(near.path?.keepaliveMs).toHaveLength(10)
    expect(Math.min(...(near.path?.keepaliveMs ?? []))).toBeLessThan(40)
    expect(near.path?.tcpMs).toBeGreaterThan(0)
    expect(frontEnd(settled(near), near.path)?.exceeds).toBe(false)
  })

  test('a claim 2,000 km off is contradicted from a vantage beside the node; the true one is not', async () => {
    expect(geodesicKm(ASHBURN, KANSAS)).toBeGreaterThan(1990)
    expect(isIn([discOf(ASHBURN, near)], KANSAS)).toBe('outside')
    expect(isIn([discOf(ASHBURN, near)], ASHBURN)).not.toBe('outside')
  })

  test('the relay: connections open at once, the echo takes 60 ms, and the gap is reported', async () => {
    const echo = await through({ oneWayMs: 30 }, 5, true)
    const front = frontEnd(settled(echo), echo.path)
    expect(front?.exceeds).toBe(true)
    expect(front?.echoMs).toBeGreaterThanOrEqual(60)
    // By the connection alone it would be next door; by the echo it may be anywhere within 8,978 km.
    expect(discOf(ASHBURN, echo).radiusKm).toBeGreaterThan(8978)
    expect(isIn([discOf(ASHBURN, echo)], ASHBURN)).toBe('undecided')
  })

  test('a relay within the claimed city, the node an ocean away: never bounded inside, and reported', async () => {
    const far = geodesicKm(ASHBURN, FRANKFURT)
    const echo = await through({ oneWayMs: fibreMs(far) / 2, jitterMs: 0.5 }, 5, true)
    const disc = discOf(ASHBURN, echo)
    expect(disc.radiusKm).toBeGreaterThan(far)
    expect(isIn([disc], ASHBURN)).toBe('undecided')
    expect(isIn([disc], FRANKFURT)).not.toBe('outside')
    expect(frontEnd(settled(echo), echo.path)?.exceeds).toBe(true)
  })

  test('a VPN at the auditor’s end only widens', async () => {
    const vpn = await through({ oneWayMs: 15, jitterMs: 0.5 })
    expect(discOf(ASHBURN, vpn).radiusKm).toBeGreaterThan(discOf(ASHBURN, near).radiusKm)
    expect(isIn([discOf(ASHBURN, near)], KANSAS)).toBe('outside')
    expect(isIn([discOf(ASHBURN, vpn)], KANSAS)).toBe('undecided')
    expect(isIn([discOf(ASHBURN, vpn)], ASHBURN)).toBe('undecided')
  })

  test('honest nodes at honest distances, on wavering lines that lose: none is contradicted', async () => {
    const vantages: readonly Point[] = [ASHBURN, KANSAS, { latitude: 32.78, longitude: -96.8 }]
    const nodes: readonly Point[] = [
      KANSAS,
      { latitude: 45.5, longitude: -122.7 },
      { latitude: 25.8, longitude: -80.2 },
    ]
    const bounded = await Promise.all(
      nodes.map(async (node, place) => {
        const discs = await Promise.all(
          vantages.map(async (vantage, seed) => {
            const oneWayMs = fibreMs(geodesicKm(vantage, node)) / 2
            const echo = await through({ oneWayMs, jitterMs: 1, lossShare: 0.05, seed: place * 10 + seed + 1 }, 1)
            // Times that waver too much to agree bound nothing.
            return settledTime(echo).ok ? [discOf(vantage, echo)] : []
          }),
        )
        for (const { center, radiusKm } of discs.flat()) expect(radiusKm).toBeGreaterThan(geodesicKm(center, node))
        return discs.flat().length > 0 ? isIn(discs.flat(), node) : null
      }),
    )
    expect(bounded.filter((relation) => relation === 'outside' || relation === 'empty')).toEqual([])
    expect(bounded.some((relation) => relation !== null)).toBe(true)
  })

  test('through a jump host the connection shows nothing about the node', async () => {
    const hop = {
      node: { name: 'jump', address: '127.0.0.1', port: sshd.port, user: 'root', sudo: false },
      trust: { fingerprint: sshd.hostKey.fingerprint, knownHostsFiles: [] },
      credentials: { identityFile: sshd.clientKey, agent: false },
      transport: 'ssh2' as const,
    }
    const echo = await timeNode(reachOf(sshd), { jumps: [hop, { ...hop, node: { ...hop.node, name: 'second' } }] })
    expect(echo.path).toMatchObject({ tcpMs: null, jumps: 2, remoteAddress: '127.0.0.1' })
    expect(echo.path?.keepaliveMs).toHaveLength(10)
    expect(frontEnd({ ok: true, milliseconds: 60, samples: 30, jitterMs: 0 }, echo.path)).toBeNull()
  })

  test('the system’s ssh program times the echo, and nothing beside it', async () => {
    const echo = await timeNode(reachOf(sshd), { transport: 'openssh' })
    expect(echo.bursts.flatMap(({ samples }) => samples)).toHaveLength(30)
    expect(echo.path).toBeNull()
  })
})

describeUnless(noLink, 'between network namespaces, packet by packet', () => {
  let program: Awaited<ReturnType<typeof bundled>>
  beforeAll(async () => {
    program = await bundled('timed-node-program.ts')
  })
  afterAll(() => rmSync(program?.folder ?? '', { recursive: true, force: true }))

  const over = async (
    link: Promise<Link>,
    check: (time: (relay?: Omit<RelaySettings, 'to'>) => Promise<NonceEcho>) => Promise<void>,
  ): Promise<void> => {
    const { inClient, inServer, close } = await link
    const sshd = await startSshd({ within: inServer([]), config: [`ListenAddress ${SERVER_ADDRESS}`] })
    try {
      await check(async (relay) => {
        const [command = '', ...args] = inClient([
          process.execPath,
          program.program,
          JSON.stringify({ ...reachOf(sshd, SERVER_ADDRESS), ...(relay === undefined ? {} : { relay }) }),
        ])
        return await settling(async () => JSON.parse((await promisify(execFile)(command, args)).stdout) as NonceEcho)
      })
    } finally {
      await sshd.stop()
      close()
    }
  }

  test('a node that is as far as it seems: connection and echo agree; a relay beside the auditor does not', async () => {
    await over(openLink(30), async (time) => {
      const honest = await time()
      expect(honest.path?.remoteAddress).toBe(SERVER_ADDRESS)
      expect(honest.path?.tcpMs).toBeGreaterThanOrEqual(30)
      expect(Math.min(...(honest.path?.keepaliveMs ?? [0]))).toBeGreaterThanOrEqual(30)
      expect(settled(honest).milliseconds).toBeGreaterThanOrEqual(30)
      expect(settled(honest).milliseconds).toBeLessThan(45)
      expect(frontEnd(settled(honest), honest.path)?.exceeds).toBe(false)
      const relayed = await time({ oneWayMs: 0 })
      expect(relayed.path?.tcpMs).toBeLessThan(15)
      expect(settled(relayed).milliseconds).toBeGreaterThanOrEqual(30)
      expect(frontEnd(settled(relayed), relayed.path)?.exceeds).toBe(true)
    })
  })

  test('jitter and lost packets: the time is never less than the way takes, and the true place is not excluded', async () => {
    const km = geodesicKm(ASHBURN, KANSAS)
    await over(openLink(fibreMs(km), { jitterMs: 2, lostOf1000: 30 }), async (time) => {
      const echo = await time()
      expect(settled(echo).milliseconds).toBeGreaterThanOrEqual(fibreMs(km))
      expect(isIn([discOf(ASHBURN, echo)], KANSAS)).not.toBe('outside')
      expect(isIn([discOf(ASHBURN, echo)], ASHBURN)).toBe('undecided')
      expect(isIn([discOf(ASHBURN, echo)], FRANKFURT)).toBe('outside')
    })
  })
})
