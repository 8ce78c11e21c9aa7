import { createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { disclosureTag } from '../main/app/export/export.ts'
import { hmacWith } from '../main/core/base/digest.ts'
import {
  bucketOf,
  commitment,
  cutsOf,
  INDEX_PATH,
  partsOf,
  pathPartsOf,
  seedFile,
  seedIn,
  unitRoot,
} from '../main/verify/disclosure/cuts/parts.ts'
import { firstOfCaptures, type Word, wordIndex, wordsIn } from '../main/verify/disclosure/cuts/words.ts'
import { expectLinear } from './support/growth.ts'
import { sampled } from './support/thorough.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const PATH = 'data/nodes/node-a/sha256/aa'
const none = wordIndex([])
/** The spans of a text, as `class:text`. */
const spans = (text: string, words: readonly Word[] = [], path = PATH): readonly string[] =>
  partsOf(path, utf8(text), wordIndex(words)).flatMap((part) =>
    part.class === 'text' ? [] : [`${part.class}:${new TextDecoder().decode(part.bytes)}`],
  )
const HEX = '0123456789abcdef'.repeat(4)

describe('what is found in an answer', () => {
  test.each([
    ['inet 10.1.2.3/24 brd 10.1.2.255', ['ipv4:10.1.2.3', 'ipv4:10.1.2.255']],
    ['listen 0.0.0.0:22 127.0.0.1 255.255.255.0 169.254.169.254', []],
    ['version 535.104.12.01 and 1.2.3.4.5 and 96.00.74.00', []],
    ['"text":"first\\n192.0.2.7 next"', ['ipv4:192.0.2.7']],
    ['inet6 fe80::1ff:fe23:4567:890a/64 ::1 :: ', ['ipv6:fe80::1ff:fe23:4567:890a']],
    ['2001:db8:0:1:1:1:1:1 at 12:34:56 std::cout', ['ipv6:2001:db8:0:1:1:1:1:1']],
    ['0000:3b:00.0 NVIDIA 00000000:3B:00.0', []],
    ['link/ether 3c:ec:ef:01:02:03 brd ff:ff:ff:ff:ff:ff', ['mac:3c:ec:ef:01:02:03']],
    ['node_guid 0002:c903:00ab:cdef, enx3cecef010203:', ['mac:0002:c903:00ab:cdef', 'mac:3cecef010203']],
    ['GPU-6c1e64be-1f9c-4b0a-9d0f-3a9f5b1c2d01', ['uuid:6c1e64be-1f9c-4b0a-9d0f-3a9f5b1c2d01']],
    ['SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c', []],
    ['CRYPT-LUKS2-0123456789abcdef0123456789abcdef-root', ['uuid:0123456789abcdef0123456789abcdef']],
    ['\tSerial Number: S456789X2C01234\n\tAsset Tag: Not Specified\n', ['serial:S456789X2C01234']],
    ['"serial": "S64GNE0R123456      ", "serial": null', ['serial:S64GNE0R123456']],
    ['<serial>1650007</serial> serial:', ['serial:1650007']],
    ['grep: /sys/class/dmi/id/product_serial: No such file or directory', []],
    ['/sys/block/nvme0n1/wwid:eui.3634473054400000002538400000000', ['serial:eui.3634473054400000002538400000000']],
    ['InitiatorName=iqn.2004-10.com.example:01:abc', ['serial:iqn.2004-10.com.example:01:abc']],
    ['{"kind":"disk","part":"nvme0n1","value":"DEMO0OS00001"}', ['serial:DEMO0OS00001']],
    ['mail ops@clinic.example.org, getty@tty1.service, aes256-gcm@openssh.com', ['email:ops@clinic.example.org']],
    [
      'db01.clinic.example.net https://www.debian.org/ pam_unix.so sshd.service install.sh',
      ['host:db01.clinic.example.net'],
    ],
    ['/proc/sys/kernel/hostname:rack7-gpu\n', ['host:rack7-gpu']],
    [`256 SHA256:${'b'.repeat(43)} root (ED25519)`, [`ssh-key:SHA256:${'b'.repeat(43)}`]],
    [`{"sha256":"${HEX}","size":123}`, [`digest:${HEX}","size":123`]],
    [`${HEX}0 ${HEX}`, [`digest:${HEX}`]],
  ])('%s', (text, expected) => {
    expect(spans(text)).toEqual(expected)
  })

  const words: readonly Word[] = [
    { text: 'node-a', class: 'node' },
    { text: 'prod-eu-1-gpu', class: 'node' },
    { text: 'alice', class: 'user' },
    { text: 'SN12345', class: 'serial' },
  ]
  test.each([
    ['node-a, node-a-ib0, node-ab, xnode-a', ['node:node-a', 'node:node-a']],
    ['"a\\nnode-a"', ['node:node-a']],
    ['NODE-A prod-eu-1-gpu prod-eu-1', ['node:NODE-A', 'node:prod-eu-1-gpu']],
    ['alice@node-a malice alice:x:1000', ['user:alice', 'node:node-a', 'user:alice']],
    ['node-a.clinic.example.net', ['host:node-a.clinic.example.net']],
    ['disk SN12345', ['serial:SN12345']],
  ])('words: %s', (text, expected) => {
    expect(spans(text, words)).toEqual(expected)
  })

  // An owner who redacts addresses alone, or nodes alone, redacts the declared address of a node in both cases.
  test.each([
    ['203.0.113.10', 'ipv4', ['ipv4', 'node']],
    ['2001:db8::7', 'ipv6', ['ipv6', 'node']],
    ['gpu-01.clinic.example.net', 'host', ['host', 'node']],
    // Identifies nothing by itself, and the node by its declaration.
    ['127.0.0.1', 'node', ['node']],
  ] as const)('the declared address %s is stated as %s, and holds what it is', (address, stated, held) => {
    const words = wordsIn(
      'data/nodes/node-a/recording.json',
      utf8(JSON.stringify({ node: { name: 'node-a', address } })),
    )
    const parts = partsOf(PATH, utf8(`peer ${address} up`), wordIndex(words)).filter((part) => part.class !== 'text')
    expect(parts.map((part) => [part.class, part.holds.map((found) => found.class)])).toEqual([[stated, held]])
  })
  test('a span knows everything that it holds', () => {
    const [part] = partsOf(PATH, utf8('node-a.clinic.example.net'), wordIndex(words))
    expect(part?.holds.map((found) => found.class)).toEqual(['host', 'node'])
  })

  test('a node’s folder is a part of its own in every path, and so is a digest', () => {
    const shown = pathPartsOf(`data/nodes/node-0f/sha256/${HEX}`, none).map(
      (part) => `${part.class}:${new TextDecoder().decode(part.bytes)}`,
    )
    expect(shown).toEqual(['text:data/nodes/', 'node:node-0f', 'text:/sha256/', `digest:${HEX}`])
  })

  test('words come from headers and from behind known keys', () => {
    const header = {
      node: {
        name: 'node-a',
        address: '192.0.2.1',
        user: 'audit',
        roster: ['alice', 'root'],
        hardware: [{ value: 'X9' }],
      },
    }
    expect(wordsIn('data/nodes/node-a/recording.json', utf8(JSON.stringify(header)))).toEqual([
      { text: 'node-a', class: 'node' },
      { text: '192.0.2.1', class: 'node' },
      { text: 'audit', class: 'user' },
      { text: 'alice', class: 'user' },
      { text: 'root', class: 'user' },
      { text: 'X9', class: 'serial' },
    ])
    expect(wordsIn(PATH, utf8('Serial Number: ABC123\nStatic hostname: gpu7\n'))).toEqual([
      { text: 'ABC123', class: 'serial' },
      { text: 'gpu7', class: 'host' },
    ])
    expect(wordsIn('data/nodes/node-a/recording.json', utf8('{"node":7}'))).toEqual([])
    expect([
      ...wordIndex([
        { text: 'root', class: 'user' },
        { text: 'X9', class: 'serial' },
      ]).classes,
    ]).toEqual([])
  })
})

describe('the parts of a file', () => {
  test('are its bytes, none of them empty, and each is UTF-8 where the file is', () => {
    const words = wordIndex([{ text: 'node-a', class: 'node' }])
    const tricky = fc.constantFrom(
      '10.0.0.1',
      'Serial Number: É1\u00a02',
      'à',
      '𝄞',
      'node-a',
      '\\n',
      '"',
      '::',
      HEX,
      'fe80::1',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), tricky)), (pieces) => {
        const bytes = utf8(pieces.join(''))
        const parts = partsOf(PATH, bytes, words)
        expect(new Uint8Array(Buffer.concat(parts.map((part) => part.bytes)))).toEqual(bytes)
        for (const part of parts) {
          expect(part.bytes.length).toBeGreaterThan(0)
          expect(() => new TextDecoder('utf-8', { fatal: true }).decode(part.bytes)).not.toThrow()
        }
      }),
      { numRuns: 200 },
    )
  })

  test('bytes that are no text, and large answers, are one part; our own large documents are not', () => {
    const large = utf8(`10.0.0.1 ${'x'.repeat(1024 * 1024)}`)
    expect(partsOf(PATH, new Uint8Array([0xff, 1]), none).map((part) => part.class)).toEqual(['file'])
    expect(partsOf(PATH, large, none).map((part) => part.class)).toEqual(['file'])
    expect(partsOf('data/nodes/a/assessment.json', large, none).map((part) => part.class)).toEqual(['ipv4', 'text'])
    expect(partsOf('data/catalog.json', utf8('10.0.0.1'), none).map((part) => part.class)).toEqual(['text'])
    expect(partsOf(PATH, new Uint8Array(), none)).toEqual([])
  })

  test('long hostile lines cost steps in proportion to their length', () => {
    const words = wordIndex([
      { text: Array.from({ length: 24 }, () => 'a').join('-'), class: 'node' },
      { text: 'a', class: 'node' },
    ])
    const seeds = [
      'a',
      '0',
      'a.',
      'a-',
      '1.',
      ':',
      '0:',
      '00:',
      'a@',
      '@a.',
      'serial',
      'serial ',
      'serial: ',
      'sn',
      "sn'",
      '3',
      'AAAA',
      'SHA256:',
      '\\',
      '\\n',
      'iqn.',
      '"part":"',
      't10.',
      ' ',
      '-',
      'hostname',
      'com.',
    ]
    for (const seed of sampled(seeds, 6))
      expectLinear(
        (size) => partsOf('data/nodes/a/assessment.json', utf8(seed.repeat(Math.ceil(size / seed.length))), words),
        20_000,
      )
  })
})

describe('the hashing', () => {
  test('HMAC-SHA-256 is that of RFC 4231, case 1', () => {
    const mac = hmacWith(new Uint8Array(20).fill(0x0b))(utf8('Hi There'))
    expect(Buffer.from(mac).toString('hex')).toBe('b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7')
  })

  test('HMAC-SHA-256 is that of the library for any key and message, one after the other with one key', () => {
    for (const size of [0, 1, 32, 63, 64, 65, 200]) {
      const key = new Uint8Array(size).map((_, at) => at * 7)
      const mac = hmacWith(key)
      for (const message of ['', 'data/nodes/é/\u{1f512}', 'x'.repeat(300), 'short after long'])
        for (const form of [message, utf8(message)])
          expect(Buffer.from(mac(form))).toEqual(createHmac('sha256', key).update(message).digest())
    }
  })

  test('a commitment is over the tag, the salt and the bytes, however many there are, one after the other', () => {
    const salt = new Uint8Array(32).fill(0xfe)
    for (const size of [5000, 0, 1, 4030, 4031, 4032, 4033, 4034, 4035, 4036, 4096, 3]) {
      const bytes = new Uint8Array(size).map((_, at) => at * 7)
      const whole = createHash('sha256').update('barewitness-disclosure/1 part\0').update(salt).update(bytes)
      expect(commitment(salt, bytes)).toBe(whole.digest('hex'))
    }
  })

  test('the line of a file is the same where its digest is known', () => {
    const bytes = utf8('alice at 10.1.2.3')
    const seed = new Uint8Array(32).fill(7)
    for (const path of [PATH, 'data/scope.json'])
      expect(unitRoot(path, bytes, seed, wordIndex([]), createHash('sha256').update(bytes).digest('hex'))).toBe(
        unitRoot(path, bytes, seed, wordIndex([])),
      )
  })

  test('lengths are given away as powers of two, from eight', () => {
    expect([1, 8, 9, 16, 17, 200, 4097].map(bucketOf)).toEqual([8, 8, 16, 16, 32, 256, 8192])
  })

  test('the seed is kept as one line, and nothing else is a seed', () => {
    const seed = new Uint8Array(32).fill(7)
    expect(seedIn(seedFile(seed))).toEqual(seed)
    for (const text of ['', 'xx\n', '07'.repeat(32), `${'07'.repeat(32)}\n\n`]) expect(seedIn(utf8(text))).toBeNull()
    expect(() => seedFile(new Uint8Array(31))).toThrow()
  })

  // Packs that exist must stay disclosable: if this fails, the rules were changed and take a new name beside the old ones.
  test('rules, salts and hashing stay as packs were sealed with them', async () => {
    const header = '{"node":{"address":"192.0.2.1","name":"node-a","user":"audit"}}\n'
    const payload = new Map([
      ['data/nodes/node-a/recording.json', utf8(header)],
      [PATH, utf8('audit@node-a.example.net 192.0.2.1 fe80::1:2 3c:ec:ef:01:02:03\nSerial Number: ABC1234\n')],
      ['data/report.pdf', new Uint8Array([0xff])],
      ['data/disclosure/seed', utf8('not hashed')],
    ])
    expect(
      new TextDecoder().decode((await disclosureTag(payload, new Uint8Array(32).fill(9))).get(INDEX_PATH)),
    ).toMatchInlineSnapshot(`
      "3e27de40ebf5c9ed02f74fd4845a4682839c2f3ee1f020556bcda48a9afb5c55
      b5a408c96b0938bcf356f0be69d2222c85ea53b1ef0ba7370a8922f6112c7b8d
      84d853391c388166552769090807177936cbaa70ce6e70a16077ae7f95a955de
      "
    `)
  })
})

describe('places of parts that are remembered', () => {
  const text = utf8('alice at 10.1.2.3, SN12345')
  const placed = (path: string, bytes: Uint8Array, index: ReturnType<typeof wordIndex>): readonly string[] =>
    cutsOf(path, bytes, index).map(({ class: kind, start, end }) => `${kind} ${start} ${end}`)
  const searched = (path: string, bytes: Uint8Array, index: ReturnType<typeof wordIndex>): readonly string[] => {
    let at = 0
    return partsOf(path, bytes, index).map((part) => {
      at += part.bytes.length
      return `${part.class} ${at - part.bytes.length} ${at}`
    })
  }

  test('are those of the words, the file and the content that they are asked for', () => {
    const alice = wordIndex([{ text: 'alice', class: 'user' }])
    const scope = utf8(`{"cms":"${'MIIB'.repeat(16)}","name":"alice"}`)
    for (const index of [none, alice, none])
      for (const path of [PATH, 'data/nodes/node-b/sha256/bb', 'data/scope.json', 'data/nodes/node-b/recording.json'])
        for (const bytes of [text, scope, text, utf8('')])
          expect(placed(path, bytes, index)).toEqual(searched(path, bytes, index))
    expect(placed(PATH, text, alice)).not.toEqual(placed(PATH, text, none))
    expect(placed(PATH, scope, none)).not.toEqual(placed('data/scope.json', scope, none))
  })
})

test('of captures with one digest the first is searched for words, of documents each', () => {
  const isNew = firstOfCaptures()
  const asked = [PATH, 'data/nodes/node-b/sha256/aa', 'data/scope.json', 'data/nodes/node-b/assessment.json']
  expect(asked.map((path) => isNew(path, HEX))).toEqual([true, false, true, true])
  expect(isNew('data/nodes/node-c/sha256/aa', null)).toBe(true)
})
