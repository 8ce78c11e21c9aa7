import { expect, test } from 'vitest'
import { catalog } from '../../main/catalog/definition/index.ts'
import { SUBJECTS } from '../../main/catalog/definition/subjects.ts'
import { subjectFolders } from '../support/catalog-data.ts'

const sorted = (values: readonly string[]): readonly string[] => [...values].sort()

test('every folder with a subject is listed, under its own name', () => {
  expect(sorted(SUBJECTS.map(({ id }) => id))).toEqual(sorted([...subjectFolders().keys()]))
})

test('every probe and every check belongs to one subject', () => {
  const probes = SUBJECTS.flatMap(({ probes }) => probes.map(({ id }) => id))
  const checks = SUBJECTS.flatMap(({ checks }) => checks.map(({ id }) => id))
  expect(new Set(probes).size).toBe(probes.length)
  expect(new Set(checks).size).toBe(checks.length)
  expect(sorted(probes)).toEqual(sorted(catalog.probes.map(({ id }) => id)))
  // Completeness is evaluated over all probes, so the catalog itself makes that check.
  expect(sorted([...checks, 'evidence.collection-completeness'])).toEqual(sorted(catalog.checks.map(({ id }) => id)))
})
