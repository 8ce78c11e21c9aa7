import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  fingerprintOf,
  hostId,
  keyType,
  knownHostsLine,
  matchHostKey,
  onRecordFor,
  parseKnownHosts,
} from '../main/core/fleet/known-hosts.ts'
import { folderOfTests } from './support/folders.ts'
import { describeUnless } from './support/needing.ts'

const field = (text: string | Buffer): Buffer => {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** A well-formed ed25519 public key blob whose 32 bytes are all `fill`. */
const ed25519 = (fill: number): Buffer => Buffer.concat([field('ssh-ed25519'), field(Buffer.alloc(32, fill))])
const rsa = Buffer.concat([field('ssh-rsa'), field(Buffer.from([1, 0, 1])), field(Buffer.alloc(256, 7))])
const line = (hosts: string, key: Buffer): string => `${hosts} ${keyType(key)} ${key.toString('base64')} note`
const [one, two] = [ed25519(1), ed25519(2)]

describe('matchHostKey', () => {
  test.each([
    ['plain name', line('node.example', one), 'node.example', 22, 'match'],
    ['name in other case', line('node.example', one), 'NODE.Example', 22, 'match'],
    ['comma list', line('a,192.0.2.7', one), '192.0.2.7', 22, 'match'],
    ['wildcards', line('*.gpu.example', one), 'n1.gpu.example', 22, 'match'],
    ['question mark', line('n?', one), 'n12', 22, 'unknown'],
    ['negation', line('*.example,!b.example', one), 'b.example', 22, 'unknown'],
    ['negation leaves others', line('*.example,!b.example', one), 'a.example', 22, 'match'],
    ['port', line('[node]:2222', one), 'node', 2222, 'match'],
    ['other port', line('[node]:2222', one), 'node', 2223, 'unknown'],
    ['bare name serves any port', line('node', one), 'node', 2222, 'match'],
    ['bare name with another key leaves another port unknown', line('node', two), 'node', 2222, 'unknown'],
    ['IPv6 in brackets', line('[2001:db8::1]:2222', one), '[2001:db8::1]', 2222, 'match'],
    ['another key of that type', line('node', two), 'node', 22, 'changed'],
    ['another key, and the right one further down', `${line('node', two)}\n${line('node', one)}`, 'node', 22, 'match'],
    ['a key of another type', line('node', rsa), 'node', 22, 'unknown'],
    ['revoked for all', `${line('node', one)}\n@revoked ${line('*', one)}`, 'node', 22, 'revoked'],
    ['another key is revoked', `${line('node', one)}\n@revoked ${line('*', two)}`, 'node', 22, 'match'],
    ['only a certificate authority', `@cert-authority ${line('*.example', two)}`, 'a.example', 22, 'host-ca'],
    ['authority whose own key is shown', `@cert-authority ${line('*.example', one)}`, 'a.example', 22, 'host-ca'],
    ['authority and plain key', `@cert-authority ${line('*', two)}\n${line('a', one)}`, 'a', 22, 'match'],
    [
      'comments, blanks and malformed lines',
      `# x\n\nnode\nnode ssh-rsa ${one.toString('base64')}\n@odd ${line('node', one)}`,
      'node',
      22,
      'unknown',
    ],
  ])('%s', (_, text, host, port, kind) => {
    expect(matchHostKey(text, host, port, one).kind).toBe(kind)
  })

  test('names line, and old keys when changed', () => {
    expect(matchHostKey(`# first\n${line('node', one)}`, 'node', 22, one)).toEqual({
      kind: 'match',
      line: 2,
      comment: 'note',
    })
    expect(matchHostKey(line('node', two), 'node', 22, one)).toEqual({
      kind: 'changed',
      onRecord: [{ line: 1, type: 'ssh-ed25519', fingerprint: fingerprintOf(two) }],
    })
  })

  test('onRecordFor lists types and authorities', () => {
    const text = `${line('a', rsa)}\n${line('[a]:2200', one)}\n@cert-authority ${line('*', two)}`
    expect(onRecordFor(text, 'a', 2200)).toEqual({ types: ['ssh-rsa', 'ssh-ed25519'], authority: true })
    expect(onRecordFor(text, 'b', 22)).toEqual({ types: [], authority: true })
  })

  test('a written line is found again, and its comment cannot start a second line', () => {
    const text = knownHostsLine('Node', 2222, one, 'by us\nevil ssh-rsa AAAA')
    expect(text.split('\n')).toHaveLength(1)
    expect(matchHostKey(text, 'node', 2222, one).kind).toBe('match')
  })

  test('any text is read without throwing, and never gives a match for a key it does not hold', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.uint8Array({ maxLength: 80 }), (text, host, key) => {
        parseKnownHosts(text)
        expect(matchHostKey(`${text}\n${line(host.replace(/\s/g, ''), two)}`, host, 22, key).kind).not.toBe('match')
      }),
    )
  })

  test('a wildcard line is not tried in every way', () => {
    matchHostKey(line(`${'*a'.repeat(2000)}b`, one), 'a'.repeat(2000), 22, one)
  })
})

const folder = folderOfTests('known-hosts')
const installed = existsSync('/usr/bin/ssh-keygen')

describeUnless(installed ? null : 'ssh-keygen is not installed', 'against ssh-keygen', () => {
  const keygen = (...args: string[]): string => {
    try {
      return execFileSync('ssh-keygen', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    } catch {
      return ''
    }
  }
  test('fingerprints are those of ssh-keygen -l', () => {
    keygen('-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'id'))
    const blob = Buffer.from(readFileSync(join(folder, 'id.pub'), 'utf8').split(' ')[1] ?? '', 'base64')
    expect(keygen('-l', '-f', join(folder, 'id.pub'))).toContain(` ${fingerprintOf(blob)} `)
  })

  test('finds what ssh-keygen -F finds, in plain and hashed files', () => {
    const text = [
      line('alpha,192.0.2.7', one),
      line('[beta]:2222', one),
      line('*.gpu.example,!bad.gpu.example', one),
      line('[*.odd]:22', one),
    ].join('\n')
    const [plain, hashed] = [join(folder, 'plain'), join(folder, 'hashed')]
    writeFileSync(plain, `${text}\n`)
    writeFileSync(hashed, `${text}\n`)
    keygen('-H', '-f', hashed)
    expect(readFileSync(hashed, 'utf8')).toContain('|1|')
    const asked = [
      ['alpha', 22],
      ['192.0.2.7', 22],
      ['ALPHA', 22],
      ['beta', 2222],
      ['beta', 22],
      ['n.gpu.example', 22],
      ['bad.gpu.example', 22],
      ['gamma', 22],
    ] as const
    for (const file of [plain, hashed])
      for (const [host, port] of asked) {
        const theirs = keygen('-F', hostId(host, port), '-f', file).includes('AAAA')
        expect([file, host, port, matchHostKey(readFileSync(file, 'utf8'), host, port, one).kind === 'match']).toEqual([
          file,
          host,
          port,
          theirs,
        ])
      }
  })
})
