import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateRawSync, inflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ALSO } from '../../main/app/export/output-files.ts'
import type { Rule } from '../../main/core/collector/redact-parts.ts'
import { filesBelow } from '../support/files-below.ts'
import { whyNoHosts } from '../support/hosts/base.ts'
import { plant, VISIBLE } from '../support/hosts/canaries.ts'
import { type Lab, type Ran, startLab } from '../support/hosts/lab.ts'
import { namesOfContainer, runContainer } from '../support/hosts/podman.ts'
import { describeUnless, testUnless } from '../support/needing.ts'

const CLI = 'out/main/cli.js'
const missing = whyNoHosts() ?? (existsSync(CLI) ? null : `${CLI} is not built`)
const hasFaketime = spawnSync('faketime', ['--version']).error === undefined
const noPoppler = spawnSync('pdftotext', ['-v'], { stdio: 'ignore' }).error !== undefined

/** The ways in which a text may stand in a file: as it is, in hexadecimal, and in base64 at each of its three offsets. */
function forms(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'latin1')
  const inBase64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    // The characters at both ends hold bits of what stands beside it.
    return text.slice(offset === 0 ? 0 : 4, Math.floor(((offset + bytes.length) * 8) / 6) - 1)
  })
  const hex = bytes.toString('hex')
  return [
    secret,
    hex,
    hex.toUpperCase(),
    ...inBase64,
    ...inBase64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ]
}

/** A file, and what lies compressed in it: entries of archives, streams of PDF files, and those in these. */
function* layers(bytes: Buffer, depth = 0): Generator<Buffer> {
  yield bytes
  if (depth > 3) return
  for (let at = bytes.indexOf('PK\x03\x04', 0, 'latin1'); at >= 0; at = bytes.indexOf('PK\x03\x04', at + 4, 'latin1')) {
    if (at + 30 > bytes.length || bytes.readUInt16LE(at + 8) !== 8) continue
    const data = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28)
    const inner = unpacked(() => inflateRawSync(bytes.subarray(data)))
    if (inner !== null) yield* layers(inner, depth + 1)
  }
  if (bytes.subarray(0, 5).toString('latin1') !== '%PDF-') return
  for (let at = bytes.indexOf('stream\n', 0, 'latin1'); at >= 0; at = bytes.indexOf('stream\n', at + 7, 'latin1')) {
    const inner = unpacked(() => inflateSync(bytes.subarray(at + 7)))
    if (inner !== null) yield* layers(inner, depth + 1)
  }
}

function unpacked(inflate: () => Buffer): Buffer | null {
  try {
    return inflate()
  } catch {
    return null
  }
}

describeUnless(missing, 'a host full of secrets', () => {
  const planted = plant()
  const said: (Ran & { readonly argv: string })[] = []
  let lab: Lab
  let out = ''
  /** What the program of a collection prints on the node, before anything of ours has read it. */
  let raw = Buffer.alloc(0)
  let container = { id: '', said: '' }

  /** Runs the product, and keeps what it says. */
  const cli = async (...argv: readonly string[]): Promise<Ran> => {
    const ran = await lab.run([process.execPath, CLI, ...argv])
    said.push({ ...ran, argv: argv.join(' ') })
    return ran
  }

  beforeAll(async () => {
    lab = await startLab([{ name: 'canary', suite: 'trixie', setup: planted.setup, network: planted.network }])
    container = await runContainer(lab, 'canary', planted.canaries)
    const at = (name: string): string => join(lab.folder, name)
    out = at('out')
    const { address, hostKey } = lab.hosts.get('canary') ?? { address: '', hostKey: '' }
    const node = { name: 'canary', address, user: 'bwaudit', hostKey, identityFile: lab.clientKey, sudo: true }
    writeFileSync(at('fleet.json'), JSON.stringify({ name: 'canaries', nodes: [node] }))
    writeFileSync(at('secret'), 'correct horse battery\n', { mode: 0o600 })
    const signing = ['--identity-folder', at('identities'), '--passphrase-file', at('secret')]
    const fleet = ['--fleet', at('fleet.json'), '--out', out]
    const made = await cli('identity', 'create', 'acme', '--subject', 'Acme', ...signing)
    expect(made.status, made.stderr).toBe(0)
    const ran = await cli('run', ...fleet, ...signing, '--formats', ALSO.join(','), '--json')
    expect([0, 3, 4], ran.stderr).toContain(ran.status)
    await cli('run', ...fleet, ...signing)
    const packs = filesBelow(out).filter((file) => file.endsWith('.barewitness.zip'))
    expect(packs.length).toBeGreaterThan(0)
    for (const pack of packs) await cli('verify', pack, '--json')
    const today = new Date().toISOString().slice(0, 10)
    await cli('history', 'list', '--out', out, '--json')
    await cli('history', 'drift', '--out', out)
    // An account is given of days that are over.
    if (hasFaketime) {
      const later = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 19).replace('T', ' ')
      const days = ['--from', today, '--to', today, '--to-folder', join(out, 'period'), '--sample', 'runs:1:seed']
      const argv = [CLI, 'history', 'period', '--out', out, ...signing, ...days, '--json']
      const period = await lab.run(['faketime', later, process.execPath, ...argv])
      expect([0, 3, 4], period.stderr).toContain(period.status)
      said.push({ ...period, argv: argv.join(' ') })
    }
    // The way over a file that a person carries, too.
    const script = await cli('collect', '--script', '--sudo')
    writeFileSync(at('collector.sh'), script.stdout)
    const ssh = `ssh -i '${lab.clientKey}' -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null bwaudit@${address}`
    await lab.run(['sh', '-c', `${ssh} sh -s <'${at('collector.sh')}' >'${at('node.out')}' 2>'${at('node.out.err')}'`])
    await lab.run(['sh', '-c', `${ssh} cat /proc/mounts /proc/cmdline >'${at('state')}'`])
    await cli(
      'collect',
      '--import',
      at('node.out'),
      '--node',
      'canary',
      '--fleet',
      at('fleet.json'),
      '--out',
      join(out, 'carried'),
    )
    raw = Buffer.concat([readFileSync(at('node.out')), readFileSync(at('node.out.err'))])
  })
  afterAll(async () => await lab?.stop())

  const found = (text: string | Buffer, secrets: readonly { readonly name: string; readonly secret: string }[]) =>
    secrets.filter(({ secret }) => forms(secret).some((form) => text.includes(form))).map(({ name }) => name)
  const { canaries } = planted
  const of = (fate: 'reached' | 'kept') => canaries.filter((canary) => canary.fate === fate)

  test('there are enough of them, no two alike', () => {
    expect(canaries.length).toBeGreaterThanOrEqual(40)
    expect(new Set(canaries.map(({ secret }) => secret)).size).toBe(canaries.length)
  })

  test('a name that is no secret is found by the same search: in recordings, packs, tables and workbooks', () => {
    const visible = [{ name: VISIBLE, secret: VISIBLE }]
    const holding = filesBelow(out).filter((file) =>
      [...layers(readFileSync(file))].some((part) => found(part, visible).length > 0),
    )
    for (const kind of [/evidence\/.*\/sha256\//, /\.barewitness\.zip$/, /\.xlsx$/, /\.pdf$/, /\.csv$/])
      expect(
        holding.filter((file) => kind.test(file)),
        String(kind),
      ).not.toEqual([])
  })

  test('the search sees a secret that is encoded', () => {
    const [canary] = canaries
    for (const before of ['', 'x', 'xy'])
      for (const encoding of ['hex', 'base64', 'base64url'] as const)
        expect(found(Buffer.from(`${before}${canary?.secret} y`).toString(encoding), canaries)).toEqual([canary?.name])
  })

  test('what the node prints holds those that are to be masked, and none that are cut or never asked for', () => {
    const state = readFileSync(join(lab.folder, 'state'))
    expect(found(state, canaries).sort()).toEqual(['kernel command line', 'mount source', 'said at login'])
    expect(found(raw, of('reached')).sort()).toEqual(
      of('reached')
        .map(({ name }) => name)
        .sort(),
    )
    expect(found(raw, of('kept')).filter((name) => name !== 'said at login')).toEqual([])
  })

  test('a container with secrets in its arguments and its environment runs, and is among what the node prints', () => {
    expect(raw.includes(container.id)).toBe(true)
    expect(found(container.said, canaries)).toEqual(expect.arrayContaining([...namesOfContainer]))
  })

  test('none is left of what Podman and ps print of the container', async () => {
    const { redact } = await import('../../main/core/collector/redact.ts')
    const said = Buffer.from(redact(Buffer.from(container.said)).bytes)
    expect(found(said, canaries)).toEqual([])
    expect(found(said, [{ name: 'id', secret: container.id }])).toEqual(['id'])
  })

  testUnless(hasFaketime ? null : 'faketime is not installed', 'an account of the period is written', () =>
    expect(filesBelow(join(out, 'period')).filter((file) => /\.(zip|pdf)$/.test(file)).length).toBeGreaterThan(1),
  )

  test('none is in any file that the product wrote', () => {
    const files = filesBelow(out)
    expect(files.length).toBeGreaterThan(50)
    const leaks = files.flatMap((file) =>
      [...layers(readFileSync(file))].flatMap((part) => found(part, canaries).map((name) => `${file}: ${name}`)),
    )
    expect([...new Set(leaks)]).toEqual([])
  })

  testUnless(noPoppler ? 'poppler-utils is not installed' : null, 'none is on a page of a report', () => {
    for (const file of filesBelow(out).filter((name) => name.endsWith('.pdf'))) {
      const { stdout } = spawnSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8', maxBuffer: 1 << 28 })
      expect(stdout.length).toBeGreaterThan(1000)
      // A long word is broken over lines.
      expect(found(stdout.replaceAll(/\s+/g, ''), canaries)).toEqual([])
    }
  })

  test('none is in what the product printed', () => {
    const words = said.map(({ argv, stdout, stderr }) => ({ argv, names: found(stdout + stderr, canaries) }))
    expect(words.filter(({ names }) => names.length > 0)).toEqual([])
  })

  test('none is left of an answer that a person carried', async () => {
    const { redact } = await import('../../main/core/collector/redact.ts')
    const { bytes, classes } = redact(raw)
    expect(found(Buffer.from(bytes), of('reached'))).toEqual([])
    expect(Object.keys(classes)).toEqual(expect.arrayContaining(['command-arguments', 'key-option', 'server-setting']))
  })

  test('the recording states what was masked, by class', () => {
    const lines = filesBelow(join(out, 'evidence')).filter((file) => file.endsWith('captures.jsonl'))
    const stated = lines.flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as { probe: string; masked?: Record<string, number> }),
    )
    const classes = new Map(stated.map(({ probe, masked = {} }) => [probe, Object.keys(masked)]))
    expect(classes.get('sshd.effective')).toContain('server-setting')
    expect(classes.get('authorized-keys')).toBeDefined()
    expect(stated.some(({ masked }) => masked?.['key-option'] !== undefined)).toBe(true)
    expect(classes.get('sudoers.rules')).toContain('command-arguments')
  })

  describe('with one class switched off, a secret comes through', () => {
    const classes = [
      'command-arguments',
      'key-option',
      'server-setting',
      'url-credentials',
      'token',
      'cloud-key',
      'password',
    ] as const
    test('command lines', async () => {
      vi.resetModules()
      vi.doMock('../../main/core/collector/redact-command-lines.ts', () => ({
        withoutCommandLineSecrets: (text: string) => text,
      }))
      const { redact } = await import('../../main/core/collector/redact.ts')
      vi.doUnmock('../../main/core/collector/redact-command-lines.ts')
      const left = found(Buffer.from(redact(raw).bytes), of('reached'))
      expect(left).toEqual(expect.arrayContaining(['description of a failed unit', 'description of a timer']))
    })
    test.each(classes)('%s', async (off) => {
      vi.resetModules()
      vi.doMock('../../main/core/collector/redact-rules.ts', async (original) => {
        const { RULES } = await original<{ RULES: readonly Rule[] }>()
        return { RULES: RULES.filter((rule) => rule.class !== off) }
      })
      const { redact } = await import('../../main/core/collector/redact.ts')
      vi.doUnmock('../../main/core/collector/redact-rules.ts')
      expect(found(Buffer.from(redact(raw).bytes), of('reached'))).not.toEqual([])
    })
  })
})
