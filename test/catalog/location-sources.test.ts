import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cloudInit } from '../../main/catalog/access/provider-access/probes.ts'
import { dmiIdentity, dmiTags } from '../../main/catalog/hardware/machine/dmi.ts'
import { bmc } from '../../main/catalog/hardware/management-controller/probes.ts'
import { dnsSearch, tpmTag } from '../../main/catalog/location/probes.ts'
import {
  assetTagSignals,
  cloudInitSignals,
  placeCountry,
  regionCountry,
  tpmTagSignals,
} from '../../main/catalog/location/provider-signals.ts'
import { countryInName, nameSignals, timePeerSignals, timezoneSignals } from '../../main/catalog/location/signals.ts'
import { timeChrony } from '../../main/catalog/operations/time/probes.ts'
import { tpmPresence } from '../../main/catalog/single-tenancy/boot-integrity/index.ts'
import { known, type Parsed, type Probe, readProbe, unknown } from '../../main/core/recording/probe.ts'
import { answer, fact } from '../support/answers.ts'
import { byKey } from '../support/evaluated.ts'
import { fixtureRecording } from '../support/fixtures.ts'

const captures = byKey(
  fixtureRecording('fx-loc-cloud', [cloudInit, dmiIdentity, dmiTags, dnsSearch, timeChrony, tpmTag]).captures,
)
const read = <F>(probe: Probe<F>): Parsed<F> => readProbe(probe, captures)
const factOf = <F>(probe: Probe<F>): F => fact(read(probe))

const NONE = unknown('not asked')

describe('names of regions', () => {
  test.each([
    ['aws', 'us-east-1', 'US'],
    ['aws', 'eu-central-1', 'DE'],
    ['aws', 'eu-central-2', 'CH'],
    ['aws', 'eu-west-3c', 'FR'],
    ['aws', 'us-gov-west-1', 'US'],
    ['aws', 'us-east-1-bue-1a', 'AR'],
    ['aws', 'us-west-2-lax-1a', 'US'],
    ['aws', 'us-east-1-xyz-1a', null],
    ['aws', 'eu-west-3-wl1-cmn-wlz-1', null],
    ['gce', 'europe-west1-b', 'BE'],
    ['gce', 'europe-west10-a', 'DE'],
    ['gce', 'europe-west12-a', 'IT'],
    ['gce', 'europe-west11', null],
    ['azure', 'eastus2', 'US'],
    ['azure', 'eastasia', 'HK'],
    ['oracle', 'eu-frankfurt-1', 'DE'],
    ['hetzner', 'fsn1-dc14', 'DE'],
    ['hetzner', 'eu-central', null],
    ['vultr', 'EWR', 'US'],
    ['digitalocean', 'tor1', 'CA'],
    ['aws', 'mars-north-1', null],
    ['nobody', 'us-east-1', null],
    ['constructor', 'us-east-1', null],
    ['aws', '', null],
  ])('%s %s', (cloud, region, country) => {
    expect(regionCountry(cloud, region)).toBe(country)
  })

  test('a zone is more specific than its region: one of Hetzner’s spans two countries, and zones of AWS are located elsewhere', () => {
    expect(placeCountry('hetzner', 'eu-central', 'hel1-dc2')).toBe('FI')
    expect(placeCountry('aws', 'us-east-1', 'us-east-1-scl-1a')).toBe('CL')
    expect(placeCountry('aws', 'us-east-1', 'us-east-1-xyz-1a')).toBeNull()
    expect(placeCountry('aws', 'us-east-1', null)).toBe('US')
    expect(placeCountry('oracle', 'us-ashburn-1', 'EMIr:US-ASHBURN-AD-1')).toBe('US')
  })
})

describe('cloud-init and the time zone', () => {
  test('a region is the provider’s statement, in a file of the administrators', () => {
    expect(cloudInitSignals(read(cloudInit))).toMatchObject([
      { id: 'cloud-init', class: 'E5', hint: false, country: 'US', place: null },
    ])
    expect(
      cloudInitSignals(known({ present: true, cloudName: 'nocloud', region: null, availabilityZone: null })),
    ).toEqual([])
    expect(
      cloudInitSignals(known({ present: true, cloudName: 'x', region: 'y', availabilityZone: null })),
    ).toMatchObject([{ country: null }])
  })

  test('a time zone is a hint, and UTC is nothing', () => {
    expect(timezoneSignals(known({ zone: 'Europe/Berlin', locale: null }))).toMatchObject([
      { hint: true, country: 'DE' },
    ])
    for (const zone of [null, 'UTC', 'Etc/UTC']) expect(timezoneSignals(known({ zone, locale: null }))).toEqual([])
  })
})

describe('tags, names and clocks', () => {
  const dmi = (chassisAssetTag: string) => known({ ...factOf(dmiIdentity), chassisAssetTag })

  test('a tag names no country; what a factory left is no tag', () => {
    const found = assetTagSignals(dmi('DC2-R14-U07'), known({ board: null, sku: null }), NONE)
    expect(found).toMatchObject([{ id: 'asset-tag.chassis', class: 'E5', country: null }])
    for (const text of [
      '',
      'Default string',
      'To Be Filled By O.E.M.',
      'Not Specified',
      '01234567890123456789AB',
      'No Asset Tag',
      'OracleCloud.com',
      ' ',
    ])
      expect(assetTagSignals(dmi(text), NONE, NONE), text).toEqual([])
  })

  test('what an operator wrote into the controller’s inventory', () => {
    const empty = answer('', { exitCode: 1 })
    const reading = bmc.parse({
      controller: answer('Device ID                 : 32\nManufacturer Name         : Supermicro\n'),
      sensors: empty,
      inventory: answer(
        ' Board Mfg             : Supermicro\n Board Serial          : B1\n Product Asset Tag     : IAD2-0417\n Product Extra         : row 7\n',
      ),
      events: empty,
      power: empty,
    })
    expect(assetTagSignals(NONE, NONE, reading)[0]?.text).toContain(
      'Product Asset Tag “IAD2-0417”, Product Extra “row 7”',
    )
  })

  test('codes of cities in names are hints', () => {
    expect(countryInName('gpu-07.fra2.example')?.country).toBe('DE')
    expect(countryInName('iad1-leaf-3')?.country).toBe('US')
    for (const name of ['gpu-07', 'france-node', 'sealed', 'iad-fra-link', '', '....'])
      expect(countryInName(name), name).toBeNull()
    const host = known({ hostname: 'n1.ams4.example', bootId: '' })
    expect(nameSignals(host, read(dnsSearch))).toMatchObject([
      { id: 'host-name', hint: true, country: 'NL' },
      { id: 'dns-search', hint: true, country: 'US' },
    ])
    expect(dnsSearch.parse({ lines: answer('domain a.example\nsearch b.example\tc.example \n') })).toEqual(
      known({ domains: ['b.example', 'c.example'] }),
    )
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), (name) => {
        expect(typeof countryInName(name)).toBe('object')
      }),
    )
  })

  test('a clock inside a cloud’s network names the cloud and no place', () => {
    expect(timePeerSignals(read(timeChrony))).toMatchObject([{ hint: true, country: null }])
    expect(
      timePeerSignals(known({ synchronized: true, stratum: 3, measuredAt: 0, offsetSeconds: 0, usableSources: 1 })),
    ).toEqual([])
  })
})

describe('a tag in the TPM', () => {
  test('is named, and attests nothing', () => {
    const registers = (value: string): Parsed<ReturnType<typeof presence>> => known(presence(value))
    const presence = (value: string) => ({ version: '2', registers: new Map([[22, value]]) })
    expect(factOf(tpmTag).indices).toEqual([0x1c00002, 0x1c10110])
    const found = tpmTagSignals(read(tpmTag), registers('ab'.repeat(32)))
    expect(found.map(({ id, hint, country, class: kind }) => [id, hint, country, kind])).toEqual([
      ['tpm-tag.index', true, null, 'E5'],
      ['tpm-tag.register', true, null, 'E5'],
    ])
    for (const value of ['00'.repeat(32), 'ff'.repeat(32)]) expect(tpmTagSignals(NONE, registers(value))).toEqual([])
    expect(tpmTagSignals(NONE, unknown(tpmPresence.title))).toEqual([])
    expect(tpmTag.parse({ indices: answer('- 0x1\nERROR: x\n') }).ok).toBe(false)
    expect(tpmTag.parse({ indices: answer('') })).toEqual(known({ indices: [] }))
  })
})
