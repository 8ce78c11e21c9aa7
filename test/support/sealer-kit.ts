import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeIdentity } from '../../main/adapters/identity/certificates.ts'
import { signerOf } from '../../main/adapters/identity/folder.ts'
import { createSealingClient } from '../../main/adapters/jobs/team-client.ts'
import { openRunChain } from '../../main/adapters/run-chain.ts'
import { remoteSigning } from '../../main/adapters/seal/remote-signing.ts'
import { runSealer, type SealerEvent } from '../../main/app/export/sealer.ts'
import type { Ports } from '../../main/core/all-ports.ts'
import { chainFolderOf, fleetPath } from '../../main/core/base/layout.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import { entryBytes, type GapEntry } from '../../main/core/run-chain/entry.ts'
import { tokenDigest } from '../../main/core/team/jobs.ts'
import type { ExportDraft } from '../../schemas/ipc-packs.ts'
import type { SealingRequest, TeamConfig } from '../../schemas/types.ts'
import { closedAfterEach } from './closing.ts'
import { newToken, nodeIn, ZONED } from './collector-kit.ts'
import { realEntropy } from './deps.ts'
import { valueIn } from './engine-kit.ts'
import { fakeCatalog } from './fake-catalog.ts'
import { createFakePorts } from './fake-ports.ts'
import { sealing } from './sample-pack.ts'
import { fakeEngine, replyIn, type TeamKit, teamKit, type Visitor } from './team-kit.ts'

/** Tokens of three sealers: two of alpha, one of beta. */
export const [CHEN, OTHER, BETA] = [newToken(), newToken(), newToken()]

/** A signing identity. ECDSA signs with a random number: the same bytes get one signature here, so that packs can be compared. */
export function newSigner(name: string): Signer {
  const made = makeIdentity({
    commonName: name,
    rootCommonName: `${name} root`,
    now: '2026-11-02T00:00:00Z',
    entropy: realEntropy,
  })
  const signer = signerOf({ ...made, subject: name, key: made.leafKey })
  const known = new Map<string, Promise<Uint8Array>>()
  return {
    ...signer,
    sign: (data) => {
      const key = Buffer.from(data).toString('hex')
      const signature = known.get(key) ?? signer.sign(data)
      known.set(key, signature)
      return signature
    },
  }
}

/** A fleet of two nodes that answer. */
export const writeFleet = (folder: string): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    fleetPath(folder),
    JSON.stringify({ name: 'sealed', nodes: [nodeIn(ZONED.first), nodeIn(ZONED.second)] }),
  )
}

/** A configuration with sealers that sign with one certificate; alpha has a fleet, and no demo data. */
export function withSealers(config: TeamConfig, { fingerprint }: Signer): TeamConfig {
  const [alpha, ...others] = config.engagements
  writeFleet(alpha.folder)
  const sealer = (name: string, engagement: string, token: string) => ({
    ...{ name, engagement, tokenDigest: tokenDigest(token) },
    certificate: fingerprint,
  })
  return {
    ...config,
    engagements: [{ ...alpha, demo: false }, ...others],
    sealers: [
      sealer('chen', alpha.name, CHEN),
      sealer('other', alpha.name, OTHER),
      sealer('beta-1', others[0]?.name ?? '', BETA),
    ],
  }
}

export interface SealerInTest {
  readonly events: readonly SealerEvent[]
  /** What its signer was asked to confirm. */
  readonly asked: readonly SealingRequest[]
  /** The entries that were shown, each as its lines. */
  readonly shown: readonly (readonly string[])[]
  readonly record: string
  readonly stop: () => Promise<void>
}

/** Runs a sealer in this process, whose signer confirms everything or nothing. */
export function startSealer(
  server: string,
  signer: Signer,
  {
    token = CHEN,
    confirms = true,
  }: {
    readonly token?: string
    readonly confirms?: boolean | ((request: SealingRequest, withdrawn: AbortSignal) => Promise<boolean>)
  } = {},
): SealerInTest {
  const record = join(mkdtempSync(join(tmpdir(), 'barewitness-sealer-')), 'sealed.jsonl')
  const [stop, events, asked] = [new AbortController(), [] as SealerEvent[], [] as SealingRequest[]]
  const shown: (readonly string[])[] = []
  const running = runSealer(
    {
      ports: createFakePorts(),
      signer,
      signing: remoteSigning,
      catalog: fakeCatalog,
      server: createSealingClient({ server, token, certificate: null }),
      confirm: async (request, lines, withdrawn) => {
        asked.push(request)
        if (lines !== null) shown.push(lines)
        return typeof confirms === 'boolean' ? confirms : await confirms(request, withdrawn)
      },
      // Impatient: tests wait for events and not for a time.
      wait: (_, signal) => sleep(20, undefined, { signal }).catch(() => undefined),
    },
    { record, auditLogOf: server, signal: stop.signal, onEvent: (event) => events.push(event) },
  )
  return {
    events,
    asked,
    shown,
    record,
    stop: async () => {
      stop.abort()
      await running
    },
  }
}

/**
 * Enters a missed run into the run chain of a folder of the fleet `sealed`, as another process does. False where the chain is not free within
 * a moment.
 */
export async function entersMeanwhile(folder: string, signer: Signer, due: string): Promise<boolean> {
  const chain = await openRunChain(
    chainFolderOf(folder, 'sealed'),
    { id: 'f'.repeat(64), fleet: 'sealed' },
    CHAIN_PATIENCE_MS,
  )
  if (!chain.ok) return false
  const entry: GapEntry = {
    ...{ kind: 'gap', due, at: due, fleet: 'sealed', why: 'The network was down.', signer: signer.fingerprint },
  }
  const signature = await sealing.signDetached(signer, entryBytes(entry))
  const entered = await chain.value.append({ entry, signature: Buffer.from(signature).toString('base64') })
  await chain.value.close()
  return entered.ok
}

const CHAIN_PATIENCE_MS = 300

/** A sealer whose identity officers of alpha see, closed with its record by a function that is put into `open`. */
export async function connectedSealer(
  kit: TeamKit,
  signer: Signer,
  open: (() => Promise<unknown>)[],
  how: Parameters<typeof startSealer>[2] = {},
): Promise<SealerInTest> {
  const sealer = startSealer(kit.server.origin, signer, how)
  open.push(async () => {
    await sealer.stop()
    rmSync(dirname(sealer.record), { recursive: true, force: true })
  })
  const officer = await kit.as('officer')
  while (valueIn(replyIn<readonly unknown[]>(await officer.call('alpha', 'identities.list', null))).length === 0)
    await sleep(20)
  return sealer
}

/** A team server with sealers for one test file, whose servers and sealers are closed after each test. Call it at the top of the file. */
export function teamWithSealers(signer: Signer, ports: () => Ports) {
  const open = closedAfterEach()
  return {
    open,
    kitWithSealers: async (patienceMs?: number): Promise<TeamKit> => {
      const kit = await teamKit({
        openEngine: fakeEngine(ports()),
        ...(patienceMs === undefined ? {} : { patienceMs }),
        config: (config) => withSealers(config, signer),
      })
      open.push(() => kit.close())
      return kit
    },
    sealerOf: (kit: TeamKit, how: Parameters<typeof connectedSealer>[3] = {}): Promise<SealerInTest> =>
      connectedSealer(kit, signer, open, how),
  }
}

/** Collects a run of alpha as an officer, and exports it, sealed by chen. */
export async function sealedRun(officer: Visitor): Promise<{ readonly run: string; readonly draft: ExportDraft }> {
  const { run } = valueIn(
    replyIn<{ run: string }>(await officer.call('alpha', 'run.start', { nodes: [], only: 'all' })),
  )
  while (valueIn(replyIn<{ going: boolean }>(await officer.call('alpha', 'run.status', null))).going) await sleep(20)
  const wanted = { frameworks: ['hipaa'], identity: 'chen', timestamp: false, also: [], redact: null }
  return { run, draft: valueIn(replyIn<ExportDraft>(await officer.call('alpha', 'export.build', wanted))) }
}
