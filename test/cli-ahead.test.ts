import { expect, test } from 'vitest'
import { asksRules } from '../main/cli/ahead.ts'

test.each<[boolean, readonly string[]]>([
  [true, ['verify', 'run.barewitness.zip']],
  [true, ['verify', '--json', 'folder', '--trust', 'root.pem']],
  [false, ['verify', 'report.PDF']],
  [false, ['verify', '--help']],
  [false, ['verify', 'pack.zip', '-h']],
  [false, ['verify']],
  [false, ['collect', 'verify']],
  [false, []],
])('the rules begin ahead, %s: %j', (begins, args) => {
  expect(asksRules(args)).toBe(begins)
})
