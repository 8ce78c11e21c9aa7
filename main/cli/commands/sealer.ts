import { CHECK_CONFIG, type Context, EXIT, endWith, printLine } from '../parts/options.ts'
import { type KeyOptions, keyOptions } from '../parts/sealing.ts'

interface Options extends KeyOptions {
  readonly config?: string
  readonly checkConfig?: true
  readonly newToken?: string
}

/** `sealer`: signs exports and entries of a team server with a key of this computer. */
export function sealerCommand(context: Context): void {
  const sealer = keyOptions(
    context.program
      .command('sealer')
      .description('Confirm and sign exports and entries of a team server with a local key')
      .option('--config <file>', 'Configuration of the sealer')
      .option(...CHECK_CONFIG)
      .option('--new-token <file>', 'Create a token and print the digest that the administrator enters at the server'),
  )
  sealer.action(async ({ config: file, ...options }: Options) => {
    const { newToken } = await import('../parts/collector.ts')
    if (options.newToken !== undefined) return newToken(context, options.newToken, 'sealers')
    if (file === undefined) {
      printLine('--config FILE or --new-token FILE is required')
      return context.exit(EXIT.usage)
    }
    const { readProgramSecrets, readSealerConfig, runSealerUntilStopped } = await import('../parts/sealer.ts')
    const config = await readSealerConfig(file)
    if (!config.ok) return endWith(context, config.error)
    if (options.checkConfig === true) {
      const secrets = readProgramSecrets(config.value)
      if (!secrets.ok) return endWith(context, secrets.error)
      return printLine(`${file} is valid; server: ${config.value.server}.`)
    }
    return await runSealerUntilStopped(context, config.value, options)
  })
  sealer
    .command('compare')
    .description('Compare the record of a sealer with packs and signed PDFs')
    .argument('<record>', 'Record of the sealer')
    .argument('<file...>', 'Packs, redacted copies, period reports, and PDFs')
    .option('--json', 'Print the comparison as JSON')
    .action(async (record: string, files: readonly string[], { json }: { readonly json?: true }) => {
      const { printRecordComparison } = await import('../parts/compare-record.ts')
      await printRecordComparison(context, record, files, json === true)
    })
}
