import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { sudoProgram } from '../main/catalog/access/sudo/probes.ts'
import { catalog } from '../main/catalog/definition/index.ts'
import { sudoersOfNode } from '../main/cli/commands/catalog.ts'
import { absentPrograms, rootCommands, sudoersFor } from '../main/core/collector/sudoers.ts'
import { type Answer, readProbe, runAsRoot } from '../main/core/recording/probe.ts'
import type { CapturedAnswer, LoadedRecording } from '../main/core/recording/recording.ts'
import type { Capture } from '../schemas/types.ts'
import { fixtureRecording } from './support/fixtures.ts'

/** The drop-in for one node: its programs, its sudo. What sudo-rs reads was tried with sudo-rs 0.2.13 of Ubuntu 26.04. */

const hasVisudo = spawnSync('visudo', ['-V']).status === 0
const checked = (input: string): string => {
  const { status, stdout, stderr } = spawnSync('visudo', ['-cf', '-'], { input, encoding: 'utf8' })
  return status === 0 ? 'ok' : stdout + stderr
}

const answer = (text: string, exitCode = 0): Answer => ({
  exitCode,
  text,
  errorText: '',
  bytes: new TextEncoder().encode(text),
  seconds: { node: null, collectingComputer: null },
})
const MERGED = answer("'/bin' -> 'usr/bin'\n'/sbin' -> 'usr/sbin'\n")

describe('the sudo program of a node', () => {
  test.each([
    ['Sudo version 1.8.31\nSudoers policy plugin version 1.8.31\n', 'sudo', '1.8.31'],
    ['Sudo version 1.9.5p2\n', 'sudo', '1.9.5p2'],
    ['Sudo version 1.9.17p1\n', 'sudo', '1.9.17p1'],
    ['sudo-rs 0.2.13-0ubuntu1\n', 'sudo-rs', '0.2.13'],
    ['sudo-rs 0.2.8\n', 'sudo-rs', '0.2.8'],
    ['Sudo version 1.9.5\\\nbw ALL=(ALL) ALL', 'sudo', '1.9.5'],
  ])('%j is %s %s', (text, name, version) => {
    expect(sudoProgram.parse({ version: answer(text), folders: MERGED })).toEqual({
      ok: true,
      fact: { name, version, hasMergedFolders: true },
    })
  })
  test.each(['', 'Sudo version \n', 'sudo: invalid option -- V\n', `Sudo version ${'9'.repeat(99)}`])(
    '%j names no version',
    (text) => {
      expect(sudoProgram.parse({ version: answer(text), folders: MERGED }).ok).toBe(false)
    },
  )
  test.each([
    ['links, quoted', "'/bin' -> 'usr/bin'\n'/sbin' -> 'usr/sbin'\n", true],
    ['one folder for all, as Fedora 42 has it', "'/bin' -> 'usr/bin'\n'/sbin' -> 'usr/bin'\n", true],
    ['links, as busybox prints them', "'/bin' -> '/usr/bin'\n'/sbin' -> '/usr/sbin'\n", true],
    ['folders of their own', "'/bin'\n'/sbin'\n", false],
    ['links elsewhere', "'/bin' -> 'opt/bin'\n'/sbin' -> 'opt/sbin'\n", false],
    ['one of each', "'/bin' -> 'usr/bin'\n'/sbin'\n", false],
    ['nothing', '', false],
  ])('%s', (_, text, merged) => {
    const read = sudoProgram.parse({ version: answer('Sudo version 1.9.5p2\n'), folders: answer(text) })
    expect(read.ok && read.fact.hasMergedFolders).toBe(merged)
  })
})

const capture = (argv: readonly string[], changes: Partial<Capture> = {}): CapturedAnswer => ({
  meta: {
    probe: 'x',
    command: argv.join('-'),
    argv: [...argv],
    source: 'node',
    privilege: 'sudo',
    status: 'done',
    exitCode: 0,
    startedAt: '2026-11-20T09:12:00.000Z',
    durationMs: 1,
    stdout: { sha256: '0'.repeat(64), size: 0 },
    stderr: { sha256: '0'.repeat(64), size: 0 },
    ...changes,
  },
  stdout: new Uint8Array(),
  stderr: new Uint8Array(),
})
const base = fixtureRecording('demo-gpu-01', catalog.probes)
const recorded = (...captures: readonly CapturedAnswer[]): LoadedRecording => ({ ...base, captures })
const gone = { exitCode: 127 }

describe('programs that a recorded node does not have', () => {
  test.each<[string, readonly CapturedAnswer[], readonly string[]]>([
    ['not found', [capture(['nft'], gone)], ['nft']],
    ['answered', [capture(['nft'])], []],
    ['failed', [capture(['nft'], { exitCode: 1 })], []],
    ['found once, and once not', [capture(['nft', 'a'], gone), capture(['nft', 'b'])], []],
    ['there, and we had no right to run it', [capture(['nft'], { status: 'not-run', exitCode: null })], []],
    ['cut off', [capture(['nft'], { status: 'timed-out', exitCode: 124 })], []],
    ['never answered', [capture(['nft'], { status: 'lost', exitCode: null })], []],
    [
      'never answered, and once not found',
      [capture(['nft', 'a'], gone), capture(['nft'], { status: 'lost' })],
      ['nft'],
    ],
    ['measured by us', [capture(['ssh-session'], { source: 'collector', exitCode: 127 })], []],
  ])('%s', (_, captures, absent) => {
    expect([...absentPrograms(recorded(...captures))]).toEqual(absent)
  })
})

describe('the drop-in for one node', () => {
  const commands = [
    runAsRoot(['nft', '-j', 'list', 'ruleset']),
    runAsRoot(['sshd', '-T']),
    runAsRoot(['grep', 'a b*', '/x']),
  ]
  const sudoIs = (version: string): readonly CapturedAnswer[] => [
    text('sudo.program', 'version', ['sudo', '-V'], version),
    text(
      'sudo.program',
      'folders',
      ['stat', '-c', '%N', '/bin', '/sbin'],
      "'/bin' -> 'usr/bin'\n'/sbin' -> 'usr/sbin'\n",
    ),
  ]
  const text = (probe: string, command: string, argv: readonly string[], out: string): CapturedAnswer => ({
    ...capture(argv, { probe, command }),
    stdout: new TextEncoder().encode(out),
  })
  const forNode = (...captures: readonly CapturedAnswer[]): string =>
    sudoersOfNode(commands, recorded(...captures), { user: 'bw' })

  test('names no program that the node lacks, and states this', () => {
    const out = forNode(capture(['nft', '-j', 'list', 'ruleset'], gone))
    expect(out).not.toContain('/nft')
    expect(out).toContain('# Left out, because these programs are not installed: nft.')
    expect(out).toContain('/sbin/sshd -T')
    expect(out).toContain('# Its sudo version was not recorded')
  })
  test.each([
    ['1.8.31', 'does not support regular expressions'],
    ['1.9.9', 'does not support regular expressions'],
    ['1.9.10', 'supports regular expressions'],
    ['1.9.17p1', 'supports regular expressions'],
    ['2.0.1', 'supports regular expressions'],
  ])('of sudo %s it states that it %s', (version, said) => {
    const out = forNode(...sudoIs(`Sudo version ${version}\n`))
    expect(out).toContain(`# It runs sudo ${version}, which ${said}`)
    expect(out).toContain('    /usr/bin/sshd -T')
    expect(out).not.toMatch(/^ {4}\/s?bin\//m)
    expect(out).toContain('logfile=')
  })
  test('for sudo-rs it holds only what sudo-rs reads', () => {
    const out = forNode(...sudoIs('sudo-rs 0.2.13\n'))
    expect(out).not.toMatch(/requiretty|logfile/)
    expect(out).toContain('#   grep a b* /x')
    expect(out).not.toMatch(/^ .*grep/m)
  })
  test.skipIf(!hasVisudo)('visudo accepts it for recorded nodes (skipped where visudo is absent)', () => {
    for (const name of ['demo-gpu-01', 'demo-metal-04', 'demo-nosudo-06'])
      expect([
        name,
        checked(sudoersOfNode(rootCommands(catalog.probes), fixtureRecording(name, catalog.probes), { user: 'bw' })),
      ]).toEqual([name, 'ok'])
  })
  test.each(['a\nbw ALL=(ALL) ALL', 'ends in \\', 'ä'])('a comment of %j is refused', (note) => {
    expect(() => sudoersFor(commands, { user: 'bw', notes: [note] })).toThrow()
  })
})

describe('the form of sudo-rs', () => {
  const rs = (...words: readonly [string, ...string[]]): string =>
    sudoersFor([runAsRoot(words)], { user: 'bw', dialect: 'sudo-rs', hasMergedFolders: true })
  test.each([
    [['printf', 'a,b:c=d#e'], '/usr/bin/printf a\\,b\\:c\\=d\\#e'],
    [['printf', 'a\\b'], '/usr/bin/printf a\\\\b'],
    [['printf', '[ab]', '!a', 'a^b', '"q"'], '/usr/bin/printf [ab] !a a^b "q"'],
    [['printf'], '/usr/bin/printf ""'],
  ] as const)('%j is written %s', (words, written) => {
    expect(rs(...(words as readonly [string, ...string[]]))).toContain(written)
  })
  test.each(['a*b', 'a?b', 'a b', '', ' ', '^a$'])('%j cannot be expressed, and is left out', (word) => {
    expect(rs('printf', word)).not.toContain('Cmnd_Alias')
  })
  test('lists stay below the longest that it reads, of 127', () => {
    const commands = Array.from({ length: 90 }, (_, at) => runAsRoot(['printf', `${at}`]))
    const out = sudoersFor(commands, { user: 'bw', dialect: 'sudo-rs' })
    const lists = out.split('Cmnd_Alias').slice(1)
    expect(lists).toHaveLength(4)
    expect(Math.max(...lists.map((list) => list.split('/printf ').length - 1))).toBeLessThanOrEqual(127)
    expect(out).toContain('bw ALL=(root) NOPASSWD: BAREWITNESS_4')
  })
  test('public keys of accounts can be asked for under sudo-rs as well', () => {
    const out = sudoersFor(rootCommands(catalog.probes), { user: 'bw', dialect: 'sudo-rs' })
    expect(out).toMatch(/^(?!#).*\/usr\/bin\/grep .*--include\\=authorized_keys/m)
  })
})

describe('what sudo remarks before it runs a command all the same', () => {
  const { parse, ...probe } = { ...sudoProgram, commands: { one: runAsRoot(['grep', 'x', '/y']) } }
  const read = (stderr: string): unknown =>
    readProbe<unknown>(
      { ...probe, parse: ({ one }) => ({ ok: true, fact: (one as Answer).errorText }) },
      new Map([
        [
          'sudo.program/one',
          { ...capture(['grep', 'x', '/y'], { exitCode: 1 }), stderr: new TextEncoder().encode(stderr) },
        ],
      ]),
    )
  test.each([
    'sudo: unable to resolve host gpu-7: Name or service not known\n',
    'sudo: setrlimit(RLIMIT_CORE): Operation not permitted\n',
  ])('%j is no refusal, and no word of the command', (remark) => {
    expect(read(`${remark}grep: /y: No such file or directory\n`)).toEqual({
      ok: true,
      fact: 'grep: /y: No such file or directory\n',
    })
  })
  test.each([
    'sudo: a password is required\n',
    'sudo: unable to resolve host gpu-7: Name or service not known\nsudo: a password is required\n',
    "sudo: I'm sorry bwaudit. I'm afraid I can't do that\n",
    'sudo: interactive authentication is required\n',
    'sudo: unable to open /etc/sudoers: Permission denied\n',
  ])('%j is a refusal', (words) => {
    expect(read(words)).toEqual({ ok: false, reason: 'not collected: sudo does not allow this line (grep)' })
  })
})
