import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AwsV4Signer } from 'aws4fetch'
import type { S3Place } from '../../main/adapters/objects/exchange.ts'
import { freePort } from './free-port.ts'

const PROGRAMS = ['ceph-mon', 'ceph-osd', 'radosgw', 'radosgw-admin', 'ceph', 'ceph-authtool', 'monmaptool'] as const

/** Why no radosgw can be started here, or null. */
export function whyNoRadosgw(): string | null {
  const missing = PROGRAMS.filter((program) => !existsSync(`/usr/bin/${program}`))
  return missing.length === 0 ? null : `skipped: ${missing.join(', ')} of Ceph not installed`
}

/** An S3 store of Ceph on loopback: one monitor, one OSD in memory, and its gateway. It is gone after `stop`. */
export interface Radosgw {
  /** The credentials are those of the owner of every bucket. */
  readonly place: (bucket: string) => S3Place
  readonly newBucket: (options?: { readonly lock?: boolean; readonly versions?: boolean }) => Promise<string>
  /** A request signed with the owner’s credentials, as an administrator may send it. */
  readonly asOwner: (request: OwnersRequest) => Promise<{ readonly status: number; readonly body: string }>
  readonly stop: () => Promise<void>
}

export interface OwnersRequest {
  readonly verb: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Bucket, key and query. */
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const START_MS = 90_000
const SECTION = 'client.rgw'

export async function startRadosgw(): Promise<Radosgw> {
  const folder = mkdtempSync(join(tmpdir(), 'bw-ceph-'))
  for (const name of ['mon', 'osd', 'run']) mkdirSync(join(folder, name))
  const [v2, v1, gateway] = [await freePort(), await freePort(), await freePort()]
  const id = randomUUID()
  const config = join(folder, 'ceph.conf')
  writeFileSync(config, configOf({ folder, id, v2, v1, gateway }))
  const run = (program: string, ...argv: string[]): string => {
    const { status, stdout, stderr } = spawnSync(program, argv, { encoding: 'utf8', timeout: START_MS })
    if (status !== 0) throw new Error(`${program}: ${stderr}`)
    return stdout
  }
  const children: ChildProcess[] = []
  const start = (program: string, ...argv: string[]): void => {
    const child = spawn(program, [...argv, '-c', config, '-f'], { stdio: 'ignore', cwd: folder })
    children.push(child)
  }
  const stop = async (): Promise<void> => {
    for (const child of children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
      child.kill('SIGKILL')
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const keyring = join(folder, 'keyring')
    run('ceph-authtool', '--create-keyring', keyring, '--gen-key', '-n', 'mon.', '--cap', 'mon', 'allow *')
    for (const name of ['client.admin', 'osd.0', SECTION])
      run('ceph-authtool', keyring, '--gen-key', '-n', name, '--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *')
    const map = join(folder, 'monmap')
    run('monmaptool', '--create', '--addv', 'a', `[v2:127.0.0.1:${v2},v1:127.0.0.1:${v1}]`, '--fsid', id, map)
    run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring, '-c', config)
    start('ceph-mon', '-i', 'a')
    run('ceph', '-c', config, '--connect-timeout', '60', 'osd', 'create')
    run('ceph-osd', '--mkfs', '-i', '0', '-c', config)
    start('ceph-osd', '-i', '0')
    start('radosgw', '-n', SECTION)
    const origin = `http://127.0.0.1:${gateway}`
    const until = Date.now() + START_MS
    while (!(await answers(origin))) {
      if (Date.now() > until) throw new Error('radosgw gives no answer')
      await sleep(100)
    }
    const [accessKey, secretKey] = [randomBytes(10).toString('hex'), randomBytes(20).toString('hex')]
    run(
      'radosgw-admin',
      '-c',
      config,
      'user',
      'create',
      '--uid=administrator',
      '--display-name=administrator',
      `--access-key=${accessKey}`,
      `--secret-key=${secretKey}`,
    )
    const asOwner: Radosgw['asOwner'] = async ({ verb, target, headers = {}, body = '' }) => {
      const signed = await new AwsV4Signer({
        method: verb,
        url: `${origin}/${target}`,
        headers: {
          ...headers,
          'x-amz-content-sha256': createHash('sha256').update(body).digest('hex'),
          ...(body === '' ? {} : { 'content-md5': createHash('md5').update(body).digest('base64') }),
        },
        accessKeyId: accessKey,
        secretAccessKey: secretKey,
        service: 's3',
        region: 'default',
      }).sign()
      const answer = await fetch(signed.url, {
        method: verb,
        headers: signed.headers,
        ...(body === '' ? {} : { body }),
      })
      return { status: answer.status, body: await answer.text() }
    }
    let made = 0
    return {
      place: (bucket) => ({ endpoint: origin, region: 'default', bucket, accessKey, secretKey, ca: null }),
      asOwner,
      newBucket: async ({ lock = true, versions = true } = {}) => {
        made += 1
        const bucket = `evidence-${made}`
        const headers = lock ? { 'x-amz-bucket-object-lock-enabled': 'true' } : {}
        const created = await asOwner({ verb: 'PUT', target: bucket, headers })
        if (created.status !== 200) throw new Error(created.body)
        if (!lock && versions) {
          const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>'
          const enabled = await asOwner({ verb: 'PUT', target: `${bucket}?versioning=`, body })
          if (enabled.status !== 200) throw new Error(enabled.body)
        }
        return bucket
      },
      stop,
    }
  } catch (problem) {
    await stop()
    throw problem
  }
}

const answers = (origin: string): Promise<boolean> =>
  fetch(origin).then(
    (answer) => answer.ok,
    () => false,
  )

/** Without a manager daemon, which only statistics need, and with one copy of each object. */
const configOf = ({
  folder,
  id,
  v2,
  v1,
  gateway,
}: {
  readonly folder: string
  readonly id: string
  readonly v2: number
  readonly v1: number
  readonly gateway: number
}): string => `[global]
fsid = ${id}
mon host = [v2:127.0.0.1:${v2}/0,v1:127.0.0.1:${v1}/0]
mon initial members = a
keyring = ${folder}/keyring
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pgp num = 8
osd crush chooseleaf type = 0
mon allow pool size one = true
osd objectstore = memstore
memstore device bytes = 1073741824
ms bind ipv6 = false
public addr = 127.0.0.1
cluster addr = 127.0.0.1
run dir = ${folder}/run
admin socket = ${folder}/run/$name.asok
log file = ${folder}/run/$name.log
pid file = ${folder}/run/$name.pid
mon data = ${folder}/mon
osd data = ${folder}/osd
mon cluster log file = ${folder}/run/cluster.log
osd class load list = *
osd class default list = *
rgw frontends = beast endpoint=127.0.0.1:${gateway}
rgw enable apis = s3
`
