import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { catalog } from '../../main/catalog/index.ts'
import { SUBJECTS } from '../../main/catalog/subjects.ts'

const folder = fileURLToPath(new URL('../../main/catalog', import.meta.url))
const sorted = (values: readonly string[]): readonly string[] => [...values].sort()

test('every folder with a subject is listed, under its own name', () => {
  const folders = readdirSync(folder).filter((name) => existsSync(`${folder}/${name}/index.ts`))
  expect(sorted(SUBJECTS.map(({ id }) => id))).toEqual(sorted(folders))
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
