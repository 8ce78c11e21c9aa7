import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { changelog, KINDS, readFragment, releases } from './support/assemble-changelog.ts'

test('docs/changelog.md is what is assembled from docs/changes/', () => {
  expect(readFileSync('docs/changelog.md', 'utf8')).toBe(changelog())
})

test('fragments are named after their subject', () => {
  const places = releases().flatMap(({ fragments }) => fragments.map(({ place }) => place))
  expect(places.length).toBeGreaterThan(0)
  expect(places.filter((place) => !/\/[a-z0-9]+(-[a-z0-9]+)*\.md$/.test(place))).toEqual([])
})

test.each(KINDS)('a fragment of kind %s is read', (kind) => {
  expect(readFragment('x', `${kind}: Add a thing\n\nWhat it is.\n`)).toEqual({
    place: 'x',
    kind,
    title: 'Add a thing',
    text: 'What it is.',
  })
})

test.each([
  'Add a thing\n\nWhat it is.\n',
  'Other: Add a thing\n\nWhat it is.\n',
  'Feature: Add a thing.\n\nWhat it is.\n',
  'Feature: Add a thing\nWhat it is.\n',
  'Feature: Add a thing\n',
])('anything else is refused: %j', (source) => {
  expect(() => readFragment('docs/changes/x.md', source)).toThrow('docs/changes/x.md')
})
