import { relative } from 'node:path'
import { collectRun } from '../../app/collect/collect-run.ts'
import { newRunId } from '../../app/collect/run.ts'
import { demoVantageRecord } from '../../app/collect/vantage-nodes.ts'
import { documentsOf } from '../../app/common/attachments.ts'
import { summaryText } from '../../app/evaluate/summary.ts'
import { ALSO, exportRun } from '../../app/export/export.ts'
import { catalog } from '../../catalog/definition/index.ts'
import { chainFolderOf, evidenceFolder } from '../../core/base/layout.ts'
import { populationWith } from '../../core/engagement/coverage.ts'
import { type Context, EXIT, endWith, LIVE_TESTS, printLine, progressTo } from '../parts/options.ts'

/** How this program was started, so that the printed command works from a checkout, too. */
function programCalled(): string {
  const path = process.argv[1] ?? ''
  return path.endsWith('.js') ? `node ${relative(process.cwd(), path)}` : 'barewitness'
}

/** `demo`: audits the built-in demo fleet over real SSH against in-process servers. Exits 0 despite its designed deviations. */
export function demoCommand(context: Context): void {
  context.program
    .command('demo')
    .description('Run a complete audit of the built-in demo fleet')
    .option('--out <folder>', 'Folder for the files', 'demo-out')
    .option(...LIVE_TESTS)
    .action(async ({ out, liveTests }: { out: string; liveTests?: true }) => {
      const { ports } = context
      const demo = await ports.demo.start()
      try {
        const run = newRunId(ports.clock, ports.entropy)
        printLine(
          `Auditing the demo fleet: ${demo.targets.length} recorded nodes, served by SSH servers inside this program. All data is demo data.`,
        )
        const collected = await collectRun(ports, catalog, {
          run,
          targets: demo.targets,
          storeFolder: evidenceFolder(out),
          concurrency: 4,
          marks: demo.marks,
          signal: new AbortController().signal,
          onEvent: progressTo(process.stderr),
          liveTests: liveTests === true,
          // The demo servers run on this computer: there is no network jitter to average out.
          spreadSeconds: 0,
        })
        if (!collected.ok) return endWith(context, collected.error)
        const asOf = ports.clock.now()
        const { engagement, inventory, provider, register, documents, location, sites } = demo.declared(asOf)
        const vantage = await demoVantageRecord(ports, demo, asOf)
        if (!vantage.ok) return endWith(context, vantage.error)
        const nodes = demo.targets.map(({ node }) => node.name)
        const scope = {
          fleet: demo.fleet.name,
          population: populationWith(nodes, engagement),
          frameworks: ['hipaa', 'soc2'],
          inFleet: nodes,
          engagement,
          provider,
          location: { ...location, vantages: [vantage.value] },
        }
        const signer = await ports.sealing.demoSigner()
        const exported = await exportRun(ports, catalog, {
          run,
          scope,
          recordings: collected.value.recordings,
          asOf,
          signer,
          stamping: null,
          register,
          attachmentBytes: documentsOf(documents),
          inventory,
          sites,
          also: ALSO,
          folder: out,
          chainFolder: chainFolderOf(out, demo.fleet.name),
        })
        if (!exported.ok) return endWith(context, exported.error)
        printLine('')
        const { assessment, register: own } = exported.value
        printLine(summaryText({ assessment, catalog, register: own, recordings: collected.value.recordings }))
        printLine('')
        printLine('Wrote')
        for (const { path } of exported.value.files) printLine(`  ${path}`)
        const pack = exported.value.files.find(({ path }) => path.endsWith('.zip'))?.path ?? ''
        printLine('')
        printLine(`Verify it with:  ${programCalled()} verify ${pack}`)
        context.exit(EXIT.done)
      } finally {
        await demo.close()
      }
    })
}
