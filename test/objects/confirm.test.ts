import { expect, test } from 'vitest'
import { openObjectFolder } from '../../main/adapters/objects/folder.ts'
import { keepObject } from '../../main/app/objects/state.ts'
import { folderOfTest } from '../support/folders.ts'
import { daysAhead, objectOf } from '../support/objects-contract.ts'
import { must } from '../support/outcomes.ts'

test('what is kept longer is the version with the bytes, also where another of its size was there before', async () => {
  const store = must(await openObjectFolder(folderOfTest('confirm')))
  const [key, content] = ['blobs/ab/evidence', objectOf('evidence')]
  const keep = async (days: number, isKnown: boolean): Promise<boolean> => {
    const found = must(await store.versions(key))
    return must(await keepObject(store, key, content, { until: daysAhead(days), found, isKnown }))
  }
  const foreign = must(await store.put(key, objectOf('EVIDENCE'), daysAhead(1)))
  expect(await keep(10, false)).toBe(true)
  expect(await keep(20, true)).toBe(false)
  const [first, own] = must(await store.versions(key))
  expect(first?.version).toBe(foreign)
  expect(must(await store.head(key, own?.version ?? ''))?.lock?.until.slice(0, 10)).toBe(daysAhead(20).slice(0, 10))
  expect(must(await store.head(key, foreign))?.lock?.until.slice(0, 10)).toBe(daysAhead(1).slice(0, 10))
})
