import { type ChildProcess, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { startDemoFleet } from '../../main/adapters/demo/demo-fleet.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import type { DemoFleet } from '../../main/core/all-ports.ts'
import { tokenDigest } from '../../main/core/team/jobs.ts'
import type { FleetNode, TeamObjects } from '../../schemas/types.ts'
import { CLI } from './built-cli.ts'
import { newToken } from './collector-kit.ts'
import { type Person, startTestProvider } from './oidc-test-provider.ts'
import { startPostgres, whyNoPostgres } from './postgres.ts'
import { type Radosgw, startRadosgw, whyNoRadosgw } from './radosgw-kit.ts'
import { startProgram } from './running-program.ts'
import { writeTeamFolder } from './team-folder.ts'

const ENGAGEMENT = 'demo'
const SEALER = 'demo-officer'
const COLLECTORS = { 'ashburn-1': 'ashburn', 'frankfurt-1': 'frankfurt' }
const PEOPLE: readonly Person[] = ['officer', 'auditor', 'operator', 'administrator'].map((role) => ({
  link: `Demo ${role}`,
  claims: { sub: `demo-${role}`, name: `Demo ${role} (made up)`, roles: [role], groups: ['team'] },
}))

/**
 * `npm run team:demo`: a team server with everything that it works with, on loopback, in a temporary folder that is removed at the end. Resolves when
 * it is served; `stop` ends every process.
 */
export async function startTeamDemo(print: (line: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-team-demo-'))
  const started = new Set<ChildProcess>()
  const ends: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (const child of started) child.kill('SIGKILL')
    for (const end of ends.reverse()) await end()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const missing = whyNoPostgres()
    const cluster = missing === null ? await startPostgres() : null
    if (cluster !== null) ends.push(cluster.stop)
    const noStore = whyNoRadosgw()
    const store = noStore === null ? await startRadosgw() : null
    if (store !== null) ends.push(store.stop)
    const provider = await startTestProvider(PEOPLE)
    ends.push(provider.close)
    const fleet = await startDemoFleet(catalog.probes, { now: () => new Date().toISOString() })
    ends.push(fleet.close)
    const database = (await cluster?.newDatabase())?.config
    const token = newToken()
    const identity = makeIdentity(folder)
    const team = await writeTeamFolder({
      ...{ folder, engagement: ENGAGEMENT, fleetName: 'Demo fleet, made up', nodes: nodesOf(fleet) },
      ...{ collectors: COLLECTORS, concurrency: 2, issuer: provider.issuer, isTls: false },
      shared: database === undefined ? null : { database, throughGate: [] },
      config: {
        objects: await objectsIn(folder, store),
        sealers: [
          {
            name: SEALER,
            engagement: ENGAGEMENT,
            tokenDigest: tokenDigest(token),
            certificate: identity.fingerprint,
          },
        ],
      },
    })
    const sealer = writeSealer(folder, team.origin, token)
    await startProgram(CLI, ['serve', '--config', team.server], 'Serving', started)
    for (const name of Object.keys(COLLECTORS))
      await startProgram(CLI, ['collector', '--config', team.collectorConfig(name)], 'Collecting nodes', started)
    const sealing = ['node', relative('.', CLI), 'sealer', '--config', sealer, ...identity.options]
    const lines = [
      `Team server    ${team.origin}/`,
      `               Sign in as ${PEOPLE.map(({ link }) => link).join(', ')}.`,
      `Jobs, sessions ${cluster === null ? `files, because ${reasonIn(missing)}` : 'PostgreSQL'}`,
      `Evidence       ${join(folder, ENGAGEMENT)}, copied to ${store === null ? join(folder, STORE) : 'a bucket of Ceph with Object Lock'}`,
      ...(noStore === null
        ? []
        : [
            `               That copy has no lock, because ${reasonIn(noStore)}: an account that can write there can alter it.`,
          ]),
      `Collectors     ${Object.entries(COLLECTORS)
        .map(([name, zone]) => `${name} (zone ${zone})`)
        .join(', ')}; ${team.nodes.length} nodes`,
      '               The nodes replay recordings; two of them are not collected on purpose.',
      'Signer         To sign exports, run in a second terminal:',
      `               ${sealing.join(' ')}`,
    ]
    for (const line of lines) print(line)
    return { origin: team.origin, folder, sealer: sealing, stop }
  } catch (problem) {
    await stop()
    throw problem
  }
}

const STORE = 'objects'

/** Where the server copies evidence to: a bucket with Object Lock, or a folder without a lock. */
async function objectsIn(folder: string, store: Radosgw | null): Promise<TeamObjects> {
  if (store === null) return { folder: join(folder, STORE) }
  const { endpoint, region, bucket, accessKey, secretKey } = store.place(await store.newBucket())
  const credentialsFile = join(folder, 'object-store')
  writeFileSync(credentialsFile, `${accessKey}:${secretKey}\n`, { mode: 0o600 })
  return { s3: { endpoint, region, bucket, credentialsFile } }
}

const reasonIn = (skipped: string | null): string => (skipped ?? '').replace('skipped: ', '')

function nodesOf({ targets, fleet }: DemoFleet): readonly FleetNode[] {
  return fleet.nodes.map((node) => {
    const credentials = targets.find((one) => one.node.name === node.name)?.credentials
    const identityFile = credentials !== undefined && 'identityFile' in credentials ? credentials.identityFile : ''
    return { ...node, identityFile: String(identityFile) }
  })
}

/** A signing identity for the demo alone: its fingerprint, and the options that open it. */
function makeIdentity(folder: string): { readonly fingerprint: string; readonly options: readonly string[] } {
  const options = ['--identity-folder', join(folder, 'identities'), '--passphrase-file', join(folder, 'passphrase')]
  writeFileSync(join(folder, 'passphrase'), `${newToken()}\n`, { mode: 0o600 })
  const made = spawnSync(
    process.execPath,
    [CLI, 'identity', 'create', SEALER, '--subject', 'Demo officer (made up)', ...options],
    { encoding: 'utf8' },
  )
  const [, fingerprint] = /\(SHA-256 of the certificate\): ([0-9a-f]{64})/.exec(made.stderr) ?? []
  if (fingerprint === undefined) throw new Error(`the signing identity was not created: ${made.stderr}`)
  return { fingerprint, options }
}

/** Token and configuration of the sealer; gives the path of its configuration. */
function writeSealer(folder: string, server: string, token: string): string {
  const own = join(folder, SEALER)
  mkdirSync(own)
  writeFileSync(join(own, 'token'), `${token}\n`, { mode: 0o600 })
  const config = { schema: 'barewitness.sealer/1', server, tokenFile: 'token', record: 'signed.jsonl' }
  writeFileSync(join(own, 'sealer.json'), JSON.stringify(config))
  return join(own, 'sealer.json')
}
