import type { Command } from 'commander'
import { catalog } from '../../catalog/index.ts'
import { type SudoProgram, sudoProgram } from '../../catalog/sudo/probes.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { captureKey, type Parsed, type RunCommand, readProbe } from '../../core/probe.ts'
import type { LoadedRecording } from '../../core/recording.ts'
import { absentPrograms, rootCommands, type SudoersOptions, sudoersFor } from '../../core/sudoers.ts'
import { type Context, endWith } from '../context.ts'
import { emitText } from '../terminal.ts'

interface Options {
  readonly user: string
  readonly liveTests?: true
  readonly for?: string
  readonly sudoRs?: true
}

/** `catalog sudoers`: the sudoers file for any node, or with `--for RECORDING` for the programs and the sudo version of one node. */
export function catalogSudoersCommand(context: Context, parent: Command): void {
  parent
    .command('sudoers')
    .description('Print a sudoers file that allows only the privileged commands')
    .option('--user <name>', 'Audit login', 'bwaudit')
    .option('--for <folder>', 'Recording of a node: only its installed programs, in the syntax of its sudo version')
    .option('--sudo-rs', 'Use the syntax of sudo-rs (Ubuntu 25.10 and later)')
    .option('--live-tests', 'Also allow the commands of live tests')
    .action(async ({ user, liveTests, for: folder, sudoRs }: Options) => {
      const commands = rootCommands(catalog.probes, { liveTests: liveTests === true })
      const form: SudoersOptions = { user, ...(sudoRs === true ? { dialect: 'sudo-rs' as const } : {}) }
      if (folder === undefined) return emitText(sudoersFor(commands, form))
      const recording = await oneRecording(context, folder)
      if (!recording.ok) return endWith(context, recording.error)
      emitText(sudoersOfNode(commands, recording.value, form))
    })
}

async function oneRecording({ ports }: Context, folder: string): Promise<Outcome<LoadedRecording>> {
  const read = await ports.readRecordings([folder])
  if (!read.ok) return read
  const [source, ...others] = read.value
  if (source === undefined || others.length > 0)
    return fail('input.refused', `--for ${folder} must be the folder of exactly one recording`)
  return await source.load()
}

/** The rules for a recorded node: missing programs are left out, and comments state what the recording shows. */
export function sudoersOfNode(
  commands: readonly RunCommand[],
  recording: LoadedRecording,
  options: SudoersOptions,
): string {
  const absent = absentPrograms(recording)
  const left = [...new Set(commands.map(({ argv }) => String(argv[0])))].filter((program) => absent.has(program))
  const sudo = readProbe(
    sudoProgram,
    new Map(recording.captures.map((one) => [captureKey(one.meta.probe, one.meta.command), one])),
  )
  return sudoersFor(
    commands.filter(({ argv }) => !absent.has(String(argv[0]))),
    {
      ...(sudo.ok ? { dialect: sudo.fact.name, hasMergedFolders: sudo.fact.hasMergedFolders } : {}),
      ...options,
      notes: [
        `For the node that was recorded on ${recording.recording.endedAt.slice(0, 10)}.`,
        ...formNotes(sudo),
        left.length === 0
          ? 'It has every program that the privileged probes need.'
          : `Left out, because these programs are not installed: ${left.sort().join(', ')}.`,
      ],
    },
  )
}

function formNotes(sudo: Parsed<SudoProgram>): readonly string[] {
  if (!sudo.ok) return ['Its sudo version was not recorded: these lines work with every version.']
  const { name, version } = sudo.fact
  if (name === 'sudo-rs') return [`It runs sudo-rs ${version}: plain words only, in lists of at most 100.`]
  return [
    `It runs sudo ${version}, which ${knowsExpressions(version) ? 'supports regular expressions (1.9.10 and later)' : 'does not support regular expressions (before 1.9.10)'}; these lines use none.`,
  ]
}

const knowsExpressions = (version: string): boolean => {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.p]/).map(Number)
  return major > 1 || (major === 1 && (minor > 9 || (minor === 9 && patch >= 10)))
}
