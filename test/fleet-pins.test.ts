import { createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { createPorts } from '../main/adapters/ports.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { completionFor } from '../main/cli/commands/completion.ts'
import { fleetCommand } from '../main/cli/commands/fleet.ts'
import { COMMANDS } from '../main/cli/commands.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { decidedPin, fingerprintOf, pinInKnownHosts, pinInList } from '../main/core/fleet/known-hosts.ts'
import { commandLine } from './support/command-line.ts'
import { folderOfTest } from './support/folders.ts'
import { must } from './support/outcomes.ts'

const blob = (type: string, seed: number): Buffer => {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(type.length)
  return Buffer.concat([head, Buffer.from(type), Buffer.alloc(40, seed)])
}

const line = (hosts: string, type: string, seed: number, marker = ''): string =>
  `${marker}${hosts} ${type} ${blob(type, seed).toString('base64')}`
const ED = 'ssh-ed25519'
const print = (type: string, seed: number): string => fingerprintOf(blob(type, seed))
const hashed = (name: string): string => {
  const salt = Buffer.alloc(20, 7)
  return `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`
}

const node = { name: 'gpu-1', address: '192.0.2.1' }
const known = (...lines: readonly string[]) => [{ file: 'known_hosts', text: lines.join('\n') }]

describe('a pin from known_hosts', () => {
  test.each<[string, readonly string[], unknown]>([
    [
      'by address',
      [line('192.0.2.1', ED, 1)],
      { kind: 'found', fingerprint: print(ED, 1), from: 'known_hosts line 1' },
    ],
    ['by name', [line('gpu-1', ED, 1)], { kind: 'found', fingerprint: print(ED, 1) }],
    ['hashed', ['# x', line(hashed('192.0.2.1'), ED, 1)], { kind: 'found', from: 'known_hosts line 2' }],
    [
      'the type that is asked for first',
      [line('192.0.2.1', 'ssh-rsa', 2), line('192.0.2.1', ED, 1)],
      { fingerprint: print(ED, 1) },
    ],
    ['two of one type', [line('192.0.2.1', ED, 1), line('192.0.2.1', ED, 2)], { kind: 'ambiguous' }],
    ['the same twice', [line('192.0.2.1', ED, 1), line('gpu-1,192.0.2.1', ED, 1)], { kind: 'found' }],
    ['revoked', [line('192.0.2.1', ED, 1), line('*', ED, 1, '@revoked ')], { kind: 'revoked' }],
    ['another revoked', [line('192.0.2.1', ED, 1), line('*', ED, 2, '@revoked ')], { kind: 'found' }],
    ['an authority', [line('*', ED, 3, '@cert-authority ')], { kind: 'authority' }],
    ['another port', [line('[192.0.2.1]:2222', ED, 1)], { kind: 'none' }],
    ['nothing', [], { kind: 'none' }],
  ])('%s', (_, lines, expected) => {
    expect(pinInKnownHosts(node, known(...lines))).toMatchObject(expected as object)
  })
  test('of a server on another port, only a key of that port', () => {
    const door = { ...node, port: 2222 }
    expect(pinInKnownHosts(door, known(line('192.0.2.1', ED, 1))).kind).toBe('none')
    expect(pinInKnownHosts(door, known(line('[192.0.2.1]:2222', ED, 1))).kind).toBe('found')
    expect(pinInKnownHosts(door, known(line(hashed('[192.0.2.1]:2222'), ED, 1))).kind).toBe('found')
  })
})

describe('a pin from a provider’s list', () => {
  const [one, two] = [print(ED, 1), print(ED, 2)]
  const list = (text: string) => pinInList(node, [{ file: 'keys.csv', text }])
  test.each<[string, string, unknown]>([
    ['a table', `server,fingerprint\ngpu-2,${two}\nGPU-1,${one}\n`, { fingerprint: one, from: 'keys.csv line 3' }],
    ['quoted', `"192.0.2.1";"ED25519";"${one}"`, { fingerprint: one }],
    ['as ssh-keygen -l prints it', `256 ${one} 192.0.2.1 (ED25519)`, { fingerprint: one }],
    ['types', `gpu-1 rsa ${two}\ngpu-1 ed25519 ${one}`, { fingerprint: one }],
    ['two without types', `gpu-1 ${two}\ngpu-1 ${one}`, { kind: 'ambiguous' }],
    ['another name that begins so', `gpu-10 ${two}`, { kind: 'none' }],
    ['a remark', `# gpu-1 ${one}`, { kind: 'none' }],
    ['no fingerprint', 'gpu-1 MD5:00', { kind: 'none' }],
  ])('%s', (_, text, expected) => {
    expect(list(text)).toMatchObject(expected as object)
  })
  test('any text ends in an answer', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(list(text)).toHaveProperty('kind')
        expect(pinInKnownHosts(node, known(text))).toHaveProperty('kind')
      }),
    )
  })
  test('a pin that is there is never changed', () => {
    const found = { kind: 'found', fingerprint: one, from: 'x' } as const
    expect(decidedPin(undefined, found)).toBe(found)
    expect(decidedPin(one, found).kind).toBe('already')
    expect(decidedPin(two, found).kind).toBe('other')
    expect(decidedPin(two, { kind: 'none' }).kind).toBe('none')
  })
})

describe('at the command line', () => {
  let folder = ''
  const at = (name: string): string => join(folder, name)
  beforeEach(() => {
    folder = folderOfTest('pins')
  })
  const ports = createPorts(catalog)
  const cli = commandLine(() => ports, fleetCommand)
  const fleet = (...argv: readonly string[]): Promise<number> => cli.run('fleet', ...argv)
  const keyOf = async (name: string): Promise<string | undefined> => {
    const read = must(await ports.fleets.read(at(name)))
    return read.fleet.nodes[0]?.hostKey
  }

  test.each<[string, string]>([
    ['fleet.yaml', '# ours\nname: x\nnodes:\n  - name: gpu-1 # first\n    address: 192.0.2.1\n    user: a\n'],
    ['flow.yaml', 'name: x\nnodes:\n  - { name: gpu-1, address: 192.0.2.1, user: a } # first\n'],
    ['fleet.json', '{"name":"x","nodes":[{"name":"gpu-1","address":"192.0.2.1","user":"a"}]}'],
  ])('%s gets its pins, and keeps what else is in it', async (name, text) => {
    writeFileSync(at(name), text)
    writeFileSync(at('known'), line('192.0.2.1', ED, 1))
    expect(await fleet('trust', at(name), '--from-known-hosts', at('known'), '--json')).toBe(0)
    expect(JSON.parse(cli.printed)).toMatchObject([{ node: 'gpu-1', kind: 'found', fingerprint: print(ED, 1) }])
    expect(await keyOf(name)).toBe(print(ED, 1))
    if (name.endsWith('yaml')) expect(readFileSync(at(name), 'utf8')).toContain('# first')
    const pinned = readFileSync(at(name), 'utf8')
    writeFileSync(at('list'), `gpu-1 ${print(ED, 2)}`)
    expect(await fleet('trust', at(name), '--list', at('list'))).toBe(4)
    expect(readFileSync(at(name), 'utf8')).toBe(pinned)
  })

  test('an import pins keys, writes YAML, and reports problems by its exit code', async () => {
    writeFileSync(at('nodes.csv'), 'name,address,user\ngpu-1,192.0.2.1,a\n')
    writeFileSync(at('known'), line('192.0.2.1', ED, 1))
    const argv = ['--out', at('made.yaml'), '--sudo', '--known-hosts', at('known')]
    expect(await fleet('import', at('nodes.csv'), ...argv)).toBe(0)
    expect(readFileSync(at('made.yaml'), 'utf8')).toMatch(/^name: /)
    expect(await keyOf('made.yaml')).toBe(print(ED, 1))
    expect(await fleet('show', at('made.yaml'))).toBe(0)
    expect(cli.printed).toContain(print(ED, 1))
    writeFileSync(at('nodes.csv'), 'name,address,user\ngpu-1,192.0.2.1,a\ngpu-2,,a\n')
    expect(await fleet('import', at('nodes.csv'), '--out', at('again.yaml'))).toBe(4)
  })

  test('an ssh configuration pins from the files that it names for a host', async () => {
    const hosts = ['gpu-1', 'gpu-2'].map(
      (name) =>
        `Host ${name}\n  HostName 192.0.2.1\n  Port 22${name.at(-1)}\n  UserKnownHostsFile ${at(name)} /dev/null\n`,
    )
    writeFileSync(at('config'), hosts.join(''))
    writeFileSync(at('gpu-1'), line('[192.0.2.1]:221', ED, 1))
    const argv = [at('config'), '--kind', 'ssh-config', '--out', at('made.json')]
    expect(await fleet('import', ...argv)).toBe(0)
    const made = JSON.parse(readFileSync(at('made.json'), 'utf8')) as { readonly nodes: readonly object[] }
    expect(made.nodes).toMatchObject([{ name: 'gpu-1', hostKey: print(ED, 1) }, { name: 'gpu-2' }])
    expect(made.nodes[1]).not.toHaveProperty('hostKey')
    writeFileSync(at('gpu-2'), line('[192.0.2.1]:222', ED, 2))
    // What is named on the command line stands in the place of all of them.
    expect(await fleet('import', ...argv, '--known-hosts', at('gpu-2'))).toBe(0)
    const again = JSON.parse(readFileSync(at('made.json'), 'utf8')) as { readonly nodes: readonly object[] }
    expect(again.nodes[0]).not.toHaveProperty('hostKey')
    expect(again.nodes[1]).toMatchObject({ hostKey: print(ED, 2) })
  })

  describe('keys that were decided about before', () => {
    const trusted = async () => {
      const read = must(await ports.fleets.read(at('fleet.json')))
      const targets = read.targets({})
      const key = { type: ED, fingerprint: print(ED, 1), blob: blob(ED, 1) }
      return await Promise.all(targets.map((target) => ports.hostKeys.decide(target, key)))
    }
    const howOf = async (): Promise<readonly string[]> =>
      (await trusted()).map((judged) => (judged.ok ? judged.value.trust.how : judged.error.code))
    beforeEach(() => {
      const nodes = ['1', '2'].map((at) => ({ name: `gpu-${at}`, address: `192.0.2.${at}`, user: 'a' }))
      writeFileSync(at('fleet.json'), JSON.stringify({ name: 'x', nodes }))
      const decided = ['1', '2'].map((at) => `${line(`192.0.2.${at}`, ED, 1)} 2026-11-01 asked M. Ortiz`)
      writeFileSync(at('fleet.json.known_hosts'), `${decided.join('\n')}\n`)
    })

    test('become compared keys by a list, which is kept as evidence; the fleet file stays as it is', async () => {
      expect(await howOf()).toEqual(['decision', 'decision'])
      const before = readFileSync(at('fleet.json'), 'utf8')
      writeFileSync(at('list'), `gpu-1,${print(ED, 1)}\ngpu-2,${print(ED, 2)}\n`)
      const argv = ['--list', at('list'), '--verified-by', 'from the portal, by M. Ortiz', '--json']
      // The list holds another key of gpu-2: its decision stays one, and the key of the list is pinned for it.
      await fleet('trust', at('fleet.json'), ...argv)
      expect(JSON.parse(cli.printed)[0]).toMatchObject({ node: 'gpu-1', kind: 'compared', fingerprint: print(ED, 1) })
      expect((await howOf())[0]).toBe('list')
      const [judged] = await trusted()
      expect(judged?.ok === true ? judged.value.trust : null).toMatchObject({
        detail: expect.stringContaining('from the portal, by M. Ortiz'),
        list: { line: 1, sha256: sha256(readFileSync(at('list'))) },
      })
      const kept = at(`fleet.json.known_hosts.lists/${sha256(readFileSync(at('list')))}.txt`)
      expect(readFileSync(kept, 'utf8')).toBe(readFileSync(at('list'), 'utf8'))
      expect(readFileSync(at('fleet.json'), 'utf8')).not.toContain(print(ED, 1))
      expect(before).not.toContain('hostKey')
    })

    test('stay decisions where the words are missing or empty, or the list holds a secret', async () => {
      writeFileSync(at('list'), `gpu-1,${print(ED, 1)}\n-----BEGIN OPENSSH PRIVATE KEY-----\n`)
      expect(await fleet('trust', at('fleet.json'), '--list', at('list'), '--verified-by', 'portal')).toBe(2)
      writeFileSync(at('list'), `gpu-1,${print(ED, 1)}\n`)
      expect(await fleet('trust', at('fleet.json'), '--list', at('list'), '--verified-by', ' ')).toBe(2)
      expect(await fleet('trust', at('fleet.json'), '--from-known-hosts', at('list'), '--verified-by', 'portal')).toBe(
        2,
      )
      expect(await howOf()).toEqual(['decision', 'decision'])
    })

    test('of two types, each is compared with its own line', async () => {
      const rsa = `${line('192.0.2.1', 'ssh-rsa', 5)} 2026-11-01 asked`
      const both = `${line('192.0.2.1', ED, 1)} 2026-11-01 asked\n${rsa}\n`
      writeFileSync(at('fleet.json.known_hosts'), both)
      writeFileSync(at('list'), `gpu-1 ${print('ssh-rsa', 5)}\ngpu-1 ${print(ED, 1)}\n`)
      await fleet('trust', at('fleet.json'), '--list', at('list'), '--verified-by', 'from the portal')
      const lines = readFileSync(at('fleet.json.known_hosts'), 'utf8')
      expect(lines).toMatch(/ssh-rsa \S+ \S+ list:[0-9a-f]{64}:1 /)
      expect(lines).toMatch(/ssh-ed25519 \S+ \S+ list:[0-9a-f]{64}:2 /)
    })
  })

  test('one decision takes all three of its options', async () => {
    writeFileSync(at('fleet.json'), '{"name":"x","nodes":[{"name":"gpu-1","address":"192.0.2.1","user":"a"}]}')
    expect(await fleet('trust', at('fleet.json'), '--node', 'gpu-1')).toBe(2)
  })
})

test('every command is completed, in each shell', () => {
  const program = new Command('barewitness')
  for (const add of COMMANDS) add({ ports: createPorts(catalog), program, exit: () => undefined })
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const script = completionFor(shell, program)
    for (const word of ['history period', 'fleet trust', 'from-known-hosts', 'completion'])
      expect(script).toContain(word)
  }
})
