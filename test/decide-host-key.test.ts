import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { decideHostKey, onlyAuthorities, type TrustFile } from '../main/adapters/ssh/host-key.ts'
import type { FailureCode } from '../schemas/failure-words.ts'

/** An ed25519 key as it goes over the wire (RFC 8709 §4): its type and 32 bytes, each with a length before it. */
function keyOf(fill: number): Uint8Array {
  const part = (bytes: Uint8Array): Buffer => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return Buffer.concat([length, bytes])
  }
  return new Uint8Array(Buffer.concat([part(Buffer.from('ssh-ed25519')), part(new Uint8Array(32).fill(fill))]))
}

const fingerprintOf = (key: Uint8Array): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`

const HOST = 'gpu-01.example'
const SHOWN = keyOf(1)
const OTHER = keyOf(2)
const line = (key: Uint8Array, { mark = '', host = HOST } = {}): string =>
  `${mark}${host} ssh-ed25519 ${Buffer.from(key).toString('base64')}\n`
const known = (text: string): TrustFile => ({ path: 'known_hosts', how: 'known-hosts', text })
const decided = (text: string): TrustFile => ({ path: 'decisions', how: 'decision', text })
const REVOKED = line(SHOWN, { mark: '@revoked ' })
const AUTHORITY = line(OTHER, { mark: '@cert-authority ' })
const PIN = fingerprintOf(SHOWN)
const OTHER_PIN = fingerprintOf(OTHER)

type Expected = 'fingerprint' | 'known-hosts' | 'decision' | FailureCode

describe('whether a shown host key is the node’s', () => {
  test.each<[what: string, fingerprint: string | null, files: readonly TrustFile[], expected: Expected]>([
    ['nothing on record', null, [], 'ssh.host-key-unknown'],
    ['nothing on record of this host', null, [known(line(SHOWN, { host: 'another' }))], 'ssh.host-key-unknown'],
    ['the pinned key', PIN, [], 'fingerprint'],
    ['another key than the pinned', OTHER_PIN, [], 'ssh.host-key-changed'],
    ['the key in known_hosts', null, [known(line(SHOWN))], 'known-hosts'],
    ['another key in known_hosts', null, [known(line(OTHER))], 'ssh.host-key-changed'],
    ['the key in known_hosts, and another one pinned', OTHER_PIN, [known(line(SHOWN))], 'ssh.host-key-changed'],
    ['the pinned key, and another one in known_hosts', PIN, [known(line(OTHER))], 'fingerprint'],
    ['the key by a decision', null, [decided(line(SHOWN))], 'decision'],
    ['the key by a decision, and another one pinned', OTHER_PIN, [decided(line(SHOWN))], 'decision'],
    ['another key by a decision, and the key pinned', PIN, [decided(line(OTHER))], 'fingerprint'],
    ['another key by a decision', null, [decided(line(OTHER))], 'ssh.host-key-changed'],
    ['the key by a decision, another one in known_hosts', null, [known(line(OTHER)), decided(line(SHOWN))], 'decision'],
    ['revoked in known_hosts', null, [known(REVOKED)], 'ssh.host-key-revoked'],
    ['revoked beside a line that holds it', null, [known(line(SHOWN) + REVOKED)], 'ssh.host-key-revoked'],
    ['revoked, and pinned', PIN, [known(REVOKED)], 'ssh.host-key-revoked'],
    ['revoked in one file, held by another', null, [known(line(SHOWN)), decided(REVOKED)], 'ssh.host-key-revoked'],
    ['revoked by a decision, and pinned', PIN, [decided(REVOKED)], 'ssh.host-key-revoked'],
    ['another key revoked', null, [known(line(OTHER, { mark: '@revoked ' }))], 'ssh.host-key-unknown'],
    ['only an authority', null, [known(AUTHORITY)], 'ssh.no-common-algorithm'],
    ['an authority, and pinned', PIN, [known(AUTHORITY)], 'fingerprint'],
    ['an authority, and another key pinned', OTHER_PIN, [known(AUTHORITY)], 'ssh.host-key-changed'],
    ['an authority beside the key', null, [known(AUTHORITY + line(SHOWN))], 'known-hosts'],
  ])('%s', (_, fingerprint, files, expected) => {
    const found = decideHostKey({ fingerprint, files }, HOST, 22, SHOWN)
    expect(found.ok ? found.value.trust.how : found.error.code).toBe(expected)
    if (found.ok) expect(found.value.fingerprint).toBe(PIN)
  })

  test.each<[what: string, text: string, expected: Expected]>([
    ['under its name with the port', line(SHOWN, { host: `[${HOST}]:2222` }), 'known-hosts'],
    // As ssh does, which then looks for the name alone, for the same key only.
    ['under its name alone', line(SHOWN), 'known-hosts'],
    ['another key under its name alone', line(OTHER), 'ssh.host-key-unknown'],
    ['another key under its name with the port', line(OTHER, { host: `[${HOST}]:2222` }), 'ssh.host-key-changed'],
    ['under another port', line(SHOWN, { host: `[${HOST}]:2223` }), 'ssh.host-key-unknown'],
  ])('on port 2222, %s', (_, text, expected) => {
    const found = decideHostKey({ fingerprint: null, files: [known(text)] }, HOST, 2222, SHOWN)
    expect(found.ok ? found.value.trust.how : found.error.code).toBe(expected)
  })

  test('bytes that are no key are refused', () => {
    expect(decideHostKey({ fingerprint: PIN, files: [] }, HOST, 22, new Uint8Array([1, 2]))).toMatchObject({
      error: { code: 'ssh.host-key-unknown' },
    })
  })
})

/** Then the system's ssh program has to connect, which can negotiate certificates. */
test.each<[what: string, fingerprint: string | null, files: readonly TrustFile[], expected: boolean]>([
  ['nothing on record', null, [], false],
  ['an authority', null, [known(AUTHORITY)], true],
  ['an authority, and a pinned key', PIN, [known(AUTHORITY)], false],
  ['an authority beside a key', null, [known(AUTHORITY + line(SHOWN))], false],
  ['an authority, and a key in another file', null, [known(AUTHORITY), decided(line(SHOWN))], false],
  [
    'an authority, and a file about other hosts',
    null,
    [known(AUTHORITY), decided(line(SHOWN, { host: 'another' }))],
    true,
  ],
  ['a key', null, [known(line(SHOWN))], false],
])('whether only an authority could confirm a host: %s', (_, fingerprint, files, expected) => {
  expect(onlyAuthorities({ fingerprint, files }, HOST, 22)).toBe(expected)
})

test.each([
  ['another key that is revoked', line(OTHER, { mark: '@revoked ' }), false],
  ['nothing', '', false],
  ['a key of another type', `${HOST} ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAAQE=\n`, true],
])('what a file holds of the host is named where the key is not known: %s', (_, text, isNamed) => {
  const found = decideHostKey({ fingerprint: null, files: [known(text)] }, HOST, 22, SHOWN)
  expect(found.ok ? null : found.error.code).toBe('ssh.host-key-unknown')
  if (!found.ok) expect(found.error.detail.includes('known_hosts contains')).toBe(isNamed)
})
