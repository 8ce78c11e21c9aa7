import { importTranscript, printableCollector } from '../../app/collect/import-transcript.ts'
import { newRunId } from '../../app/collect/run.ts'
import { catalog } from '../../catalog/definition/index.ts'
import { evidenceFolder, recordingFolder } from '../../core/base/layout.ts'
import { type CollectOptions, collectFleet, collectOptions, stoppedRun } from '../parts/collecting.ts'
import { type Context, EXIT, emit, emitText, endWith, printLine } from '../parts/options.ts'
import { declaredNode } from '../parts/scope.ts'

type Options = CollectOptions & {
  readonly json?: true
  readonly script?: true
  readonly import?: string
  readonly sudo?: true
}

/** `collect`: recordings over SSH; `--script` and `--import` for a node without SSH access. */
export function collectCommand(context: Context): void {
  const command = context.program
    .command('collect')
    .description('Collect evidence from nodes over SSH')
    .option('--script', 'Print a POSIX sh collector to run on a node without SSH access')
    .option('--sudo', 'With --script: run privileged probes with sudo -n')
    .option('--import <file>', 'Import the output of the printed collector; its stderr must be in FILE.err')
    .option('--json', 'Print the stored recordings as JSON')
  collectOptions(command).action(async (options: Options) => {
    if (options.script === true)
      return emitText(
        printableCollector(catalog.probes, context.ports.entropy, {
          sudo: options.sudo === true,
          liveTests: options.liveTests === true,
        }),
      )
    if (options.import !== undefined) return await readBack(context, options.import, options)
    const collected = await collectFleet(context, options)
    if (!collected.ok) return endWith(context, collected.error)
    const { run, result, population } = collected.value
    const folders = result.recordings.map(({ recording }) => `${evidenceFolder(options.out)}/${run}/${recording.id}`)
    if (options.json === true)
      emit({
        run,
        cancelled: result.cancelled,
        recordings: result.recordings.map(({ recording }, at) => ({
          folder: folders[at],
          node: recording.node.name,
          outcome: recording.outcome,
        })),
      })
    printLine(`${result.recordings.length} recordings in ${evidenceFolder(options.out)}/${run}`)
    const complete = result.recordings.filter(({ recording }) => recording.outcome.status === 'complete').length
    if (result.cancelled) return endWith(context, stoppedRun(run, options))
    if (complete < population.length) context.exit(EXIT.incomplete)
  })
}

async function readBack(context: Context, file: string, options: Options): Promise<void> {
  const { ports } = context
  const name = options.node?.[0]
  if (name === undefined) {
    printLine('--import requires --node NAME, the node that the transcript was collected from')
    return context.exit(EXIT.usage)
  }
  const stdout = await ports.files.read(file)
  if (!stdout.ok) return endWith(context, stdout.error)
  const stderr = await ports.files.read(`${file}.err`)
  const declared = await declaredNode(ports, options.fleet, name)
  if (!declared.ok) return endWith(context, declared.error)
  const run = newRunId(ports.clock, ports.entropy)
  const imported = importTranscript(
    {
      stdout: stdout.value,
      stderr: stderr.ok ? stderr.value : new Uint8Array(),
      node: declared.value,
      run,
      importedAt: ports.clock.now(),
    },
    catalog,
  )
  if (!imported.ok) return endWith(context, imported.error)
  const folder = recordingFolder(options.out, run, imported.value.recording.id)
  const written = await ports.writeRecording(folder, imported.value)
  if (!written.ok) return endWith(context, written.error)
  if (options.json === true)
    emit({ folder, captures: imported.value.captures.length, outcome: imported.value.recording.outcome })
  printLine(`${imported.value.captures.length} captures from the transcript stored in ${folder}`)
  if (imported.value.recording.outcome.status !== 'complete') context.exit(EXIT.incomplete)
}
