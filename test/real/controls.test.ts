import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { catalog } from '../../main/catalog/definition/index.ts'

const missing = process.platform !== 'linux' ? 'needs Linux' : null

/** Words for a shell: patterns as they stand, everything else quoted. */
const typed = (argv: readonly (string | { readonly glob: string })[]): string =>
  argv.map((part) => (typeof part === 'string' ? `'${part.replaceAll("'", "'\\''")}'` : part.glob)).join(' ')

const controlled = catalog.probes.flatMap((probe) =>
  Object.entries(probe.commands).flatMap(([name, command]) =>
    command.kind === 'run' && command.control !== undefined && command.as === 'user'
      ? [[`${probe.id}/${name}`, command.argv, command.control] as const]
      : [],
  ),
)

describe.skipIf(missing !== null)(
  `what commands print on every system${missing === null ? '' : ` (${missing})`}`,
  () => {
    test.each(controlled)('%s', (_, argv, control) => {
      const { stdout } = spawnSync('sh', ['-c', typed(argv)], {
        encoding: 'latin1',
        env: { ...process.env, LC_ALL: 'C' },
      })
      expect(stdout.split('\n').some((line) => line.trimStart().startsWith(control))).toBe(true)
    })
  },
)
