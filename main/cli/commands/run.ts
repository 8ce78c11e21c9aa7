import { chainFolderOf } from '../../app/chain-folder.ts'
import { outcomeOf } from '../../app/outcome.ts'
import { summaryText } from '../../app/summary.ts'
import { catalog } from '../../catalog/index.ts'
import { profileOf } from '../../core/fleet.ts'
import { inMemory } from '../../core/recording.ts'
import { type CollectOptions, collectFleet, collectOptions } from '../collecting.ts'
import type { Context } from '../context.ts'
import { endWith } from '../context.ts'
import { EXIT, worst } from '../exit-codes.ts'
import { frameworkList } from '../options.ts'
import { readSaid } from '../register.ts'
import { exportAndSay, type SigningOptions, signingOptions, stampingOf } from '../sealing.ts'
import { emit, say } from '../terminal.ts'

type RunOptions = CollectOptions &
  SigningOptions & { readonly framework?: string; readonly json?: true; readonly gapsExitZero?: true }

/** `run`: collect, assess and export in one go; what a schedule calls. */
export function runCommand(context: Context): void {
  const command = context.program
    .command('run')
    .description('collect + assess + export')
    .option('--framework <list>', 'hipaa,soc2,nprm')
    .option('--json', 'print the assessment')
    .option('--gaps-exit-zero', 'exit 0 when gaps are the only finding')
  signingOptions(collectOptions(command)).action(async (options: RunOptions) => {
    // A wrong address or file is told before a node is asked anything.
    const named = await stampingOf(context, options, undefined)
    if (!named.ok) return endWith(context, named.error)
    const said = await readSaid(context.world, options.register)
    if (!said.ok) return endWith(context, said.error)
    const collected = await collectFleet(context, options)
    if (!collected.ok) return endWith(context, collected.error)
    const { fleet, run, result, folder } = collected.value
    const frameworks = frameworkList(options.framework, fleet.frameworks ?? ['hipaa', 'soc2'])
    if (!frameworks.ok) return endWith(context, frameworks.error)
    const scope = {
      fleet: fleet.name,
      population: collected.value.population,
      frameworks: frameworks.value,
      ...profileOf(fleet),
    }
    const exported = await exportAndSay(context, options, {
      run,
      scope,
      recordings: result.recordings.map(inMemory),
      folder: `${folder}/${run}`,
      chainFolder: options.chain ?? chainFolderOf(folder, fleet.name),
      timestampAuthority: fleet.timestampAuthority,
    })
    if (!exported.ok) return endWith(context, exported.error)
    const { assessment, shortfalls } = exported.value
    if (options.json === true) emit(assessment)
    say('')
    say(summaryText(assessment, catalog))
    const { gaps, incomplete } = outcomeOf(assessment)
    context.exit(
      worst([
        gaps && options.gapsExitZero !== true ? EXIT.gaps : EXIT.done,
        incomplete || result.cancelled || shortfalls.length > 0 ? EXIT.incomplete : EXIT.done,
      ]),
    )
  })
}
