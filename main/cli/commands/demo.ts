import { attachmentsOf } from '../../app/attachments.ts'
import { chainFolderOf } from '../../app/chain-folder.ts'
import { collectRun } from '../../app/collect-run.ts'
import { ALSO, exportRun } from '../../app/export.ts'
import { newRunId } from '../../app/run-id.ts'
import { summaryText } from '../../app/summary.ts'
import { demoVantageRecord } from '../../app/vantage.ts'
import { catalog } from '../../catalog/index.ts'
import { populationWith } from '../../core/engagement/coverage.ts'
import type { Context } from '../context.ts'
import { endWith } from '../context.ts'
import { EXIT } from '../exit-codes.ts'
import { LIVE_TESTS } from '../options.ts'
import { progressTo, say } from '../terminal.ts'

/** `demo`: the built-in demo fleet, audited over real SSH against in-process servers. Exits 0 when it ran as designed, gaps and all. */
export function demoCommand(context: Context): void {
  context.program
    .command('demo')
    .description('audit the built-in demo fleet and write report, pack and summary')
    .option('--out <folder>', 'where they go', 'demo-out')
    .option(...LIVE_TESTS)
    .action(async ({ out, liveTests }: { out: string; liveTests?: true }) => {
      const { world } = context
      const demo = await world.demo.start()
      try {
        const run = newRunId(world.clock, world.entropy)
        say(
          `Auditing the demo fleet: ${demo.targets.length} recorded nodes, answered by SSH servers inside this program. Demo data throughout.`,
        )
        const collected = await collectRun(world, catalog, {
          run,
          targets: demo.targets,
          storeFolder: `${out}/evidence`,
          concurrency: 4,
          marks: demo.marks,
          signal: new AbortController().signal,
          onEvent: progressTo(process.stderr),
          liveTests: liveTests === true,
          // The servers of the demo answer from this computer: nothing wavers that waiting would even out.
          spreadSeconds: 0,
        })
        if (!collected.ok) return endWith(context, collected.error)
        const asOf = world.clock.now()
        const { engagement, inventory, provider, register, attachments, location, sites } = demo.declared(asOf)
        const vantage = await demoVantageRecord(world, demo, asOf)
        if (!vantage.ok) return endWith(context, vantage.error)
        const nodes = demo.targets.map(({ node }) => node.name)
        const scope = {
          fleet: demo.fleet.name,
          population: populationWith(nodes, engagement),
          frameworks: ['hipaa', 'soc2'],
          enrolled: nodes,
          engagement,
          provider,
          location: { ...location, vantages: [vantage.value] },
        }
        const signer = await world.sealing.demoSigner()
        const exported = await exportRun(world, catalog, {
          run,
          scope,
          recordings: collected.value.recordings,
          asOf,
          signer,
          stamping: null,
          register,
          attachmentBytes: attachmentsOf(attachments),
          inventory,
          sites,
          also: ALSO,
          folder: out,
          chainFolder: chainFolderOf(out, demo.fleet.name),
        })
        if (!exported.ok) return endWith(context, exported.error)
        say('')
        say(summaryText(exported.value.assessment, catalog, exported.value.register))
        say('')
        say('Wrote')
        for (const { path } of exported.value.files) say(`  ${path}`)
        const pack = exported.value.files.find(({ path }) => path.endsWith('.zip'))?.path ?? ''
        say('')
        say(`Check it with:  node out/main/cli.js verify ${pack}`)
        context.exit(EXIT.done)
      } finally {
        await demo.close()
      }
    })
}
