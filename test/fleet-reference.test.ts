import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fleetReference } from './support/generate-fleet-reference.ts'

const text = fleetReference()

test('docs/fleet-file.md is what its generator writes', () => {
  expect(readFileSync('docs/fleet-file.md', 'utf8')).toBe(text)
})

test('every member of the fleet file and of a node is described', () => {
  const rows = text.split('\n').filter((line) => line.startsWith('| `'))
  expect(rows.length).toBeGreaterThan(40)
  const schema = JSON.parse(readFileSync('schemas/fleet.schema.json', 'utf8'))
  const own = [...Object.keys(schema.properties), ...Object.keys(schema.$defs.FleetNode.properties)]
  for (const name of own) {
    const row = rows.find((line) => line.startsWith(`| \`${name}\` |`))
    expect(row, name).toMatch(/[^|\s] \|$/)
  }
})
