import type { RemediationVariant } from '../../../schemas/types.ts'
import type { CheckRemediation } from '../../core/work-order.ts'
import { familiesOf, partsOf } from './work-order-parts.ts'

/** The steps of a remediation as lines of plain text, for tools that show no Markdown: one block for each way. Constant text of the catalog. */
export const remedyLines = (remediation: CheckRemediation): readonly string[] =>
  remediation.steps.flatMap((variant, index) => [
    `${index + 1}. ${headOf(variant)}`,
    ...stepLines(variant),
    ...(index === remediation.steps.length - 1 ? [`Side effects: ${remediation.sideEffects}`] : []),
  ])

/** What a way does and on which systems. */
export const headOf = ({ title, when, families }: RemediationVariant): string =>
  `${title} (${[...(when === undefined ? [] : [`where ${when}`]), familiesOf({ families })].join('; ')})`

/** One way, line by line, and how it is verified. */
export function stepLines(variant: RemediationVariant): readonly string[] {
  const { inputs, prepare, files, commands, ask, note, verify } = partsOf(variant)
  return [
    ...inputs.map(({ name, is }) => `Set first: ${name}: ${is}`),
    ...prepare.map((line) => `Prepare: ${line}`),
    ...files.flatMap(({ path, content, mode }) => [
      `File ${path}, mode ${mode}, each line after its bar:`,
      // A bar, so that a line of the file cannot be read as a formula by a program that opens the CSV.
      ...content
        .trimEnd()
        .split('\n')
        .map((line) => `| ${line}`),
    ]),
    ...commands.map((line) => `Run: ${line}`),
    ...ask.map(
      (one) => `Request from the ${one.of}: ${one.for}${one.request === undefined ? '' : ` (${one.request})`}`,
    ),
    ...(note === undefined ? [] : [note]),
    `Verify: ${verify.command ?? verify.inspect ?? ''}`,
    `Expected: ${verify.expected}`,
  ]
}
