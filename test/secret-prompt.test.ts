import { PassThrough } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { askSecret } from '../main/cli/parts/secret-prompt.ts'

/** A terminal whose person types `keys` as soon as a question is shown, one entry for each question. */
function terminal(...keys: readonly string[]) {
  const input = Object.assign(new PassThrough(), { isTTY: true })
  const shown: string[] = []
  const typed = [...keys]
  const output = Object.assign(new PassThrough(), { isTTY: true })
  output.on('data', (chunk) => {
    shown.push(String(chunk))
    if (!String(chunk).endsWith(': ')) return
    const next = typed.shift()
    if (next !== undefined) setImmediate(() => input.write(next))
  })
  return { input, output, shown: () => shown.join('') }
}

afterEach(() => vi.restoreAllMocks())

test('gives what was typed, and shows the question and not the answer', async () => {
  const one = terminal('correct horse battery\r')
  expect(await askSecret('Passphrase of identity acme', one)).toBe('correct horse battery')
  expect(one.shown()).toContain('Passphrase of identity acme: ')
  expect(one.shown()).not.toContain('horse')
})

test('gives an empty answer as empty', async () => {
  expect(await askSecret('Passphrase', terminal('\r'))).toBe('')
})

test('a question that ends with a colon has one', async () => {
  const one = terminal('x\r')
  await askSecret('Password: ', one)
  expect(one.shown()).toContain('Password: ')
  expect(one.shown()).not.toContain(': :')
})

test('questions asked at the same time are shown one after the other, each with its own answer', async () => {
  const one = terminal('first\r', 'second\r')
  expect(await Promise.all([askSecret('Key one', one), askSecret('Key two', one)])).toEqual(['first', 'second'])
})

test('the end of the input is no answer', async () => {
  const one = terminal('\u0004')
  expect(await askSecret('Passphrase', one)).toBeNull()
  expect(one.shown()).toMatch(/: \n$/)
})

test('Ctrl-C is passed on to the program as elsewhere, and is no answer', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  expect(await askSecret('Passphrase', terminal('secr\u0003'))).toBeNull()
  expect(kill.mock.calls).toEqual([[process.pid, 'SIGINT']])
})

test('without a terminal there is no question', async () => {
  const one = terminal('typed\r')
  expect(
    await askSecret('Passphrase', { input: Object.assign(one.input, { isTTY: false }), output: one.output }),
  ).toBeNull()
  expect(one.shown()).toBe('')
})
