import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPorts } from '../../main/adapters/ports.ts'
import { catalog } from '../../main/catalog/definition/index.ts'
import type { Assessment, Scope } from '../../schemas/types.ts'
import type { VerificationReport } from '../../schemas/verification.ts'
import { CLI, whyNoCli } from '../support/built-cli.ts'
import { cliHere } from '../support/cli-here.ts'
import { mmdb } from '../support/mmdb.ts'
import { describeUnless } from '../support/needing.ts'
import { must } from '../support/outcomes.ts'
import { relist } from '../support/pack-attacks.ts'
import { isRoot, type Sshd, startSshd, whyNoSshd, whyNoUsers } from '../support/sshd.ts'

// Everything that a fleet file can say of places, through the built program: collected, sealed, judged again, tampered with, and withheld.
const missing = whyNoSshd ?? whyNoCli()
const PEER = '9.9.9.9'
const SERIAL = 'SN-1001'
const OFFICE = { name: 'Our office', latitude: 39.04, longitude: -77.49, radiusKm: 2, declaredBy: 'M. Ortiz' }
const AROUND = [
  [36, -82],
  [42, -82],
  [42, -72],
  [36, -72],
]

const cli = (...argv: string[]) => spawnSync(process.execPath, [CLI, ...argv], { encoding: 'utf8', maxBuffer: 1e9 })

describeUnless(missing, 'places by the command line', () => {
  let folder = ''
  let sshd: Sshd
  let pack = ''
  const ports = createPorts(catalog)
  const at = (...parts: string[]): string => join(folder, ...parts)
  const signing = (): string[] => ['--identity-folder', at('ids'), '--passphrase-file', at('secret')]
  const evidence = (): string[] => {
    const run = readdirSync(at('out', 'evidence')).find((name) => /^\d{8}t/.test(name)) ?? ''
    return ['gpu-01', 'gpu-02'].map((node) => at('out', 'evidence', run, node))
  }
  const packIn = (out: string): string =>
    at(out, readdirSync(at(out), { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('.zip')) ?? '')
  const fleet = (name: string, more: object): string => {
    const node = (which: string, address: string, more: object = {}) => ({
      name: which,
      address,
      port: sshd.port,
      user: userInfo().username,
      hostKey: sshd.hostKey.fingerprint,
      identityFile: sshd.clientKey,
      ...more,
    })
    const place = { ...OFFICE, name: 'Ashburn', country: 'US', radiusKm: 60 }
    const nodes = [node('gpu-01', '127.0.0.11', { location: place }), node('gpu-02', '127.0.0.12')]
    writeFileSync(
      at(name),
      JSON.stringify({ name: 'places', locationSpreadSeconds: 0, vantage: OFFICE, nodes, ...more }),
    )
    return at(name)
  }
  const filesOf = async (path: string): Promise<Map<string, Uint8Array>> => {
    const opened = must(await ports.packs.open(path))
    const { paths, read, close } = opened
    const files = new Map<string, Uint8Array>()
    for (const one of paths) files.set(one, await read(one))
    await close()
    return files
  }
  const verified = async (path: string): Promise<VerificationReport> => {
    const { stdout } = await cliHere('verify', path, '--trust', at('ids', 'test', 'root.pem'), '--json')
    return JSON.parse(stdout) as VerificationReport
  }
  const answersOf = ({ checks }: VerificationReport) =>
    Object.fromEntries(checks.map(({ check, outcome }) => [check, outcome]))
  const scopeIn = (files: ReadonlyMap<string, Uint8Array>) =>
    JSON.parse(new TextDecoder().decode(files.get('data/scope.json'))) as Scope

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bw-places-'))
    // A receiver of logs at a public address, so that a database has something to say.
    const files =
      isRoot && whyNoUsers === null && existsSync('/etc/rsyslog.conf')
        ? { '/etc/rsyslog.conf': `*.* @@${PEER}:6514\n` }
        : {}
    sshd = await startSshd({
      config: ['ListenAddress 127.0.0.11', 'ListenAddress 127.0.0.12', 'MaxStartups 100'],
      files,
    })
    writeFileSync(at('secret'), 'correct horse battery\n', { mode: 0o600 })
    expect(cli('identity', 'create', 'test', '--subject', 'Test Org', ...signing()).status).toBe(0)
    writeFileSync(at('sites.csv'), `serial,site,country,rack\n${SERIAL},ASH-1,US,R17\nSN-2002,FRA-2,DE,R2\n`)
    writeFileSync(
      at('city.mmdb'),
      mmdb({
        ipVersion: 4,
        type: 'GeoLite2-Country',
        built: Date.now() / 1000 - 86_400,
        networks: { '9.9.9.0/24': { country: { iso_code: 'US' } } },
      }),
    )
    writeFileSync(at('asn-country.csv'), '9.9.9.0,9.9.9.255,US\n')
    const place = `${OFFICE.name}, ${OFFICE.latitude}, ${OFFICE.longitude}, ${OFFICE.radiusKm}`
    const from = ['--location', place, '--declared-by', OFFICE.declaredBy, '-o', at('vantage.json')]
    const recorded = cli('vantage', 'measure', '--fleet', fleet('first.json', {}), ...from, ...signing())
    expect(recorded.status, recorded.stderr).toBe(0)
    const all = fleet('fleet.json', {
      vantages: ['vantage.json'],
      sites: { file: 'sites.csv', source: 'Hostrunway', on: '2026-11-01', declaredBy: 'M. Ortiz' },
      addressDatabases: [{ file: 'city.mmdb' }, { file: 'asn-country.csv', builtOn: '2026-01-02' }],
      residency: [
        { name: 'At home', region: 'US' },
        { name: 'In Europe', country: ['DE', 'FR'], nodes: ['gpu-02'] },
        { name: 'Around Ashburn', polygon: AROUND },
      ],
    })
    const ran = cli('run', '--fleet', all, '--out', at('out'), '--json', ...signing())
    expect([0, 3], ran.stderr).toContain(ran.status)
    pack = packIn('out')
  })
  afterAll(async () => {
    await sshd?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('a run is sealed with all of it, and everything can be verified again', async () => {
    const scope = scopeIn(await filesOf(pack))
    expect(scope.location?.vantages?.map(({ vantage }) => vantage.name)).toEqual(['Our office'])
    expect(scope.location?.sites?.rows.map(({ serial }) => serial)).toEqual([SERIAL, 'SN-2002'])
    expect(scope.location?.databases?.map(({ format, builtOn }) => [format, builtOn === '2026-01-02'])).toEqual([
      ['mmdb', false],
      ['csv', true],
    ])
    const { stdout } = cli('verify', pack, '--trust', at('ids', 'test', 'root.pem'), '--json')
    const answers = answersOf(JSON.parse(stdout) as VerificationReport)
    expect(answers).toMatchObject({
      integrity: 'passed',
      signature: 'passed',
      completeness: 'passed',
      reproducibility: 'passed',
    })
  })

  test('the same recordings give the same answers about places, judged or exported again', async () => {
    const files = await filesOf(pack)
    const { asOf } = scopeIn(files) as Scope & { readonly asOf: string }
    const again = await cliHere('assess', ...evidence(), '--fleet', at('fleet.json'), '--as-of', asOf, '--json')
    const { nodes, scope } = JSON.parse(again.stdout) as Assessment
    expect(scope.location).toEqual(scopeIn(files).location)
    for (const { node, location } of nodes) {
      const sealed = [...files].find(([path]) => path.includes(`/${node}/`) && path.endsWith('assessment.json'))
      expect(sealed, node).toBeDefined()
      const { location: then } = JSON.parse(new TextDecoder().decode(sealed?.[1])) as Assessment['nodes'][number]
      expect(location, node).toEqual(then)
      expect(location?.results.length).toBe(3)
      // A busy machine answers late, and late answers only widen.
      for (const { result, title } of location?.results ?? [])
        if (title !== 'In Europe')
          expect(['bounded', 'uncorroborated', 'corroborated', 'undetermined']).toContain(result)
    }
    const out = ['--fleet', at('fleet.json'), '--out', at('again'), '--formats', '']
    expect([0, 3]).toContain((await cliHere('export', ...evidence(), ...out, ...signing())).status)
    expect(scopeIn(await filesOf(packIn('again'))).location).toEqual(scopeIn(files).location)
  })

  const changed = (bytes: Uint8Array, from: string, to: string): Uint8Array => {
    const text = new TextDecoder().decode(bytes)
    expect(text).toContain(from)
    return new TextEncoder().encode(text.replace(from, to))
  }
  test.each([
    ['the list of sites', 'data/sites', `${SERIAL},ASH-1,US`, `${SERIAL},ASH-1,DE`, /sites/],
    ['a vantage record', 'data/scope.json', '"latitude":39.04', '"latitude":50.04', /vantage measurement/],
    [
      'an answer of a database',
      'data/scope.json',
      '"country":"US","latitude":null',
      '"country":"DE","latitude":null',
      /seal|manifest/i,
    ],
  ])('a change in %s is refused, with every list of digests made to fit', async (what, path, from, to, names) => {
    const files = await filesOf(pack)
    if (what.startsWith('an answer') && !new TextDecoder().decode(files.get(path)).includes(`"address":"${PEER}"`))
      return
    const next = relist(new Map([...files, [path, changed(files.get(path) ?? new Uint8Array(), from, to)]]))
    const written = await ports.packs.write(at(`${what}.zip`), next)
    expect(written.ok).toBe(true)
    const report = await verified(at(`${what}.zip`))
    expect(report.ok).toBe(false)
    expect(JSON.stringify(report.checks)).toMatch(names)
  })

  test('a copy without a node, serial numbers and addresses still verifies, and nothing in it names them', async () => {
    const about = ['--redacted-by', 'Acme', '--reason', 'not of this audit', '--out', at('copy.zip')]
    const what = ['--redact', 'serial,node,ipv4', '--redact-node', 'gpu-02']
    const made = cli('redact', 'create', pack, ...about, ...what)
    expect(made.status, made.stderr).toBe(0)
    const report = await verified(at('copy.zip'))
    expect(answersOf(report)).toMatchObject({ integrity: 'passed', signature: 'passed' })
    expect(report.ok).toBe(true)
    for (const [path, bytes] of await filesOf(at('copy.zip'))) {
      const text = `${path}\n${Buffer.from(bytes).toString('latin1')}`
      for (const word of ['gpu-02', SERIAL, '127.0.0.12', PEER])
        expect(text.includes(word), `${word} in ${path}`).toBe(false)
    }
    expect(readFileSync(at('copy.zip')).includes('gpu-02')).toBe(false)
  })
})
