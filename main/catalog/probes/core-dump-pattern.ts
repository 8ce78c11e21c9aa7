import { defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'

/** Where the kernel puts the memory of a crashed process, see core(5). */
export type CoreDumps =
  | { readonly kind: 'handler'; readonly program: string }
  | { readonly kind: 'file'; readonly pattern: string }

export const coreDumpPattern = defineProbe({
  id: 'memory.core-pattern',
  title: 'Destination of process memory dumps',
  why: 'When a program crashes, its memory, and the data in it, may be written to a drive.',
  commands: { pattern: run(['cat', '/proc/sys/kernel/core_pattern']) },
  parse: ({ pattern }) =>
    pattern.exitCode === 0 ? parseCorePattern(pattern.text) : unknown('the core dump pattern could not be read'),
})

/** Reads core_pattern: a leading pipe hands the dump to a program, anything else is a file name. */
export function parseCorePattern(text: string): Parsed<CoreDumps> {
  const pattern = text.replace(/\n$/, '')
  if (pattern.trim() === '') return unknown('the core dump pattern is empty')
  if (!pattern.startsWith('|')) return known({ kind: 'file', pattern })
  return known({ kind: 'handler', program: pattern.slice(1).trim().split(/\s+/)[0] ?? '' })
}
