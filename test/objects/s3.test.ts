import { describe, expect, test } from 'vitest'
import { openS3 } from '../../main/adapters/objects/s3.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import type { Outcome } from '../../main/core/base/failure.ts'
import type { ObjectStore } from '../../main/core/objects.ts'
import { type FakeAnswer, fakeS3, suitable } from '../support/fake-s3.ts'
import { newCertificate } from '../support/loopback-certificate.ts'
import { daysAhead, objectOf } from '../support/objects-contract.ts'
import { codeOf, detailOf, must } from '../support/outcomes.ts'

const pauses: number[] = []
const outside = { now: () => Date.now(), pause: async (ms: number) => void pauses.push(ms) }

/** A suitable bucket that answers everything else as given. */
async function opened(answer: FakeAnswer | null | ((target: string, asked: number) => FakeAnswer | null)) {
  const { place, asked } = await fakeS3((target, _, count) => {
    const own = suitable(target)
    if (own !== null) return own
    return typeof answer === 'function' ? answer(target, count) : answer
  })
  return { store: must(await openS3(place, 'p/', outside)), asked }
}

const version = (key: string, id: string, more = ''): string =>
  `<Version><Key>${key}</Key><VersionId>${id}</VersionId><Size>4</Size><IsLatest>true</IsLatest>${more}</Version>`
const page = (inner: string, more = ''): FakeAnswer => ({
  body: `<?xml version="1.0"?><ListVersionsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${more}${inner}</ListVersionsResult>`,
})
const next = (key: string, id = 'v'): string =>
  `<IsTruncated>true</IsTruncated><NextKeyMarker>${key}</NextKeyMarker><NextVersionIdMarker>${id}</NextVersionIdMarker>`

describe('a bucket that cannot keep evidence is refused', () => {
  const openWith = async (answer: (target: string) => FakeAnswer | null): Promise<Outcome<ObjectStore>> =>
    await openS3((await fakeS3(answer)).place, 'p/', outside)

  test.each([
    ['suspended versions', { body: '<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>' }],
    ['no versions', { body: '<VersioningConfiguration/>' }],
    ['no XML', { body: 'Enabled' }],
    ['another document', { body: '<Other><Status>Enabled</Status></Other>' }],
    ['an answer that is cut', { body: '<VersioningConfiguration><Status>Enabled</Status>' }],
    ['a redirect', { status: 301, headers: { location: 'http://127.0.0.1:1/' } }],
    ['no bucket', { status: 404, body: '<Error><Code>NoSuchBucket</Code></Error>' }],
    ['refused credentials', { status: 403, body: '<Error><Code>InvalidAccessKeyId</Code></Error>' }],
    ['no time', { headers: { date: 'soon' } }],
    ['a clock that is a day behind', { headers: { date: new Date(Date.now() - 86_400_000).toUTCString() } }],
    ['a clock that is ahead', { headers: { date: new Date(Date.now() + 400_000).toUTCString() } }],
    ['an answer without end', { body: 'x'.repeat(100_000) }],
  ])('%s', async (_, versioning: FakeAnswer) => {
    const found = await openWith((target) => (target.includes('versioning=') ? versioning : suitable(target)))
    expect(codeOf(found)).toBe('objects.refused')
  })
  test.each([
    { status: 404, body: '<Error><Code>ObjectLockConfigurationNotFoundError</Code></Error>' },
    { status: 200, body: '<ObjectLockConfiguration/>' },
  ])('one without Object Lock, with the next step', async (lock) => {
    const found = await openWith((target) => (target.includes('object-lock=') ? lock : suitable(target)))
    expect([codeOf(found), detailOf(found)]).toEqual([
      'objects.refused',
      'the bucket evidence has no Object Lock; create a bucket with Object Lock enabled, and name it in the configuration',
    ])
  })
  test('the same clock within five minutes is accepted', async () => {
    const headers = { date: new Date(Date.now() - 200_000).toUTCString() }
    expect(codeOf(await openWith((target) => ({ ...suitable(target), headers })))).toBe('ok')
  })
})

describe('requests', () => {
  test('errors that pass are tried again, with pauses, and others are not', async () => {
    let answers: readonly (FakeAnswer | null)[] = [null, { status: 503 }, { headers: { 'x-amz-version-id': 'v1' } }]
    let at = 0
    const { store } = await opened(() => answers[at++] ?? { status: 500 })
    pauses.length = 0
    expect(must(await store.put('k', objectOf('text'), daysAhead(1)))).toBe('v1')
    expect(pauses).toEqual([200, 1000])
    answers = [{ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }]
    at = 0
    expect(codeOf(await store.put('k', objectOf('text'), daysAhead(1)))).toBe('objects.refused')
    expect(at).toBe(1)
    answers = []
    at = 0
    expect(codeOf(await store.put('k', objectOf('text'), daysAhead(1)))).toBe('objects.unreachable')
    expect(at).toBe(3)
  })
  test('nothing that listens is unreachable', async () => {
    const place = { endpoint: 'http://127.0.0.1:1', region: 'r', bucket: 'b', accessKey: 'a', secretKey: 's', ca: null }
    expect(codeOf(await openS3(place, '', outside))).toBe('objects.unreachable')
  })
  test('a certificate is accepted only from the named authority', async () => {
    const [own, other] = [await newCertificate(), await newCertificate()]
    const { place } = await fakeS3(suitable, own)
    expect(codeOf(await openS3({ ...place, ca: own.cert }, '', outside))).toBe('ok')
    for (const ca of [null, other.cert])
      expect(codeOf(await openS3({ ...place, ca }, '', outside))).toBe('objects.unreachable')
  })
  test('neither key is in what a failure states', async () => {
    const { place } = await fakeS3(() => ({ status: 403, body: '<Error><Code>SignatureDoesNotMatch</Code></Error>' }))
    const found = await openS3({ ...place, accessKey: 'AKIA-own', secretKey: 'very-secret' }, '', outside)
    expect(detailOf(found)).not.toMatch(/AKIA-own|very-secret/)
  })
  test('an object that was stored without a version is not kept', async () => {
    for (const headers of [{}, { 'x-amz-version-id': 'null' }]) {
      const { store } = await opened({ headers: headers as Readonly<Record<string, string>> })
      expect(codeOf(await store.put('k', objectOf('text'), daysAhead(1)))).toBe('objects.refused')
    }
  })
  test.each([
    ['no lock', {}],
    ['a mode that is none', { 'x-amz-object-lock-mode': 'OFF', 'x-amz-object-lock-retain-until-date': daysAhead(1) }],
    ['a day that is none', { 'x-amz-object-lock-mode': 'COMPLIANCE', 'x-amz-object-lock-retain-until-date': 'later' }],
  ])('a head with %s states no lock', async (_, headers) => {
    const { store } = await opened({ headers: { ...headers, 'content-length': '4' } })
    expect(must(await store.head('k', 'v'))).toEqual({ size: 4, lock: null })
  })
  test('an object that is cut, longer or shorter than listed is not read as a whole', async () => {
    for (const answer of [{ body: 'te', isCut: true }, { body: 'text and more' }, { body: 'te' }, { status: 404 }]) {
      const { store } = await opened(answer)
      const stored = store.stored({ key: 'k', version: 'v', size: 4, hidden: false }, sha256('text'))
      await expect(stored.read()).rejects.toThrow()
    }
  })
})

describe('lists of versions', () => {
  test('pages are read to the end; what is behind a delete marker is marked', async () => {
    const marker = '<DeleteMarker><Key>p/b</Key><VersionId>d</VersionId><IsLatest>true</IsLatest></DeleteMarker>'
    const { store } = await opened((target) =>
      target.includes('key-marker')
        ? page(`${marker}${version('p/b', 'v3')}`)
        : page(`${version('p/a', 'v2')}${version('p/a', 'v1')}`, next('p/a')),
    )
    expect(must(await store.versions(''))).toEqual([
      { key: 'a', version: 'v1', size: 4, hidden: false },
      { key: 'a', version: 'v2', size: 4, hidden: false },
      { key: 'b', version: 'v3', size: 4, hidden: true },
    ])
  })
  test.each<readonly [string, FakeAnswer]>([
    ['one that was not asked for', page(version('q/a', 'v1'))],
    ['a version that is none', page(version('p/a', 'null'))],
    ['a version with other signs', page(version('p/a', '../v'))],
    ['no size', page('<Version><Key>p/a</Key><VersionId>v</VersionId></Version>')],
    ['no next page', page(version('p/a', 'v'), '<IsTruncated>true</IsTruncated>')],
    ['the same page without end', page(version('p/a', 'v'), next('p/a'))],
    ['an entity', { body: '<!DOCTYPE a [<!ENTITY b "c">]><ListVersionsResult/>' }],
    ['two documents', { body: '<ListVersionsResult/><ListVersionsResult/>' }],
    ['other bytes', { body: '\u0000\u0001' }],
    ['more parts than a page has', page('<Version/>'.repeat(6000))],
    ['an error', { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }],
  ])('%s is refused', async (_, answer) => {
    const { store } = await opened(answer)
    expect(codeOf(await store.versions(''))).toBe('objects.refused')
  })
  test('a list that goes back is refused', async () => {
    const { store } = await opened((target) =>
      target.includes('key-marker=p%2Fb') ? page('', next('p/a')) : page('', next('p/b')),
    )
    expect(codeOf(await store.versions(''))).toBe('objects.refused')
  })
})
