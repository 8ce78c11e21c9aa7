import { type Context, EXIT, endWith, printLine } from '../parts/options.ts'

interface Options {
  readonly config: string
  readonly checkConfig?: true
  readonly dryRun?: true
  readonly allowDemo?: true
  readonly again?: true
  readonly status?: true
}

/** `send [pack]`: sends findings and counts of a verified pack to other systems. */
export function sendCommand(context: Context): void {
  context.program
    .command('send')
    .description('Send findings and counts of a verified pack to other systems')
    .argument('[pack]', 'Evidence pack; without it, what waits in the outbox is sent')
    .requiredOption('--config <file>', 'Configuration of integrations')
    .option('--check-config', 'Validate the configuration with its secrets and exit')
    .option('--dry-run', 'Print what would be sent, and send nothing')
    .option('--allow-demo', 'Also send a demo pack; every item is marked as demo data')
    .option('--again', 'Also send items that were given up')
    .option('--status', 'Print what became of each run at each receiver, and send nothing')
    .action(async (pack: string | undefined, { config: file, ...options }: Options) => {
      const config = await context.ports.integrations.read(file)
      if (!config.ok) return endWith(context, config.error)
      if (options.checkConfig === true) {
        const { openTargets } = await import('../../app/outbox/send.ts')
        const targets = await openTargets(context.ports, config.value)
        if (!targets.ok) return endWith(context, targets.error)
        return printLine(`${file} is valid; targets: ${targets.value.length + (config.value.files?.length ?? 0)}.`)
      }
      if (options.status === true) {
        const { printStatus } = await import('../parts/sending.ts')
        return await printStatus(context, file)
      }
      if (pack === undefined && options.dryRun === true) {
        printLine('--dry-run needs a pack')
        return context.exit(EXIT.usage)
      }
      // Loaded when needed: few commands send.
      const { dryRun, send } = await import('../parts/sending.ts')
      return options.dryRun === true && pack !== undefined
        ? await dryRun(context, config.value, { ...options, pack })
        : await send(context, config.value, { ...options, ...(pack === undefined ? {} : { pack }) })
    })
}
