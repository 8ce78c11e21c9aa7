import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Assessment } from '../../schemas/types.ts'
import { whyNoHosts } from '../support/hosts/base.ts'
import { judge, type Outcome, statementsOf } from '../support/hosts/judge.ts'
import { type Lab, startLab } from '../support/hosts/lab.ts'
import { describeUnless } from '../support/needing.ts'
import { EVERY_HOST, MATRIX } from './matrix.ts'

const CLI = 'out/main/cli.js'
const missing = whyNoHosts() ?? (existsSync(CLI) ? null : `${CLI} is not built`)
/** Only these hosts, for work on one of them; the whole matrix without it. */
const only = process.env.HOSTS?.split(',')
const hosts = MATRIX.filter(({ name }) => only?.includes(name) ?? true)

interface LocationVerdict {
  readonly node: string
  readonly check: string
  readonly outcome: Outcome
  readonly line: string
}

describeUnless(missing, 'real hosts', () => {
  let lab: Lab
  let assessment: Assessment
  let judged: readonly LocationVerdict[] = []

  beforeAll(async () => {
    lab = await startLab(hosts)
    const nodes = hosts.flatMap(({ name, roster = [], services = [], alsoAt = {} }) => {
      const { address, hostKey } = lab.hosts.get(name) ?? { address: '', hostKey: '' }
      return Object.entries({ [name]: 22, ...alsoAt }).map(([node, port]) => ({
        name: node,
        address,
        port,
        user: 'bwaudit',
        hostKey,
        identityFile: lab.clientKey,
        sudo: true,
        roster: ['root', 'bwaudit', ...roster],
        services: [{ port: 22, protocol: 'tcp', name: 'SSH' }, ...services],
      }))
    })
    const fleet = join(lab.folder, 'fleet.json')
    writeFileSync(fleet, JSON.stringify({ name: 'hosts', nodes }))
    const out = process.env.HOSTS_OUT ?? join(lab.folder, 'out')
    mkdirSync(out, { recursive: true })
    const collected = await lab.run([process.execPath, CLI, 'collect', '--fleet', fleet, '--out', out])
    expect([0, 4], collected.stderr).toContain(collected.status)
    const evidence = join(out, 'evidence')
    const run =
      readdirSync(evidence)
        .filter((name) => /^\d{8}t/.test(name))
        .sort()
        .at(-1) ?? ''
    const recordings = readdirSync(join(evidence, run)).map((node) => join(evidence, run, node))
    const assessed = await lab.run([process.execPath, CLI, 'assess', ...recordings, '--fleet', fleet, '--json'])
    expect([0, 3, 4], assessed.stderr).toContain(assessed.status)
    if (process.env.HOSTS_OUT !== undefined) writeFileSync(join(out, 'assessment.json'), assessed.stdout)
    assessment = JSON.parse(assessed.stdout) as Assessment
    judged = hosts.flatMap(({ name, alsoAt = {}, statements }) =>
      [name, ...Object.keys(alsoAt)].flatMap((node) => {
        const findings = new Map(
          assessment.nodes.find((one) => one.node === node)?.results.map(({ check, verdict }) => [check, verdict]),
        )
        return statementsOf(EVERY_HOST, statements).map((statement) => {
          const verdict = findings.get(statement.check)
          const outcome = judge(statement, verdict)
          const { check, truth, because, undecidedIf } = statement
          const why = outcome === 'undecided' ? ` (${undecidedIf})` : ''
          return { node, check, outcome, line: `${node}: ${check} ${truth}, judged ${verdict}: ${because}${why}` }
        })
      }),
    )
    const of = (outcome: Outcome) => judged.filter((one) => one.outcome === outcome)
    process.stdout.write(
      `\n${judged.length} statements about ${hosts.length} hosts: ${of('right').length} right, ${of('false support').length} false supports, ` +
        `${of('false deviation').length} false deviations, ${of('missing answer').length} missing answers, ${of('undecided').length} undecided\n` +
        of('undecided')
          .map(({ line }) => `  undecided: ${line}\n`)
          .join(''),
    )
  })
  afterAll(async () => await lab?.stop())

  const linesOf = (outcome: Outcome) => judged.filter((one) => one.outcome === outcome).map(({ line }) => line)

  test('nothing that is not so is supported', () => expect(linesOf('false support')).toEqual([]))
  test('no deviation is reported where there is none', () => expect(linesOf('false deviation')).toEqual([]))
  test('what is configured in plain sight is decided', () => expect(linesOf('missing answer')).toEqual([]))
  test('a host that is declared twice is one machine, and its clone another with the same key', () => {
    const names = new Set(assessment.nodes.map(({ node }) => node))
    const declared = (sets: readonly (readonly string[])[]) =>
      sets.filter((set) => set.every((name) => names.has(name)))
    const { machines = [], hostKeys = [] } = assessment.shared ?? {}
    expect(machines.map(({ nodes }) => nodes)).toEqual(declared([['second', 'second-by-2222']]))
    expect(hostKeys.map(({ nodes }) => nodes.map(({ node }) => node))).toEqual(declared([['clone', 'hardened']]))
    for (const { nodes } of hostKeys) expect(nodes.map(({ machine }) => machine)).not.toContain(null)
  })
  test.skipIf(only !== undefined)('there are enough hosts and statements for that to mean something', () => {
    expect(hosts.length).toBeGreaterThanOrEqual(8)
    expect(judged.length).toBeGreaterThanOrEqual(200)
  })
})
