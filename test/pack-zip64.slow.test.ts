import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openPack, writePack } from '../main/adapters/pack/index.ts'
import { endRecords, listedRecord, localHeader } from '../main/adapters/pack/zip-format.ts'
import { folderOfTests } from './support/folders.ts'
import { must } from './support/outcomes.ts'
import { sampled } from './support/thorough.ts'
import { putTogether, takeApart } from './support/zip-parts.ts'

/** The 64-bit form (APPNOTE §4.3.14, §4.3.15, §4.5.3): written and accepted exactly where something needs it. */
const folder = folderOfTests('zip64')
const at = (name: string): string => join(folder, name)

const hex = (bytes: Buffer): string => bytes.toString('hex')
const entry = { name: 'a', crc: 0x11223344, at: 0 }

describe('records', () => {
  test('of an entry keep the short form up to the last size and place that fit', () => {
    expect(hex(localHeader({ ...entry, size: 0xfffffffe }))).toBe(
      '504b03041400000800000000210044332211fefffffffeffffff0100000061',
    )
    expect(hex(listedRecord({ ...entry, size: 5, at: 0xfffffffe }))).toBe(
      '504b01023f0314000008000000002100443322110500000005000000010000000000000000000000a481feffffff61',
    )
  })

  test('of an entry take the long form for a size from 4 GiB - 1 on', () => {
    const sizes = `01001000${'ffffffff00000000'.repeat(2)}`
    expect(hex(localHeader({ ...entry, size: 0xffffffff }))).toBe(
      `504b03042d00000800000000210044332211ffffffffffffffff0100140061${sizes}`,
    )
    expect(hex(listedRecord({ ...entry, size: 0xffffffff }))).toBe(
      `504b01023f032d00000800000000210044332211ffffffffffffffff010014000000000000000000a4810000000061${sizes}`,
    )
  })

  test('of the list take the long form for a place alone, and for both', () => {
    expect(hex(listedRecord({ ...entry, size: 5, at: 2 ** 32 + 7 }))).toBe(
      '504b01023f032d0000080000000021004433221105000000050000000100' +
        '0c000000000000000000a481ffffffff61010008000700000001000000',
    )
    expect(hex(listedRecord({ ...entry, size: 2 ** 33, at: 2 ** 32 + 7 })).slice(-56)).toBe(
      `01001800${'0000000002000000'.repeat(2)}0700000001000000`,
    )
  })

  test('of the end keep the short form up to 65,534 entries and 4 GiB - 2', () => {
    expect(hex(endRecords(65_534, 0xfffffffe, 5))).toBe('504b050600000000fefffeff05000000feffffff0000')
    expect(hex(endRecords(65_535, 9, 5))).toBe(
      '504b06062c000000000000003f032d000000000000000000ffff000000000000ffff00000000000005000000000000000900000000000000' +
        '504b0607000000000e0000000000000001000000' +
        '504b050600000000ffffffff05000000090000000000',
    )
    expect(hex(endRecords(3, 0xffffffff, 5)).slice(-44)).toBe('504b0506000000000300030005000000ffffffff0000')
  })
})

describe('an archive', () => {
  const many = (count: number): Map<string, Uint8Array> =>
    new Map(Array.from({ length: count }, (_, index) => [`data/${String(index)}`, Buffer.from([index & 255])]))

  test.each(
    sampled(
      [
        [65_535, true],
        [65_534, false],
        [70_000, true],
      ] as const,
      2,
    ),
  )('of %i entries opens, in the 64-bit form: %s', async (count, wide) => {
    expect(await writePack(at(`many-${count}.zip`), many(count))).toEqual({ ok: true, value: null })
    expect(readFileSync(at(`many-${count}.zip`)).includes('PK\x06\x06', -100, 'latin1')).toBe(wide)
    const pack = must(await openPack(at(`many-${count}.zip`)))
    expect(pack.paths.length).toBe(count)
    expect(pack.departures).toEqual([])
    expect([...(await pack.read('data/65533'))]).toEqual([65533 & 255])
    await pack.close()
  })

  let good: Buffer
  beforeAll(async () => {
    await writePack(at('good.zip'), many(3))
    good = readFileSync(at('good.zip'))
  })
  /** The good one with its ending replaced by a 64-bit one, then changed. */
  const ended = (change: (records: Buffer, listAt: number, listBytes: number) => void): Buffer => {
    const [listBytes, listAt] = [good.readUInt32LE(good.length - 10), good.readUInt32LE(good.length - 6)]
    const records = endRecords(0xffff, listAt, listBytes)
    for (const place of [24, 32]) records.writeBigUInt64LE(3n, place)
    change(records, listAt, listBytes)
    return Buffer.concat([good.subarray(0, good.length - 22), records])
  }
  /** The good one whose first entry was changed, in its own header or in the list. */
  const entered = (where: 'local' | 'listed', change: (bytes: Buffer) => Buffer): Buffer => {
    const [first, ...others] = takeApart(good)
    if (first === undefined) throw new Error('the archive is empty')
    const parts = [{ ...first, [where]: change(Buffer.from(first[where])) }, ...others]
    return putTogether(parts, parts)
  }
  const extra = (bytes: Buffer, headerBytes: number, field: readonly number[]): Buffer => {
    const nameEnd = headerBytes + bytes.readUInt16LE(headerBytes === 30 ? 26 : 28)
    const changed = Buffer.concat([bytes.subarray(0, nameEnd), Buffer.from(field), bytes.subarray(nameEnd)])
    changed.writeUInt16LE(field.length, headerBytes === 30 ? 28 : 30)
    return changed
  }
  const wide8 = [1, 0, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0]
  const full = (bytes: Buffer, place: number): Buffer => {
    bytes.writeUInt32LE(0xffffffff, place)
    return bytes
  }

  test.each<readonly [string, () => Buffer, RegExp]>([
    ['a 64-bit end that nothing needs', () => ended(() => undefined), /where it is not needed/],
    [
      'a 64-bit end beside a whole short one',
      () => ended((end) => [84, 86].map((place) => end.writeUInt16LE(3, place))),
      /between its list of entries and its end/,
    ],
    [
      'a short end that promises a 64-bit one',
      () => {
        const bytes = Buffer.from(good)
        for (const place of [14, 12]) bytes.writeUInt16LE(0xffff, bytes.length - place)
        return bytes
      },
      /lacks the 64-bit form/,
    ],
    ['a longer 64-bit end', () => ended((end) => end.writeBigUInt64LE(52n, 4)), /lacks the 64-bit form/],
    ['a locator to somewhere else', () => ended((end) => end.writeBigUInt64LE(0n, 64)), /lacks the 64-bit form/],
    ['a locator to another disk', () => ended((end) => end.writeUInt32LE(2, 72)), /several parts/],
    ['two counts of entries', () => ended((end) => end.writeBigUInt64LE(4n, 24)), /several parts/],
    [
      'more entries than are read',
      () => ended((end) => [24, 32].map((place) => end.writeBigUInt64LE(2n ** 63n, place))),
      /entries; at most 400000 are read/,
    ],
    [
      'more entries than its list has room for',
      () => ended((end) => [24, 32].map((place) => end.writeBigUInt64LE(70_000n, place))),
      /number of entries differs from the stated one/,
    ],
    ['a 64-bit size that nothing needs', () => entered('listed', (bytes) => extra(bytes, 46, wide8)), /not needed/],
    [
      'a small size in the 64-bit form',
      () => entered('listed', (bytes) => extra(full(bytes, 24), 46, wide8)),
      /not needed/,
    ],
    ['a size that is in no form', () => entered('listed', (bytes) => full(bytes, 24)), /or incompletely/],
    ['a 64-bit size in its own header only', () => entered('local', (bytes) => extra(bytes, 30, wide8)), /not needed/],
    [
      'two 64-bit sizes',
      () => entered('listed', (bytes) => extra(full(bytes, 24), 46, [...wide8, ...wide8])),
      /interpret differently/,
    ],
    [
      'half of an additional field',
      () => entered('listed', (bytes) => extra(bytes, 46, [1, 0, 9, 0, 1])),
      /different readers interpret differently/,
    ],
  ])('with %s is not opened', async (_, build, why) => {
    writeFileSync(at('bad.zip'), build())
    const pack = await openPack(at('bad.zip'))
    expect(pack).toMatchObject({ ok: false, error: { code: 'pack.unsafe' } })
    if (!pack.ok) expect(pack.error.detail).toMatch(why)
  })
})
