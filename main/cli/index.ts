#!/usr/bin/env node
import { VERSION } from '../../schemas/version.ts'
import { rulesState } from '../adapters/kept-rules/index.ts'
import lock from '../catalog/definition/rules-lock.json' with { type: 'json' }
import { CATALOG_VERSION } from '../catalog/definition/version.ts'
import { plain } from '../core/base/plain-text.ts'
import { withPreparation } from './ahead.ts'
import { EXIT, type ExitCode, worst } from './parts/exit-codes.ts'

/**
 * A reader may close its end early, as `head` does: the command continues, its remaining output is dropped, and its exit code is unchanged.
 * Any other write error is reported once and makes the output incomplete.
 */
function watchOutput(): () => boolean {
  let lost = false
  const watch = (name: string) => (problem: NodeJS.ErrnoException) => {
    if (problem.code === 'EPIPE' || lost) return
    lost = true
    process.stderr.write(`Could not write to ${name}: ${plain(problem.message, 300)}. The output is incomplete.\n`)
  }
  process.stdout.on('error', watch('stdout'))
  process.stderr.on('error', watch('stderr'))
  return () => lost
}

/**
 * Scripts query the version first; therefore it is printed without loading the catalog, which is most of the code of a start. The state of the
 * rules is printed in addition, for people.
 */
async function answer(args: readonly string[]): Promise<ExitCode> {
  if (args.length === 1 && (args[0] === '-V' || args[0] === '--version')) {
    process.stdout.write(`${VERSION}\n`)
    process.stderr.write(`Rules ${CATALOG_VERSION}: ${rulesState({ version: CATALOG_VERSION, module: lock.sha256 })}\n`)
    return EXIT.done
  }
  return await withPreparation(args, { version: CATALOG_VERSION, module: lock.sha256 }, async () =>
    (await import('./run-line.ts')).runLine(args),
  )
}

const outputLost = watchOutput()
const code = await answer(process.argv.slice(2))
process.exitCode = code
// A write may fail only after the command has ended.
process.on('exit', (ending) => {
  if (outputLost() && ending === code) process.exitCode = worst([code, EXIT.incomplete])
})
