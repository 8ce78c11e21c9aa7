import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { filled, REMEDIATIONS, remediationOf, variantsFor } from '../../main/catalog/definition/remediation.ts'
import { fingerprintOf } from '../../main/core/fleet/known-hosts.ts'
import type { Assessment, RemediationProof, RemediationVariant } from '../../schemas/types.ts'
import type { Verdict } from '../../schemas/words.ts'
import { whyNoHosts } from '../support/hosts/base.ts'
import { type Lab, startLab } from '../support/hosts/lab.ts'
import { hasPendingUpdate } from '../support/hosts/packages.ts'
import { describeUnless } from '../support/needing.ts'
import { publicBlob } from '../support/sshd.ts'
import { CARELESS, type CarelessHost, type Fix, SERVER } from './careless.ts'

const CLI = 'out/main/cli.js'
const missing = whyNoHosts() ?? (existsSync(CLI) ? null : `${CLI} is not built`)

type Verdicts = ReadonlyMap<string, ReadonlyMap<string, Verdict>>

/** A check that only records may end satisfied all the same, as of a filter for outgoing traffic. */
const DEVIATIONS: readonly (Verdict | undefined)[] = ['not-satisfied', 'inconclusive', 'informational']

describeUnless(missing, 'fixes on real hosts', () => {
  let lab: Lab
  let before: Verdicts
  let after: Verdicts
  const refused: string[] = []

  beforeAll(async () => {
    lab = await startLab(CARELESS)
    before = await collect('before')
    await serveLogsAndTime()
    for (const host of CARELESS) for (const one of host.fixes) await apply(host, one)
    after = await collect('after')
  })
  afterAll(async () => await lab?.stop())

  /** Every verdict of every host, as a collection over SSH and its assessment give it. */
  async function collect(phase: 'before' | 'after'): Promise<Verdicts> {
    const folder = join(process.env.HOSTS_OUT ?? lab.folder, phase)
    mkdirSync(folder, { recursive: true })
    const nodes = CARELESS.map(({ name, declares }) => ({
      name,
      address: lab.hosts.get(name)?.address,
      user: 'bwaudit',
      hostKey: fingerprintOf(publicBlob(join(lab.folder, name, 'etc/ssh/ssh_host_ed25519_key'))),
      identityFile: lab.clientKey,
      ...declares,
    }))
    const fleet = join(folder, 'fleet.json')
    writeFileSync(fleet, JSON.stringify({ name: 'fixes', nodes }))
    const collected = await lab.run([process.execPath, CLI, 'collect', '--fleet', fleet, '--out', folder])
    expect([0, 4], collected.stderr).toContain(collected.status)
    const evidence = join(folder, 'evidence')
    const [run = ''] = readdirSync(evidence).filter((name) => /^\d{8}t/.test(name))
    const recordings = readdirSync(join(evidence, run)).map((node) => join(evidence, run, node))
    const assessed = await lab.run([process.execPath, CLI, 'assess', ...recordings, '--fleet', fleet, '--json'])
    expect([0, 3, 4], assessed.stderr).toContain(assessed.status)
    if (process.env.HOSTS_OUT !== undefined) writeFileSync(join(folder, 'assessment.json'), assessed.stdout)
    const assessment = JSON.parse(assessed.stdout) as Assessment
    return new Map(
      assessment.nodes.map(({ node, results }) => [
        node,
        new Map(results.map(({ check, verdict }) => [check, verdict])),
      ]),
    )
  }

  /** What the hosts are to send their logs to, and take their time from. The first host learns the authority of the first. */
  async function serveLogsAndTime(): Promise<void> {
    const [key, certificate] = [join(lab.folder, 'loghost.key'), join(lab.folder, 'careless', 'etc/ssl/loghost.pem')]
    const made = await lab.run([
      ...['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'],
      ...['-subj', `/CN=${SERVER.name}`, '-addext', `subjectAltName=DNS:${SERVER.name}`],
      ...['-keyout', key, '-out', certificate],
    ])
    expect(made.status, made.stderr).toBe(0)
    lab.serve([process.execPath, 'test/support/hosts/lab-server.mjs', SERVER.address, key, certificate])
  }

  /** Runs one variant as a person would: sets the values, prepares, writes the files, runs the lines. */
  async function apply(host: CarelessHost, { check, title, values }: Fix): Promise<void> {
    const remediation = remediationOf(check)
    const variant = remediation && variantsFor(remediation, 'debian').find((one) => one.title === title)
    if (variant === undefined) throw new Error(`${check} has no variant “${title}” for debian`)
    for (const set of values) {
      await run(host, `${check}: prepare`, set, variant.prepare ?? [])
      writeFiles(host, set, variant)
      await run(host, check, set, variant.commands ?? [])
    }
  }

  async function run(
    { name }: CarelessHost,
    what: string,
    set: Readonly<Record<string, string>>,
    lines: readonly string[],
  ): Promise<void> {
    if (lines.length === 0) return
    const assignments = Object.entries(set).map(([input, value]) => `${input}="${value}"`)
    const script = [...assignments, ...lines].join('\n')
    if (lines.includes('systemctl reboot')) return await lab.restart(name, script)
    const { status, stderr, stdout } = await lab.asRoot(name, script, {
      DEBIAN_FRONTEND: 'noninteractive',
      HOME: '/root',
    })
    if (status !== 0) refused.push(`${name}: ${what} ended with ${status}: ${`${stdout}\n${stderr}`.slice(-600)}`)
  }

  function writeFiles(
    { name }: CarelessHost,
    set: Readonly<Record<string, string>>,
    variant: RemediationVariant,
  ): void {
    for (const { path, content, mode = '0644' } of variant.files ?? []) {
      const file = join(lab.folder, name, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, filled(content, new Map(Object.entries(set))), { mode: Number.parseInt(mode, 8) })
    }
  }

  /** What the archive of today allows to be shown: right after a point release of Debian, no security update waits. */
  const isShowable = (check: string): boolean =>
    check !== 'vuln.patch-level' || hasPendingUpdate(join(lab.folder, 'careless'))
  const checksOf = ({ fixes }: CarelessHost): readonly string[] =>
    [...new Set(fixes.flatMap(({ check, also = [] }) => [check, ...also]))].filter(isShowable)

  /** What each host showed, by check: the verdict before, where the steps of the plan led to a satisfied one. */
  const seen = (): ReadonlyMap<string, readonly RemediationProof[]> => {
    const proofs = new Map<string, RemediationProof[]>()
    for (const host of CARELESS)
      for (const check of checksOf(host)) {
        const { name, distribution } = host
        const was = before.get(name)?.get(check)
        if (after.get(name)?.get(check) !== 'satisfied' || !DEVIATIONS.includes(was)) continue
        proofs.set(check, [...(proofs.get(check) ?? []), { distribution, before: was as RemediationProof['before'] }])
      }
    return proofs
  }

  test('what is settled by the steps of another check has the same steps', () => {
    for (const { check, title, also = [] } of CARELESS.flatMap(({ fixes }) => fixes))
      for (const other of also) {
        expect(remediationOf(check)?.alsoSettles).toContain(other)
        const steps = [check, other].map((id) => remediationOf(id)?.steps.filter((one) => one.title === title))
        expect(steps[1]).toEqual(steps[0])
      }
  })

  test('every line of the steps ran', () => expect(refused).toEqual([]))

  test('each check that the plan is about deviated before and is satisfied after', () => {
    const told = CARELESS.flatMap((host) =>
      checksOf(host).map((check) => ({
        check: `${host.name}: ${check}`,
        was: before.get(host.name)?.get(check),
        is: after.get(host.name)?.get(check),
      })),
    )
    const wrong = told.filter(({ was, is }) => is !== 'satisfied' || !DEVIATIONS.includes(was))
    expect(wrong).toEqual([])
  })

  test('the data names exactly these proofs', () => {
    const stated = REMEDIATIONS.filter(({ check }) => isShowable(check)).flatMap(({ check, proven = [] }) =>
      proven.map(({ distribution, before }) => `${check}: ${distribution}, ${before}`),
    )
    const shown = [...seen()].flatMap(([check, proofs]) =>
      proofs.map(({ distribution, before }) => `${check}: ${distribution}, ${before}`),
    )
    expect(shown.sort()).toEqual(stated.sort())
  })
})
