import type { CatalogReference } from '../../schemas/types.ts'
import { optimizeLater } from '../adapters/compiler.ts'
import { beginAhead, endAhead } from '../adapters/kept-rules/index.ts'

/** Commands that mostly end before optimizing their code saves time; a collection of hundreds of nodes gains nothing from it either. */
const SHORT: ReadonlySet<string> = new Set(['collect', 'verify'])

/** Runs a command after preparations that precede the loading of its code, which takes a tenth of a verification. Results do not change. */
export async function withPreparation<T>(
  args: readonly string[],
  rules: Pick<CatalogReference, 'module' | 'version'>,
  run: () => Promise<T>,
): Promise<T> {
  const [command = ''] = args
  if (SHORT.has(command)) optimizeLater()
  if (asksRules(args)) beginAhead(rules)
  try {
    return await run()
  } finally {
    // A refused command line never uses the rules.
    endAhead()
  }
}

/** Whether a command line verifies a pack, which needs rules; a PDF does not. */
export const asksRules = ([command, ...rest]: readonly string[]): boolean =>
  command === 'verify' &&
  rest.length > 0 &&
  !rest.some((one) => one === '-h' || one === '--help' || /\.pdf$/i.test(one))
