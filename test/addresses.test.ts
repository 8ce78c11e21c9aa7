import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  address4,
  address6,
  carriedBy,
  isPublic,
  networkText,
  parseAddress,
  publicAddress,
} from '../main/core/geo/addresses.ts'

describe('addresses', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    [' [2001:DB8::0:1] ', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['192.0.2.7%eth0', '192.0.2.7'],
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['10:0:0:0:0:0:0:10', '10::10'],
    ['::ffff:192.0.2.33', '::ffff:c000:221'],
  ])('%s is read as %s', (text, expected) => {
    expect(parseAddress(text)?.text).toBe(expected)
  })

  it.each([
    '',
    'example.net',
    '192.0.2.01',
    '192.0.2.256',
    '192.0.2.1/24',
    '1.2.3',
    '2001:db8',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8:9',
    'g::1',
    '::1.2.3.999',
    '[::1]:22',
    '4294967295',
  ])('%s is no address', (text) => {
    expect(parseAddress(text)).toBeNull()
  })

  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '100.63.255.255',
    '100.128.0.0',
    '172.32.0.1',
    '198.20.0.1',
    '223.255.255.255',
    '2001:4860:4860::8888',
    '2600::1',
    '2a00:1450::1',
  ])('%s is public', (text) => {
    expect(publicAddress(text)?.address.text).toBe(text)
  })

  it.each([
    '0.1.2.3',
    '10.1.2.3',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '169.254.169.254',
    '172.31.0.1',
    '192.0.0.9',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.10',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fd00::1',
    'ff02::1',
    '2001:db8::1',
    '2001:2::1',
    '3fff::1',
    '64:ff9b:1::1',
    '4000::1',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '2002:a00:1::1',
  ])('%s is not public', (text) => {
    expect(publicAddress(text)).toBeNull()
  })

  it.each([
    ['::ffff:8.8.8.8', 'IPv4-mapped', '8.8.8.8'],
    ['64:ff9b::8.8.4.4', 'NAT64', '8.8.4.4'],
    ['2002:808:808::1', '6to4', '8.8.8.8'],
    // RFC 4380, 4: the client’s address with its bits turned round.
    ['2001:0:4136:e378:8000:63bf:f7f7:f7f7', 'Teredo', '8.8.8.8'],
  ])('%s carries (%s) %s', (text, via, inside) => {
    expect(publicAddress(text)).toMatchObject({ via, address: { family: 4, text: inside } })
  })

  it('writes and reads every address alike', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }), (value) => {
        const { text } = address6(value)
        expect(parseAddress(text)).toEqual({ family: 6, value, text })
      }),
    )
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 0xffff_ffffn }), (value) => {
        expect(parseAddress(address4(value).text)?.value).toBe(value)
      }),
    )
  })

  it('compresses runs of zeros as RFC 5952 asks', () => {
    const group = fc.constantFrom(0n, 0n, 0n, 1n, 0xabcdn)
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const value = groups.reduce<bigint>((sum, one) => sum * 65536n + one, 0n)
        const { text } = address6(value)
        expect(parseAddress(text)?.value).toBe(value)
        expect(text.includes('::') || !/(^|:)0:0(:|$)/.test(text)).toBe(true)
      }),
    )
  })

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f:.%[\]/]{0,60}$/)), (text) => {
        const address = parseAddress(text)
        if (address !== null) expect([isPublic(address), carriedBy(address)]).toHaveLength(2)
        publicAddress(text)
      }),
    )
  })

  it('names networks by their first address', () => {
    const four = parseAddress('8.8.9.1')
    const six = parseAddress('2001:4860:4860::8888')
    expect(four && networkText(four, 22)).toBe('8.8.8.0/22')
    expect(six && networkText(six, 32)).toBe('2001:4860::/32')
    expect(four && networkText(four, 0)).toBe('0.0.0.0/0')
  })
})
