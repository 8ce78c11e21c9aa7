import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { collectCommand } from '../main/cli/commands/collect.ts'
import { runCommand } from '../main/cli/commands/run.ts'
import type { Ports } from '../main/core/all-ports.ts'
import { fail } from '../main/core/base/failure.ts'
import type { Assessment } from '../schemas/types.ts'
import { commandLine } from './support/command-line.ts'
import { createFakePorts } from './support/fake-ports.ts'
import { folderOfTest } from './support/folders.ts'
import { must } from './support/outcomes.ts'

// `run` and `collect` from the command line on, over nodes that are made up: everything but their answers is real.
const PASSPHRASE = 'correct horse battery'
let keys = ''
let folder = ''
let ports: Ports
let contacted: string[] = []
let whenContacted = (): void => undefined
const at = (...parts: string[]): string => join(folder, ...parts)

beforeAll(async () => {
  keys = mkdtempSync(join(tmpdir(), 'bw-run-keys-'))
  const { identities } = createFakePorts()
  must(await identities.create({ folder: keys, name: 'ours', subject: 'Clinic', passphrase: PASSPHRASE }))
})
afterAll(() => rmSync(keys, { recursive: true, force: true }))
beforeEach(() => {
  folder = folderOfTest('run')
  ;[contacted, whenContacted] = [[], () => undefined]
  ports = createFakePorts({
    onConnect: (node) => {
      contacted.push(node)
      whenContacted()
    },
  })
  const nodes = ['gpu-1', 'gpu-2'].map(
    (name) => `  - { name: ${name}, address: 192.0.2.1, user: bw, hostKey: "SHA256:x" }`,
  )
  writeFileSync(
    at('fleet.yaml'),
    `name: clinic\nnodes:\n${nodes.join('\n').replaceAll('SHA256:x', `SHA256:${'A'.repeat(43)}`)}\n`,
  )
  writeFileSync(at('passphrase'), PASSPHRASE, { mode: 0o600 })
})
afterEach(() => vi.restoreAllMocks())

const cli = commandLine(() => ports, runCommand, collectCommand)
const IDENTITY = () => ['--identity', 'ours', '--identity-folder', keys, '--passphrase-file', at('passphrase')]
const run = (...argv: readonly string[]): Promise<number> =>
  cli.run('run', '--fleet', at('fleet.yaml'), '--out', at('out'), '--formats', '', ...argv)
const sealedRuns = (): readonly string[] =>
  existsSync(at('out/chains/clinic/entries.jsonl'))
    ? readFileSync(at('out/chains/clinic/entries.jsonl'), 'utf8').trim().split('\n')
    : []

describe('what sealing needs is checked before a node is contacted', () => {
  test.each<[string, readonly string[]]>([
    ['an identity that was never created', ['--identity', 'nobody']],
    ['a passphrase file that is not there', ['--passphrase-file', '/nowhere/secret']],
    ['a word that names no output', ['--formats', 'everything']],
    ['a word that names no paper', ['--paper', 'legal']],
    ['an authority that is no address', ['--timestamp', 'ftp://tsa.example']],
    ['a place that cannot be made', ['--out', '/proc/x']],
    ['a place that is a file', ['--out', '/etc/passwd']],
  ])('%s', async (_, argv) => {
    expect([2, 4]).toContain(await run(...IDENTITY(), ...argv))
    expect(contacted).toEqual([])
  })

  test('a passphrase file that others can read, and a passphrase that does not open the identity', async () => {
    chmodSync(at('passphrase'), 0o644)
    expect(await run(...IDENTITY())).toBe(2)
    chmodSync(at('passphrase'), 0o600)
    writeFileSync(at('passphrase'), 'another one')
    expect(await run(...IDENTITY())).toBe(2)
    expect(contacted).toEqual([])
  })

  test('the address of an authority in the fleet file', async () => {
    writeFileSync(at('fleet.yaml'), `${readFileSync(at('fleet.yaml'), 'utf8')}timestampAuthority: ftp://tsa.example\n`)
    expect(await run(...IDENTITY())).toBe(2)
    expect(contacted).toEqual([])
  })

  test('an authority that does not answer is reported, and the run continues', async () => {
    const reachable = vi.fn(async () => fail('timestamp.unreachable', 'tsa.example'))
    const stamp = async () => {
      expect(contacted).not.toEqual([])
      return fail('timestamp.unreachable', 'tsa.example')
    }
    ports = { ...ports, timestamps: { ...ports.timestamps, reachable, stamp } }
    whenContacted = () => expect(cli.told).toContain('tsa.example')
    await run(...IDENTITY(), '--timestamp', 'http://tsa.example')
    expect(reachable).toHaveBeenCalledOnce()
    expect(sealedRuns()).toHaveLength(1)
  })

  test('without any identity nothing is contacted; with --json the assessment is printed all the same', async () => {
    expect(await run('--identity-folder', at('none'))).toBe(2)
    expect(contacted).toEqual([])
    expect(await run('--identity-folder', at('none'), '--json')).toBe(2)
    expect((JSON.parse(cli.printed) as Assessment).nodes.map(({ node }) => node)).toEqual(['gpu-1', 'gpu-2'])
    expect(sealedRuns()).toEqual([])
  })

  test('--json prints the assessment of a run that cannot be written, too', async () => {
    ports = { ...ports, packs: { ...ports.packs, write: async () => fail('store.failed', 'the disk is full') } }
    expect(await run(...IDENTITY(), '--json')).toBe(4)
    expect((JSON.parse(cli.printed) as Assessment).nodes).toHaveLength(2)
  })
})

const runsIn = (): readonly string[] => readdirSync(at('out/evidence')).filter((name) => /^\d{8}t/.test(name))

describe('Ctrl-C', () => {
  const stopAtFirst = (): void => {
    whenContacted = () => {
      if (contacted.length === 1) process.emit('SIGINT')
    }
  }

  test('reports what it does, seals nothing and ends with 130; --resume continues and seals once', async () => {
    stopAtFirst()
    expect(await run(...IDENTITY())).toBe(130)
    expect(cli.told).toMatch(/Ctrl-C again/)
    expect(sealedRuns()).toEqual([])
    const runs = runsIn()
    whenContacted = () => undefined
    await run(...IDENTITY(), '--resume')
    expect(runsIn()).toEqual(runs)
    expect(sealedRuns()).toHaveLength(1)
  })

  test('--resume continues the run that was stopped, not a sealed run of a clock that ran ahead', async () => {
    let clock = '2027-11-30T08:00:00.000Z'
    ports = createFakePorts({
      now: () => clock,
      onConnect: (node) => {
        contacted.push(node)
        whenContacted()
      },
    })
    await run(...IDENTITY())
    const ahead = runsIn()
    clock = '2026-11-30T08:00:00.000Z'
    contacted = []
    stopAtFirst()
    expect(await run(...IDENTITY())).toBe(130)
    expect(sealedRuns()).toHaveLength(1)
    whenContacted = () => undefined
    await run(...IDENTITY(), '--resume')
    expect(cli.told).toContain(`${ahead[0]} is dated in the future and sealed`)
    expect(sealedRuns()).toHaveLength(2)
    expect(runsIn()).toHaveLength(2)
  })

  test('collect ends with 130, too', async () => {
    stopAtFirst()
    expect(await cli.run('collect', '--fleet', at('fleet.yaml'), '--out', at('out'))).toBe(130)
  })

  test('the second time, the program ends at once', async () => {
    const exit = vi.spyOn(process, 'exit').mockImplementation((() => undefined) as unknown as typeof process.exit)
    whenContacted = () => {
      process.emit('SIGINT')
      process.emit('SIGINT')
    }
    mkdirSync(at('out'))
    await run(...IDENTITY())
    expect(exit).toHaveBeenCalledWith(130)
  })

  test('no listener is left behind', async () => {
    const before = process.listenerCount('SIGINT')
    await run(...IDENTITY())
    expect(process.listenerCount('SIGINT')).toBe(before)
  })
})
