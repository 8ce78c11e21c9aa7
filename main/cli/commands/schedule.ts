import type { Command } from 'commander'
import type { Schedule } from '../../../schemas/types.ts'
import { removeSchedule } from '../../app/schedules.ts'
import { plain } from '../../core/plain-text.ts'
import { type Context, endWith } from '../context.ts'
import { type FileOption, fileOf, scheduleNamed, withFile } from '../schedule-file.ts'
import { type KeyOptions, keyOptions, openSigner } from '../sealing.ts'
import { emit, say } from '../terminal.ts'
import { addCommand } from './schedule-add.ts'
import { installCommand, statusCommand } from './schedule-timers.ts'

/** `schedule …`: scheduled runs, and the timers of the operating system that start them. */
export function scheduleCommand(context: Context): void {
  const command = context.program.command('schedule').description('Manage scheduled runs')
  addCommand(context, command)
  listCommand(context, command)
  removeCommand(context, command)
  installCommand(context, command)
  statusCommand(context, command)
}

function listCommand(context: Context, command: Command): void {
  withFile(command.command('list'))
    .description('List schedules')
    .option('--json', 'Print JSON')
    .action(async (options: FileOption & { readonly json?: true }) => {
      const file = fileOf(context, options)
      const read = await context.ports.schedules.read(file)
      if (!read.ok) return endWith(context, read.error)
      if (options.json === true) emit(read.value)
      if (read.value.schedules.length === 0) say(`${file} contains no schedules.`)
      for (const { name, cadence, zone, fleetName, out, options: chosen } of read.value.schedules)
        say(`${name}: ${plain(fleetName)}, ${cadence} in ${zone}, into ${plain(out, 400)}${deadlineText(chosen)}`)
    })
}

const deadlineText = ({ deadlineSeconds }: Schedule['options']): string =>
  deadlineSeconds === undefined ? '' : `; time limit ${deadlineSeconds} seconds per node`

type RemoveOptions = FileOption & KeyOptions

function removeCommand(context: Context, command: Command): void {
  keyOptions(withFile(command.command('remove').argument('<name>', 'Name of the schedule')))
    .description('Delete a schedule and its timers')
    .action(async (name: string, options: RemoveOptions) => {
      const file = fileOf(context, options)
      const named = await scheduleNamed(context, file, name)
      if (!named.ok) return endWith(context, named.error)
      const key = { ...named.value.options, ...options }
      const removed = await removeSchedule(context.ports, name, { file, openSigner: () => openSigner(context, key) })
      if (!removed.ok) return endWith(context, removed.error)
      say(`Deleted: ${name}. The run chain records it. Collected evidence stays in ${plain(removed.value.out, 400)}.`)
    })
}
