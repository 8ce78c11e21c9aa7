import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { kitsOfEachTest } from './support/engine-kit.ts'

const { kitOver, keep } = kitsOfEachTest()
const CHOICE = { hidden: ['user'], by: 'name', isReversed: true }

test('a saved table is CSV in which no cell is a formula; without a chosen file nothing is written', async () => {
  const kit = await kitOver()
  const rows = [
    ['Node', 'Account'],
    ['db-1', '=1+1'],
  ]
  expect(await kit.get('table.save', { table: 'nodes', rows })).toBeNull()
  const path = join(kit.folder, 'nodes.csv')
  const reply = await kit.engine.call('table.save', { table: 'nodes', rows }, { path })
  expect(reply).toEqual({ ok: true, value: { file: 'nodes.csv' } })
  const text = readFileSync(path, 'utf8')
  expect(text.split(/\r?\n/)[0]).toContain('Account')
  expect(text).not.toMatch(/(^|,)"?=/m)
})

test('how a table is shown is the same the next time, each table for itself', async () => {
  const kit = await kitOver()
  expect(await kit.get('tables.get', null)).toEqual({})
  await kit.get('tables.choose', { table: 'nodes', choice: CHOICE })
  await kit.get('tables.choose', { table: 'findings', choice: { ...CHOICE, by: null } })
  const again = await kit.reopened()
  keep(again)
  expect(await again.get('tables.get', null)).toEqual({ nodes: CHOICE, findings: { ...CHOICE, by: null } })
})

test.each(['{', '[]', '{"nodes":{"hidden":[1],"by":null,"isReversed":false}}'])(
  'a file that cannot be read fails nothing: %s',
  async (text) => {
    const kit = await kitOver()
    writeFileSync(join(kit.folder, 'tables.json'), text)
    expect(await kit.get('tables.get', null)).toEqual({})
    expect(await kit.get('tables.choose', { table: 'nodes', choice: CHOICE })).toBeNull()
    expect(await kit.get('tables.get', null)).toEqual({ nodes: CHOICE })
  },
)
