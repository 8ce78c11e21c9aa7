#!/usr/bin/env node
import { plain } from '../core/plain-text.ts'
import { EXIT, worst } from './exit-codes.ts'
import { runLine } from './run-line.ts'
import { say } from './terminal.ts'

/**
 * A reader may close its end early, as `head` does: the command continues, its remaining output is dropped, and its exit code is unchanged.
 * Any other write error is reported once and makes the output incomplete.
 */
function watchOutput(): () => boolean {
  let lost = false
  const watch = (name: string) => (problem: NodeJS.ErrnoException) => {
    if (problem.code === 'EPIPE' || lost) return
    lost = true
    say(`Could not write to ${name}: ${plain(problem.message, 300)}. The output is incomplete.`)
  }
  process.stdout.on('error', watch('stdout'))
  process.stderr.on('error', watch('stderr'))
  return () => lost
}

const outputLost = watchOutput()
const code = await runLine(process.argv.slice(2))
process.exitCode = code
// A write may fail only after the command has ended.
process.on('exit', (ending) => {
  if (outputLost() && ending === code) process.exitCode = worst([code, EXIT.incomplete])
})
