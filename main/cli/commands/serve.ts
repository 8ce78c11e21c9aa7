import { ok } from '../../core/base/failure.ts'
import { CHECK_CONFIG, type Context, endWith, printLine } from '../parts/options.ts'

interface Options {
  readonly config: string
  readonly checkConfig?: true
  readonly verifyAudit?: true
  readonly record?: string
}

/** `serve`: the engine behind HTTP, for several people with browsers. */
export function serveCommand(context: Context): void {
  context.program
    .command('serve')
    .description('Serve engagements to several people in browsers')
    .requiredOption('--config <file>', 'Configuration of the team server')
    .option(...CHECK_CONFIG)
    .option('--verify-audit', 'Verify the chain of the audit log and its signatures, and exit')
    .option('--record <file>', 'With --verify-audit: the record of a sealer, whose heads must be in the log')
    .action(async ({ config: file, ...options }: Options) => {
      // Loaded when needed: no other command needs the engine and the server.
      const { checkFiles, checkIntegrations, runServer, teamConfigIn, verifyAudit } = await import(
        '../parts/serving.ts'
      )
      const config = await teamConfigIn(file)
      if (!config.ok) return endWith(context, config.error)
      if (options.verifyAudit === true) return await verifyAudit(context, config.value, options.record ?? null)
      if (options.checkConfig === true) {
        const { engagements } = config.value
        const files = checkFiles(config.value)
        if (!files.ok) return endWith(context, files.error)
        for (const { integrations } of engagements) {
          const usable = integrations === undefined ? ok(null) : await checkIntegrations(context.ports, integrations)
          if (!usable.ok) return endWith(context, usable.error)
        }
        return printLine(`${file} is valid; engagements: ${engagements.length}.`)
      }
      return await runServer(context, config.value, async () => await teamConfigIn(file))
    })
}
