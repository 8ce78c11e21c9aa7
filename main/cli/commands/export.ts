import { askDatabases } from '../../app/location/ask-databases.ts'
import { outcomeOf } from '../../app/run.ts'
import { summaryText } from '../../app/summary.ts'
import { catalog } from '../../catalog/index.ts'
import { type Context, DEVIATIONS_EXIT_ZERO, EXIT, emit, endWith, FRAMEWORKS, printLine, worst } from '../options.ts'
import { scopeFor } from '../scope.ts'
import { exportAndPrint, type SigningOptions, signingOptions } from '../sealing.ts'

type Options = SigningOptions & {
  readonly out: string
  readonly fleet?: string
  readonly framework?: string
  readonly json?: true
  readonly deviationsExitZero?: true
}

/** `export RECORDINGS… --out DIR`: a sealed pack, a signed report and tables. */
export function exportCommand(context: Context): void {
  const command = context.program
    .command('export')
    .description('Create a sealed pack, report and tables from recordings')
    .argument('<recordings...>', 'Folders of recordings')
    .requiredOption('--out <folder>', 'Folder for the files')
    .option('--fleet <file>', 'Fleet file whose nodes are the declared population')
    .option(...FRAMEWORKS)
    .option('--json', 'Print the assessment as JSON')
    .option(...DEVIATIONS_EXIT_ZERO)
  signingOptions(command).action(async (folders: string[], options: Options) => {
    const { ports } = context
    const recordings = await ports.readRecordings(folders)
    if (!recordings.ok) return endWith(context, recordings.error)
    const scope = await scopeFor(ports, options, recordings.value)
    if (!scope.ok) return endWith(context, scope.error)
    const asked = await askDatabases(scope.value.scope, scope.value.databases, recordings.value)
    if (!asked.ok) return endWith(context, asked.error)
    const run = recordings.value[0]?.recording.run ?? 'export'
    const exported = await exportAndPrint(context, options, {
      run,
      scope: asked.value,
      inventory: scope.value.inventory,
      sites: scope.value.sites,
      recordings: recordings.value,
      folder: options.out,
      chainFolder: options.chain ?? null,
      timestampAuthority: scope.value.timestampAuthority,
    })
    if (!exported.ok) return endWith(context, exported.error)
    const { assessment, register, shortfalls } = exported.value
    if (options.json === true) emit(assessment)
    printLine('')
    printLine(summaryText({ assessment, catalog, register, recordings: recordings.value }))
    const { gaps, incomplete } = outcomeOf(assessment, register)
    context.exit(
      worst([
        gaps && options.deviationsExitZero !== true ? EXIT.gaps : EXIT.done,
        incomplete || shortfalls.length > 0 ? EXIT.incomplete : EXIT.done,
      ]),
    )
  })
}
