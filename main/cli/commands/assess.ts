import { registerInScope } from '../../app/attachments.ts'
import { askDatabases } from '../../app/location/ask-databases.ts'
import { outcomeOf } from '../../app/outcome.ts'
import { summaryText } from '../../app/summary.ts'
import { catalog } from '../../catalog/index.ts'
import { assess } from '../../core/assess.ts'
import { loadAll } from '../../core/recording.ts'
import type { Context } from '../context.ts'
import { endWith } from '../context.ts'
import { EXIT, worst } from '../exit-codes.ts'
import { DEVIATIONS_EXIT_ZERO, FRAMEWORKS, instant } from '../options.ts'
import { readRegister } from '../register.ts'
import { scopeFor } from '../scope.ts'
import { emit, printLine } from '../terminal.ts'

export interface AssessOptions {
  readonly fleet?: string
  readonly asOf?: string
  readonly framework?: string
  readonly register?: string
  readonly json?: true
  readonly deviationsExitZero?: true
}

/** `assess RECORDINGS…`: evaluates recordings without contacting a node. */
export function assessCommand(context: Context): void {
  context.program
    .command('assess')
    .description('Evaluate recordings and print results')
    .argument('<recordings...>', 'Folders of recordings')
    .option('--fleet <file>', 'Fleet file whose nodes are the declared population')
    .option('--as-of <time>', 'Evaluation date (UTC, ISO 8601); default now')
    .option(...FRAMEWORKS)
    .option('--register <file>', 'Register of risk acceptances, control decisions and documents')
    .option('--json', 'Print the assessment as JSON')
    .option(...DEVIATIONS_EXIT_ZERO)
    .action(async (folders: string[], options: AssessOptions) => {
      const { ports } = context
      const asOf = instant('--as-of', options.asOf, ports.clock)
      if (!asOf.ok) return endWith(context, asOf.error)
      const recordings = await ports.readRecordings(folders)
      if (!recordings.ok) return endWith(context, recordings.error)
      const scope = await scopeFor(ports, options, recordings.value)
      if (!scope.ok) return endWith(context, scope.error)
      const asked = await askDatabases(scope.value.scope, scope.value.databases, recordings.value)
      if (!asked.ok) return endWith(context, asked.error)
      const said = await readRegister(ports, options.register)
      if (!said.ok) return endWith(context, said.error)
      const register = registerInScope(catalog, said.value.register, asked.value)
      const loaded = await loadAll(recordings.value)
      if (!loaded.ok) return endWith(context, loaded.error)
      const assessment = assess({
        catalog,
        scope: asked.value,
        recordings: loaded.value,
        asOf: asOf.value,
        register,
      })
      if (options.json === true) emit(assessment)
      printLine(summaryText({ assessment, catalog, register, recordings: loaded.value }))
      const { gaps, incomplete } = outcomeOf(assessment, register)
      context.exit(
        worst([
          gaps && options.deviationsExitZero !== true ? EXIT.gaps : EXIT.done,
          incomplete ? EXIT.incomplete : EXIT.done,
        ]),
      )
    })
}
