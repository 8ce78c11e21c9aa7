import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countryNamed } from '../main/adapters/declarations/site-row.ts'
import { readSites, siteRowsInCsv, siteRowsInRedfish } from '../main/adapters/declarations/sites-file.ts'
import { siteRecordSignals } from '../main/catalog/location/signals/site-record.ts'
import type { Parsed } from '../main/core/recording/probe.ts'
import type { Context } from '../main/core/rules/check.ts'
import type { SiteList, SiteRow } from '../schemas/types.ts'
import { folderOfTests } from './support/folders.ts'
import { must } from './support/outcomes.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const csv = (text: string) => siteRowsInCsv(bytes(text))
const redfish = (value: unknown) => siteRowsInRedfish(bytes(JSON.stringify(value)))

describe('a table of sites', () => {
  it('is read under usual headings, with any usual separator', () => {
    expect(
      csv(
        'Serial Number;Data Center;Country;Lat;Lon;Radius (km);Address;Hall;Rack;U\nSN-1001;FRA-2;Germany;50,1109;8,6821°;1;"Hanauer Landstr. 1; Frankfurt";H2;R17;22\n\nSN-1002;FRA-2;DE;;;;;;n/a;-\n',
      ),
    ).toEqual({
      problems: [],
      rows: [
        {
          line: 2,
          serial: 'SN-1001',
          site: 'FRA-2',
          country: 'DE',
          latitude: 50.1109,
          longitude: 8.6821,
          radiusKm: 1,
          address: 'Hanauer Landstr. 1; Frankfurt',
          room: 'H2',
          rack: 'R17',
          unit: '22',
        },
        { line: 4, serial: 'SN-1002', site: 'FRA-2', country: 'DE' },
      ],
    })
    expect(csv('sn\tcountry\n="001001"\tUnited States\n')).toEqual({
      problems: [],
      rows: [{ line: 2, serial: '001001', site: 'United States', country: 'US' }],
    })
  })

  it.each([
    ['', null, 'is empty'],
    ['site,country\nFRA,DE\n', null, 'has no column for the serial number'],
    ['serial,rack\nSN-1001,R1\n', null, 'has no column for the site or country'],
    ['serial,site\n', null, 'no entries'],
    ['serial,site\n,FRA\n', 'line 2', 'has no serial number'],
    ['serial,site\nSN-1001,FRA\nTo Be Filled By O.E.M.,FRA\n', 'line 3', 'does not identify a machine'],
    ['serial,site,country\nSN-1001,FRA,Atlantis\n', 'line 2', 'has an unknown country “Atlantis”'],
    ['serial,site\nSN-1001,\n', 'line 2', 'neither a site nor a country'],
    ['serial,site,lat,lon\nSN-1001,FRA,50.1,\n', 'line 2', 'only one of latitude and longitude'],
    ['serial,site,lat,lon\nSN-1001,FRA,95,8\n', 'line 2', 'a number from -90 to 90'],
    ['serial,site\nSN-1001,FRA\nsn-1001 ,IAD\n', 'line 3', 'as line 2 does'],
    [`serial,site\nSN-1001,${'x'.repeat(301)}\n`, 'line 2', 'more than 300 characters for the site'],
    ['a\0b', null, 'is not a text table'],
    ['serial,site\n"SN-1001,FRA\n', null, 'is not a readable table'],
  ])('%j is refused', (text, at, expected) => {
    const [problem] = csv(text).problems
    if (at !== null) expect(problem?.at).toBe(at)
    expect(problem?.text).toContain(expected)
  })

  it('never throws, and gives rows of the schema or problems, whatever the bytes', () => {
    const cell = fc.constantFrom(
      'serial',
      'site',
      'lat',
      'lon',
      'SN-1001',
      'FRA',
      '50.1',
      '-',
      '"',
      ',',
      ';',
      '\n',
      '\0',
      '91',
    )
    fc.assert(fc.property(fc.array(cell, { maxLength: 40 }), (cells) => void csv(cells.join(','))))
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (some) => void siteRowsInCsv(some)))
  })
})

const CHASSIS = {
  '@odata.id': '/redfish/v1/Chassis/1U',
  SerialNumber: 'SN-1001',
  AssetTag: 'Chicago-45Z-2381',
  Location: {
    PostalAddress: {
      Country: 'US',
      Territory: 'OR',
      City: 'Portland',
      Street: '1001 SW 5th Avenue',
      HouseNumber: 1100,
      PostalCode: '97204',
      Building: 'PDX-1',
      Floor: '3',
    },
    Placement: { Row: 'North', Rack: 'B12', RackOffsetUnits: 'EIA_310', RackOffset: 42 },
    Latitude: 45.5,
    Longitude: -122.6,
  },
}

describe('Redfish Chassis resources', () => {
  const row: SiteRow = {
    line: 1,
    serial: 'SN-1001',
    site: 'PDX-1',
    country: 'US',
    latitude: 45.5,
    longitude: -122.6,
    address: '1100 1001 SW 5th Avenue, 97204, Portland, OR',
    room: 'floor 3, row North',
    rack: 'B12',
    unit: '42 EIA_310',
  }

  it('are read alone, in a list and in a collection', () => {
    const other = {
      ...CHASSIS,
      SerialNumber: 'SN-1002',
      Location: { PostalAddress: { City: 'Berlin', Country: 'Germany' } },
    }
    const second: SiteRow = {
      line: 2,
      serial: 'SN-1002',
      site: 'Berlin',
      country: 'DE',
      address: 'Berlin',
      unit: 'asset Chicago-45Z-2381',
    }
    expect(redfish(CHASSIS)).toEqual({ rows: [row], problems: [] })
    expect(redfish([CHASSIS, other])).toEqual({ rows: [row, second], problems: [] })
    expect(redfish({ '@odata.type': '#ChassisCollection.ChassisCollection', Members: [CHASSIS, other] })).toEqual({
      rows: [row, second],
      problems: [],
    })
  })

  it.each([
    [{ Members: [CHASSIS, { '@odata.id': '/redfish/v1/Chassis/2' }] }, '$.Members[1]', 'is a reference'],
    [[CHASSIS, { ...CHASSIS }], '$[1]', 'as $[0] does'],
    [{ ...CHASSIS, SerialNumber: null }, '$', 'has no serial number'],
    [{ ...CHASSIS, Location: {} }, '$', 'neither a site nor a country'],
    [[], null, 'contains no Chassis resource'],
    [[1], null, 'resources other than Chassis'],
    [null, null, 'resources other than Chassis'],
  ])('%j is refused', (value, at, expected) => {
    const [problem] = redfish(value).problems
    expect(problem?.at ?? null).toBe(at)
    expect(problem?.text).toContain(expected)
  })

  it('never throw, whatever the JSON', () => {
    fc.assert(fc.property(fc.json(), (json) => void siteRowsInRedfish(bytes(json))))
    fc.assert(fc.property(fc.jsonValue(), (value) => void redfish({ ...CHASSIS, Location: value })))
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (some) => void siteRowsInRedfish(some)))
  })
})

it.each([
  ['DE', 'DE'],
  ['de', 'DE'],
  ['Germany', 'DE'],
  ['Côte d’Ivoire', 'CI'],
  ['USA', 'US'],
  ['uk', 'GB'],
  ['United Kingdom', 'GB'],
  ['EU', null],
  ['DD', null],
  ['ZZ', null],
  ['', null],
  ['constructor', null],
])('the country %j is %s', (text, code) => {
  expect(countryNamed(text)).toBe(code)
})

describe('a file of sites', () => {
  const folder = folderOfTests('sites')
  const declared = { source: 'Hostrunway', on: '2026-11-01', declaredBy: 'M. Ortiz' }
  const put = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder, name), content)
    return name
  }
  const beside = join(folder, 'fleet.yaml')

  it('is kept with its name, size, digest and rows, beside its bytes', async () => {
    const text = 'serial,site\nSN-1001,FRA\n'
    const read = must(await readSites({ ...declared, file: put('sites.csv', text) }, beside))
    expect(read.bytes).toEqual(bytes(text))
    expect(read.sites).toMatchObject({
      ...declared,
      kind: 'csv',
      file: { name: 'sites.csv', size: 24 },
      rows: [{ serial: 'SN-1001' }],
    })
    expect(read.sites.signature).toBeUndefined()
    const json = await readSites({ ...declared, file: put('chassis.json', ` \n${JSON.stringify(CHASSIS)}`) }, beside)
    expect(json).toMatchObject({ ok: true, value: { sites: { kind: 'redfish' } } })
  })

  it('names each problem with its line', async () => {
    const file = put('bad.csv', 'serial,site\n,FRA\nSN-1001,\n')
    expect(await readSites({ ...declared, file }, beside)).toMatchObject({
      ok: false,
      error: {
        code: 'input.refused',
        detail: '“bad.csv”, line 2, has no serial number; “bad.csv”, line 3, has neither a site nor a country',
      },
    })
    expect(await readSites({ ...declared, file: 'none.csv' }, beside)).toMatchObject({
      error: { code: 'input.not-found' },
    })
    expect(await readSites({ ...declared, on: '2026-02-30', file }, beside)).toMatchObject({
      ok: false,
    })
  })
})

describe('what a record of sites states about a machine', () => {
  const list = (rows: readonly SiteRow[], more: Partial<SiteList> = {}): SiteList => ({
    source: 'Hostrunway',
    kind: 'csv',
    on: '2026-11-01',
    declaredBy: 'M. Ortiz',
    file: { name: 'sites.csv', size: 1, sha256: 'ab'.repeat(32) },
    rows: [...rows],
    ...more,
  })
  const context = (sites?: SiteList): Context => ({
    node: { name: 'gpu-01', address: '192.0.2.1', port: 22, user: 'bw', sudo: true },
    asOf: '2026-11-21T12:00:00.000Z',
    observedAt: '2026-11-21T11:00:00.000Z',
    thresholds: new Map(),
    ...(sites === undefined ? {} : { location: { sites } }),
  })
  const serials = (product: string, chassis = '', board = '') =>
    ({ ok: true, fact: { product, chassis, board } }) as const
  const FRA: SiteRow = {
    line: 2,
    serial: 'SN-1001',
    site: 'FRA-2',
    country: 'DE',
    latitude: 50.1,
    longitude: 8.7,
    rack: 'R17',
  }
  const signature = { subject: 'CN=Provider', fingerprint: 'cd'.repeat(32), cms: 'AAAA' }
  const only = (reading: Parsed<{ product: string; chassis: string; board: string }>, sites: SiteList) =>
    siteRecordSignals(reading, context(sites))[0]

  it('is a document by its serial number', () => {
    expect(only(serials('sn-1001 '), list([FRA]))).toEqual({
      id: 'site-record',
      class: 'E6',
      hint: false,
      country: 'DE',
      place: { name: 'FRA-2', country: 'DE', latitude: 50.1, longitude: 8.7, radiusKm: 10, declaredBy: 'Hostrunway' },
      probe: 'host.serials',
      text: 'The record of “Hostrunway” of 2026-11-01 (a table in “sites.csv”, unsigned) states, in line 2, that the machine with the serial number “sn-1001”, which the firmware reports, is in “FRA-2”, rack “R17”, DE.',
    })
  })

  it('is the signer’s statement where it is signed with the certificate that was confirmed as theirs, and else a document', () => {
    const signalWith = (more: Partial<SiteList>) => only(serials('x', 'SN-1001'), list([FRA], more))
    expect(signalWith({ signature })).toMatchObject({ class: 'E6', country: 'DE' })
    expect(signalWith({ signature })?.text).toContain(
      'signed as “CN=Provider”, certificate cdcdcdcdcdcdcdcd…, a key that was not confirmed: a key with any name can be created',
    )
    expect(signalWith({ signature, signer: 'ab'.repeat(32) })).toMatchObject({ class: 'E6' })
    expect(signalWith({ signer: 'cd'.repeat(32) })).toMatchObject({ class: 'E6' })
    expect(signalWith({ signature, signer: signature.fingerprint })).toMatchObject({ class: 'E2', country: 'DE' })
    expect(signalWith({ signature, signer: signature.fingerprint })?.text).toContain(
      'signed as “CN=Provider”, certificate cdcdcdcdcdcdcdcd…, which “M. Ortiz” recorded as the signer’s',
    )
  })

  it('is silent where no row, no serial number or no answer is there', () => {
    const silent = { country: null, place: null }
    expect(only(serials('SN-2002'), list([FRA]))).toMatchObject({
      ...silent,
      text: expect.stringContaining('has no row for'),
    })
    expect(
      only(serials('Default string', 'To be filled by O.E.M.'), list([{ ...FRA, serial: 'Default string' }])),
    ).toMatchObject({
      ...silent,
      text: expect.stringContaining('no serial number that identifies this machine'),
    })
    expect(only({ ok: false, reason: 'not collected: needs administrator rights (grep)' }, list([FRA]))).toMatchObject(
      silent,
    )
    expect(siteRecordSignals(serials('SN-1001'), context())).toEqual([])
  })

  it('counts for nothing before its own day, and states where other parts are recorded elsewhere', () => {
    expect(only(serials('SN-1001'), list([FRA], { on: '2026-11-22' }))).toMatchObject({ hint: true })
    const other: SiteRow = { line: 3, serial: 'CH-77', site: 'IAD-1', country: 'US' }
    const both = only(serials('SN-1001', 'CH-77'), list([FRA, other]))
    expect(both).toMatchObject({ hint: true, country: 'DE', text: expect.stringContaining('rows with another site') })
  })
})
