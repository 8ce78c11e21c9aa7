import type { CatalogReference } from '../../schemas/types.ts'
import { optimizeLater } from '../adapters/compiler.ts'
import { beginAhead, endAhead } from '../adapters/kept-rules/index.ts'

/** Commands that mostly end before what they run repays being optimized: a collection of hundreds of nodes gains nothing by it. */
const SHORT: ReadonlySet<string> = new Set(['collect', 'verify'])

/** Runs a command, prepared for before its code is loaded, which takes a tenth of a verification. It changes no result. */
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
    // A line that is refused never asks them.
    endAhead()
  }
}

/** Whether a command line verifies a pack: a PDF is compared with no rules. */
export const asksRules = ([command, ...rest]: readonly string[]): boolean =>
  command === 'verify' &&
  rest.length > 0 &&
  !rest.some((one) => one === '-h' || one === '--help' || /\.pdf$/i.test(one))
