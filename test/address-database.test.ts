import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openAddressDatabase, readAddressCsv } from '../main/adapters/declarations/address-database.ts'
import { readMmdb } from '../main/adapters/declarations/address-mmdb.ts'
import type { OpenAddressDatabase } from '../main/core/all-ports.ts'
import type { AddressDatabaseInFile } from '../schemas/types.ts'
import { folderOfTests } from './support/folders.ts'
import { control, encode, type MmdbInput, mmdb } from './support/mmdb.ts'
import { must } from './support/outcomes.ts'

const folder = folderOfTests('addresses')

async function open(
  bytes: Uint8Array | string,
  name = 'test.mmdb',
  declared: Omit<AddressDatabaseInFile, 'file'> = {},
): Promise<OpenAddressDatabase> {
  writeFileSync(join(folder, name), bytes)
  return must(await openAddressDatabase({ file: name, ...declared }, join(folder, 'fleet.yaml')))
}

async function refusal(bytes: Uint8Array | string, name = 'test.csv'): Promise<string> {
  writeFileSync(join(folder, name), bytes)
  const opened = await openAddressDatabase({ file: join(folder, name) }, null)
  return opened.ok ? 'opened' : `${opened.error.code}: ${opened.error.detail}`
}

const BUILT = Date.UTC(2026, 9, 5) / 1000
const FRANKFURT = {
  city: { names: { de: 'Frankfurt am Main', en: 'Frankfurt' } },
  country: { iso_code: 'DE', names: { en: 'Germany' } },
  location: { accuracy_radius: 20, latitude: 50.1187, longitude: 8.6842, time_zone: 'Europe/Berlin' },
  registered_country: { iso_code: 'US' },
  subdivisions: [{ iso_code: 'HE', names: { en: 'Hesse' } }],
}

const city = (ipVersion: 4 | 6, recordSize: 24 | 28 | 32 = 28): MmdbInput => ({
  ipVersion,
  recordSize,
  type: 'GeoLite2-City',
  built: BUILT,
  networks: {
    '8.8.8.0/24': FRANKFURT,
    '32.0.0.0/8': { ...FRANKFURT, city: { names: { en: 'Ashburn' } }, country: { iso_code: 'US' } },
    '9.9.9.0/24': { ...FRANKFURT, city: { names: { en: '' } } },
    '11.0.0.0/24': { ...FRANKFURT, country: { iso_code: 'US' }, location: { latitude: 37.751, longitude: -97.822 } },
    ...(ipVersion === 6 ? { '2a00:1450::/32': FRANKFURT, '2600::/28': FRANKFURT } : {}),
  },
})

describe('MMDB', () => {
  it('states what it is: name, size, digest, type, vendor, build day and address families', async () => {
    const bytes = mmdb(city(6))
    const { about } = await open(bytes, 'GeoLite2-City.mmdb')
    expect(about).toMatchObject({
      file: { name: 'GeoLite2-City.mmdb', size: bytes.length },
      format: 'mmdb',
      type: 'GeoLite2-City',
      provenance: 'MaxMind',
      builtOn: '2026-10-05',
      families: [4, 6],
    })
    expect(about.file.sha256).toMatch(/^[0-9a-f]{64}$/)
  })

  it.each([24, 28, 32] as const)('answers with city and place from records of %d bits', async (size) => {
    const { answer } = await open(mmdb(city(6, size)))
    expect(answer('8.8.8.8')).toEqual({
      address: '8.8.8.8',
      network: '8.8.8.0/24',
      country: 'DE',
      subdivision: 'Hesse',
      city: 'Frankfurt',
      latitude: 50.1187,
      longitude: 8.6842,
      radiusKm: 20,
      asn: null,
      organisation: null,
      level: 'city',
    })
    expect(answer('2a00:1450:4001::1')).toMatchObject({ network: '2a00:1450::/32', city: 'Frankfurt', level: 'city' })
  })

  // 2001:4860:… begins with the bits of 32.1.72.96: the library alone would answer Ashburn.
  it('never looks an IPv6 address up in a file of IPv4', async () => {
    const { about, answer } = await open(mmdb(city(4)))
    expect(about.families).toEqual([4])
    expect(answer('2001:4860:4860::8888')).toBeNull()
    expect(answer('32.1.72.96')).toMatchObject({ city: 'Ashburn' })
    expect(answer('8.8.8.8')).toMatchObject({ city: 'Frankfurt', network: '8.8.8.0/24' })
  })

  it('knows a file of IPv6 alone', async () => {
    const { about, answer } = await open(mmdb({ ...city(6), networks: { '2a00:1450::/32': FRANKFURT } }))
    expect(about.families).toEqual([6])
    expect(answer('8.8.8.8')).toBeNull()
    expect(answer('2600::1')).toMatchObject({ level: 'none', network: null })
  })

  it('takes an empty city, the middle of the United States, and a wide network for a country', async () => {
    const { answer } = await open(mmdb(city(6)))
    expect(answer('9.9.9.9')).toMatchObject({ level: 'country', country: 'DE', city: null })
    expect(answer('11.0.0.1')).toMatchObject({ level: 'country', country: 'US', latitude: 37.751 })
    expect(answer('32.1.2.3')).toMatchObject({ level: 'country', country: 'US', network: '32.0.0.0/8' })
    expect(answer('2600::1')).toMatchObject({ level: 'country', network: '2600::/28' })
  })

  it.each(['10.0.0.1', '203.0.113.10', 'fe80::1', '::ffff:8.8.8.8', 'example.net', ''])(
    'does not answer for %s',
    async (text) => {
      expect((await open(mmdb(city(6)))).answer(text)).toBeNull()
    },
  )

  it.each([
    ['iptoasn', { country_code: 'FR' }, { level: 'country', country: 'FR' }],
    [
      'ip-location-db',
      { country_code: 'FR', state1: 'Île-de-France', city: 'Paris', latitude: 48.85, longitude: 2.35 },
      { level: 'city', subdivision: 'Île-de-France', city: 'Paris', latitude: 48.85, longitude: 2.35, radiusKm: null },
    ],
    [
      'GeoLite2-ASN',
      { autonomous_system_number: 3215, autonomous_system_organization: 'Orange S.A.' },
      { level: 'network', asn: 3215, organisation: 'Orange S.A.', country: null },
    ],
    [
      'ipinfo',
      { asn: 'AS3215', as_name: 'Orange S.A.', country: 'FR', lat: '48.85', lng: '2.35', city: 'Paris' },
      { level: 'city', asn: 3215, organisation: 'Orange S.A.', country: 'FR', latitude: 48.85 },
    ],
    ['GeoIP2-Country', { country: { iso_code: 'EU' } }, { level: 'none', country: null }],
    ['nothing', {}, { level: 'none' }],
    [
      'hostile',
      { country: 7, city: { names: 'x' }, location: [], asn: -1, __proto__: { country: 'US' } },
      { level: 'none', city: null },
    ],
    [
      'far',
      { country: 'FR', city: 'Paris', latitude: 91, longitude: 2 },
      { level: 'country', latitude: null, longitude: null },
    ],
  ])('reads the shape of %s', async (type, record, expected) => {
    const { answer } = await open(mmdb({ ipVersion: 4, type, built: BUILT, networks: { '2.0.0.0/20': record } }))
    expect(answer('2.0.0.1')).toMatchObject(expected)
  })

  it.each([
    ['GeoIP2-City', 'MaxMind'],
    ['DBIP-City-Lite', 'DB-IP'],
    ['ipinfo standard_location.mmdb', 'IPinfo'],
    ['own list', 'own list'],
    ['', 'test.mmdb'],
  ])('%s is of %s', async (type, provenance) => {
    const bytes = mmdb({ ...city(4), type })
    expect((await open(bytes)).about.provenance).toBe(provenance)
    expect((await open(bytes, 'test.mmdb', { provenance: 'Ours' })).about.provenance).toBe('Ours')
  })

  // Five bytes that promise sixteen million values, one in another: believing them takes 134 MB each.
  const promises = (levels: number): Buffer => Buffer.concat(Array(levels).fill(Buffer.from([0x1f, 4, 255, 255, 255])))
  const itself = Buffer.from([0x20, 0])
  /** An array of two references to an array of two references…: 2^60 values. */
  const doubling = (at: number): Buffer =>
    Buffer.from([0x02, 0x04, 0x20 | (at >> 8), at & 255, 0x20 | (at >> 8), at & 255])
  const twice = Buffer.concat(Array.from({ length: 60 }, (_, level) => doubling((level + 1) * 6)))
  const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')

  it.each([
    ['promises more than it holds', promises(2000)],
    ['refers to itself', itself],
    ['doubles itself', twice],
    ['begins like its mark', Buffer.concat([Buffer.from('\xefMaxMind.com', 'latin1'), promises(2000)])],
    ['is cut short', Buffer.from([0xe9, 0x4b])],
    ['is missing', Buffer.alloc(0)],
  ])('refuses a description of itself that %s, at once', (_, description) => {
    const bytes = Buffer.concat([promises(2000), MARKER, description])
    expect(readMmdb(new Uint8Array(bytes))).toContain('its metadata is damaged')
  })

  it.each([
    ['promises more than it holds', promises(2000)],
    ['refers to itself', itself],
    ['doubles itself', twice],
    [
      'repeats a long text',
      Buffer.concat([control(11, 60), ...Array(60).fill(Buffer.from([0x28, 0, 0])), Buffer.alloc(3000, 0x5f)]),
    ],
    ['is deep', Buffer.alloc(5000, 0xe1)],
  ])('takes nothing from a record that %s, at once', (_, record) => {
    const small = Buffer.from(mmdb({ ipVersion: 4, type: 'x', built: BUILT, networks: { '0.0.0.0/1': 'data' } }))
    const at = small.indexOf(encode('data'))
    const read = readMmdb(new Uint8Array(Buffer.concat([small.subarray(0, at), record, small.subarray(at)])))
    if (typeof read === 'string') throw new Error(read)
    expect(read.answer({ family: 4, value: 0x08080808n, text: '8.8.8.8' })).toMatchObject({ level: 'none' })
  })

  it('refuses a tree that is larger than the file, of whatever size', () => {
    const small = Buffer.from(mmdb({ ipVersion: 4, type: 'x', built: BUILT, networks: { '0.0.0.0/1': 'data' } }))
    const at = small.indexOf(encode('node_count')) + encode('node_count').length + 1
    for (const count of [1000, 0x7fff_ffff, 0xffff_ffff]) {
      small.writeUInt32BE(count, at)
      expect(readMmdb(new Uint8Array(small)), String(count)).toMatch(/truncated|damaged/)
    }
    const size = small.indexOf(encode('record_size')) + encode('record_size').length + 1
    small.writeUInt32BE(1, at)
    for (const bits of [0, 16, 0xffff_ffff]) {
      small.writeUInt32BE(bits, size)
      expect(readMmdb(new Uint8Array(small)), String(bits)).toContain('damaged')
    }
  })

  it('never throws, whatever the bytes', () => {
    const whole = mmdb(city(6))
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        (changes) => {
          const bytes = whole.slice()
          for (const [at, value] of changes) bytes[at] = value
          const read = readMmdb(bytes)
          if (typeof read === 'string') return
          for (const [family, value, text] of [
            [4, 0x08080808n, '8.8.8.8'],
            [6, 0n, '2a00:1450::1'],
          ] as const)
            expect(read.answer({ family, value, text }).address).toBe(text)
        },
      ),
    )
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void readMmdb(bytes)))
    fc.assert(fc.property(fc.nat(whole.length), (length) => void readMmdb(whole.slice(0, length))))
  })
})

describe('CSV of ranges', () => {
  it('answers by country, of both families, in any order', async () => {
    const { about, answer } = await open(
      '2a00:1450::,2a00:1450:ffff:ffff:ffff:ffff:ffff:ffff,IE\r\n8.8.8.0,8.8.8.255,us\n1.0.0.0,1.0.0.255,AU\n',
      'asn-country.csv',
      { builtOn: '2026-10-01' },
    )
    expect(about).toMatchObject({
      format: 'csv',
      type: 'CSV, ranges by country',
      builtOn: '2026-10-01',
      families: [4, 6],
      provenance: 'asn-country.csv',
    })
    expect(answer('8.8.8.8')).toMatchObject({ country: 'US', network: '8.8.8.0/24', level: 'country' })
    expect(answer('1.0.0.7')).toMatchObject({ country: 'AU' })
    expect(answer('2a00:1450::7')).toMatchObject({ country: 'IE', network: '2a00:1450::/32' })
    expect(answer('8.8.9.1')).toMatchObject({ level: 'none', network: null })
    expect(answer('2.0.0.1')).toMatchObject({ level: 'none' })
  })

  it.each([
    [
      'network',
      '8.8.8.0,8.8.8.255,15169,"Google LLC, ""the"" one"\n',
      { asn: 15169, organisation: 'Google LLC, "the" one', level: 'network' },
    ],
    [
      'network and country',
      '8.8.8.0\t8.8.8.255\t15169\tUS\tGOOGLE\n',
      { asn: 15169, country: 'US', organisation: 'GOOGLE', level: 'country' },
    ],
    ['country', '"134744064","134744319","US","United States of America"\n', { country: 'US', network: '8.8.8.0/24' }],
    ['country', 'start,end,country\n8.8.8.0,8.8.8.250,US\n', { country: 'US', network: '8.8.8.0–8.8.8.250' }],
    [
      'city',
      '8.8.8.0,8.8.8.255,US,California,,Mountain View,94043,37.4056,-122.0775,\n',
      { city: 'Mountain View', latitude: 37.4056, level: 'city' },
    ],
    [
      'city',
      '8.8.8.0,8.8.8.255,US,California,Mountain View,37.4056,-122.0775\n',
      { city: 'Mountain View', longitude: -122.0775 },
    ],
  ])('reads ranges by %s: %s', async (by, text, expected) => {
    const { about, answer } = await open(text, 'ranges.csv')
    expect(about.type).toBe(`CSV, ranges by ${by}`)
    expect(answer('8.8.8.8')).toMatchObject(expected)
  })

  it('reads whole numbers of IPv6, and mapped ones as what they are', async () => {
    const { about, answer } = await open(
      '"0","281470681743359","-","-"\n"281470816487424","281470816487679","US","United States"\n"55827987809411540836515382960316219392","55827987888639703350779720553860169727","IE","Ireland"\n',
      'IP2LOCATION-LITE-DB1.IPV6.CSV',
    )
    expect(about).toMatchObject({ provenance: 'IP2Location', families: [4, 6] })
    expect(answer('8.8.8.8')).toMatchObject({ country: 'US', network: '8.8.8.0/24' })
    expect(answer('2a00:1450::1')).toMatchObject({ country: 'IE' })
  })

  it.each([
    [
      '8.8.8.0,8.8.8.255,US\n8.8.9.0|8.8.9.255|US\n',
      '“test.csv”, line 2, does not start with the first and last address',
    ],
    ['8.8.8.0,8.8.8.255,US\n8.8.9.0,8.8.9.255,15169\n', 'line 2, has neither a country nor a network'],
    ['8.8.8.0,8.8.8.255,US\n8.8.8.128,8.8.9.255,US\n', 'line 2, is a range that overlaps another'],
    ['8.8.8.0,8.8.8.255,US\n8.8.8.0,8.8.8.255,DE\n', 'line 2, is a range that overlaps another'],
    ['8.8.8.255,8.8.8.0,US\n', 'line 1, does not start'],
    ['8.8.8.0,2a00::,US\n', 'line 1, does not start'],
    ['8.8.8.0/24,US\n', 'line 1, does not start'],
    [`8.8.8.0,8.8.8.255,US\n${'x'.repeat(5000)}`, 'line 2, has more than 4096 characters'],
    ['', 'contains no address range'],
    ['start,end,country\n', 'contains no address range'],
    ['\x1f\x8b\x08gzip', 'line 1'],
  ])('refuses %j', async (text, expected) => {
    expect(await refusal(text)).toContain(expected)
  })

  it('finds in sorted ranges what a search through all finds', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 40 }), fc.nat(255), (picked, asked) => {
        const text = picked.map((at) => `8.8.8.${at * 4},8.8.8.${at * 4 + 2},${at % 2 === 0 ? 'US' : 'DE'}`).join('\n')
        const read = readAddressCsv(new TextEncoder().encode(text))
        if (typeof read === 'string') return picked.length === 0
        const at = Math.floor(asked / 4)
        const expected = picked.includes(at) && asked % 4 < 3 ? (at % 2 === 0 ? 'US' : 'DE') : null
        const value = 0x08080800n + BigInt(asked)
        return read.answer({ family: 4, value, text: `8.8.8.${asked}` }).country === expected
      }),
    )
  })

  it('never throws, whatever the bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => void readAddressCsv(bytes)))
    const cell = fc.constantFrom('8.8.8.0', '8.8.8.255', '2a00::', 'US', '15169', '"', ',', '\t', '\n', '-', '37.5', '')
    fc.assert(
      fc.property(fc.array(cell, { maxLength: 40 }), (cells) => {
        const read = readAddressCsv(new TextEncoder().encode(cells.join(',')))
        if (typeof read !== 'string') read.answer({ family: 4, value: 0x08080808n, text: '8.8.8.8' })
      }),
    )
  })
})

it('names a file that is not there', async () => {
  const opened = await openAddressDatabase({ file: join(folder, 'none.mmdb') }, null)
  expect(opened).toMatchObject({ ok: false, error: { code: 'input.not-found' } })
})
