import { CHECK_CONFIG, type Context, EXIT, endWith, printLine } from '../parts/options.ts'

interface Options {
  readonly config?: string
  readonly zone?: string
  readonly checkConfig?: true
  readonly newToken?: string
}

/** `collector`: collects nodes of another network zone for a team server. */
export function collectorCommand(context: Context): void {
  context.program
    .command('collector')
    .description('Collect nodes of a network zone for a team server')
    .option('--config <file>', 'Configuration of the collector')
    .option('--zone <zone>', 'Zone whose nodes are collected; must agree with one in the configuration')
    .option(...CHECK_CONFIG)
    .option('--new-token <file>', 'Create a token and print the digest that its administrator enters at the server')
    .action(async ({ config: file, zone, ...options }: Options) => {
      const { collectorConfigIn, newToken, readProgramSecrets, runCollectorUntilStopped } = await import(
        '../parts/collector.ts'
      )
      if (options.newToken !== undefined) return newToken(context, options.newToken, 'collectors')
      if (file === undefined) {
        printLine('--config FILE or --new-token FILE is required')
        return context.exit(EXIT.usage)
      }
      const config = await collectorConfigIn(context, file, zone ?? null)
      if (!config.ok) return endWith(context, config.error)
      if (options.checkConfig === true) {
        const secrets = readProgramSecrets(config.value)
        if (!secrets.ok) return endWith(context, secrets.error)
        return printLine(`${file} is valid; zone: ${config.value.zone}.`)
      }
      return await runCollectorUntilStopped(context, config.value)
    })
}
