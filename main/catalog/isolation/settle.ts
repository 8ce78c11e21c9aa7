import type { Isolation } from '../../../schemas/types.ts'
import { argvOf, type Probe, type RunCommand } from '../../core/probe.ts'
import type { Observed } from './observe.ts'

type OpenPoint = Isolation['settle'][number]

/** The command as a person would type it. Constants of the catalog only, never words of a node. */
const typed = (command: RunCommand): string => argvOf(command).join(' ')

/** For every question that was not answered: what it would settle, and the exact command or right that is missing. */
export function openPoints(observed: readonly Observed[]): readonly OpenPoint[] {
  const byProbe = new Map<string, { probe: Probe<unknown>; reason: string; signals: string[] }>()
  for (const { signal, found } of observed) {
    if (found.reads !== 'unreadable') continue
    const open = byProbe.get(found.probe.id) ?? { probe: found.probe, reason: found.reason, signals: [] }
    open.signals.push(signal.id)
    byProbe.set(found.probe.id, open)
  }
  return [...byProbe.values()].map(({ probe, reason, signals }) => ({
    what: `${probe.title}: ${reason}.`,
    how: howTo(probe, reason),
    signals: signals.sort(),
  }))
}

function howTo(probe: Probe<unknown>, reason: string): string {
  const runs = Object.values(probe.commands).filter((command) => command.kind === 'run')
  const lines = runs.map((command) => `“${typed(command)}”`).join(', ')
  if (probe.live === true && reason.includes('not asked')) return `Collect with --live-tests: ${lines}.`
  if (/administrator rights|sudo does not allow/.test(reason))
    return `Allow the audit login these exact lines through sudo (“barewitness catalog sudoers” prints them): ${runs
      .filter(({ as }) => as === 'root')
      .map((command) => `“${typed(command)}”`)
      .join(', ')}.`
  if (reason.includes('tool absent'))
    return `The tool is not on the node. Where its owner has it there, collect again: ${lines}.`
  if (runs.length === 0) return 'Collect again over SSH.'
  return `Collect again${runs.some(({ as }) => as === 'root') ? ' with administrator rights' : ''}: ${lines}.`
}
