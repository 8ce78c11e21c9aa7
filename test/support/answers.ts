import type { Answer, Parsed } from '../../main/core/recording/probe.ts'

/** An answer for a parser's test, written as its text. */
export const answer = (text: string, rest: Partial<Answer> = {}): Answer => ({
  exitCode: 0,
  text,
  errorText: '',
  bytes: new TextEncoder().encode(text),
  seconds: { node: null, collectingComputer: null },
  ...rest,
})

/** The fact of a reading; a test that gets a reason instead fails with it. */
export function fact<F>(reading: Parsed<F>): F {
  if (!reading.ok) throw new Error(`no fact: ${reading.reason}`)
  return reading.fact
}

export const reason = (reading: Parsed<unknown>): string => (reading.ok ? 'a fact' : reading.reason)

/** The error text of ls(1) for paths that do not exist. */
export const absent = (...paths: readonly string[]): string =>
  paths.map((path) => `ls: cannot access '${path}': No such file or directory\n`).join('')
