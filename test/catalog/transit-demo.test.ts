import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDemoFleet } from '../../main/adapters/demo/demo-fleet.ts'
import { createSsh2Transport } from '../../main/adapters/ssh/ssh2-transport.ts'
import { observeSshServers } from '../../main/app/collect/observe-listeners.ts'
import { observeTls } from '../../main/app/collect/tls-listeners.ts'
import { networkListeners } from '../../main/catalog/data-protection/listeners/probes.ts'
import {
  askedNames,
  sshListeners,
  sshOffers,
  sshServers,
  sshTargets,
} from '../../main/catalog/data-protection/ssh-encryption/probes.ts'
import { reachableTcp, tlsListeners, tlsTargets } from '../../main/catalog/data-protection/tls/probes.ts'
import type { DemoFleet } from '../../main/core/all-ports.ts'
import { answer, fact } from '../support/answers.ts'
import { realClock, realEntropy, realPause } from '../support/deps.ts'
import { fixtureAnswers } from '../support/fixtures.ts'
import { must } from '../support/outcomes.ts'

let demo: DemoFleet
beforeAll(async () => {
  demo = await startDemoFleet([networkListeners, sshOffers, tlsListeners, sshServers], realClock)
})
afterAll(() => demo.close())

const NODES = ['demo-gpu-01', 'demo-guest-03', 'demo-metal-04', 'demo-shared-05']

test.each(NODES)('%s shows live what its recording holds', async (name) => {
  const target = demo.targets.find(({ node }) => node.name === name)
  if (target === undefined) throw new Error('no such demo node')
  const opened = must(await createSsh2Transport().connect(target, new AbortController().signal))
  const recorded = (key: string): string => Buffer.from(fixtureAnswers(name).get(key)?.stdout ?? []).toString()
  expect(`${JSON.stringify(opened.offer)}\n`).toBe(recorded('ssh.offers/offers'))
  const { listeners } = fact(networkListeners.parse({ sockets: answer(recorded('network.listeners/sockets')) }))
  const seen = await observeTls(
    { clock: realClock, entropy: realEntropy, pause: realPause },
    opened,
    tlsTargets(reachableTcp(listeners, []), { sshPort: 22, own: new Set(), loopback: [] }),
    { signal: new AbortController().signal, heard: () => {} },
  )
  expect(`${JSON.stringify(seen)}\n`).toBe(recorded('tls.listeners/listeners'))
  const found = sshListeners(listeners, [], { sshPorts: [22], processes: [], tls: null })
  const asked = await observeSshServers(
    { clock: realClock, pause: realPause },
    opened,
    // By both families one server, as the recording has it.
    { ...sshTargets(found.slice(0, 1), { own: new Set(), loopback: [] }), names: askedNames(target.node) },
    { signal: new AbortController().signal, heard: () => {} },
  )
  opened.close()
  // The key is the demo server's own: made for this run, and the same as of the session.
  const { type, fingerprint } = opened.hostKey
  expect(JSON.parse(recorded('ssh.servers/servers'))).toEqual({
    ...asked,
    asked: asked.asked.map((server) => ({
      ...server,
      hostKey: { type: 'ssh-ed25519', fingerprint: expect.stringMatching(/^SHA256:/) },
    })),
  })
  expect(asked.asked.map(({ hostKey }) => hostKey)).toEqual(asked.asked.map(() => ({ type, fingerprint })))
})
