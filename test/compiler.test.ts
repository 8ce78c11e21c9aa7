import { expect, test } from 'vitest'
import { countsBytes } from '../main/adapters/compiler.ts'

test.each([
  ['Node.js 20', { v8: '11.3.244.8-node.38' }, true],
  ['Node.js 22, which counts calls', { v8: '12.4.254.21-node.57' }, false],
  ['Electron, whose flags may be frozen', { v8: '11.3.1', electron: '25.0.0' }, false],
])('%s', (_, versions, expected) => {
  expect(countsBytes(versions)).toBe(expected)
})
