import type { Reporter, TestModule } from 'vitest/node'

/**
 * Names every skipped test at the end, with the reason that stands in its name, and counts them: nothing is skipped in silence. Where
 * BAREWITNESS_NO_SKIPS is set, because every tool is expected to be there, a skipped test fails the run.
 */
export default class SkipReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map((test) => `${module.relativeModuleId}: ${test.fullName}`),
    )
    if (skipped.length === 0) return
    const refused = process.env.BAREWITNESS_NO_SKIPS === '1'
    const lines = skipped.map((name) => `  ${name}\n`).join('')
    process.stdout.write(`\nSkipped, each for the reason in its name:\n${lines}`)
    process.stdout.write(`${skipped.length} skipped${refused ? ', and BAREWITNESS_NO_SKIPS allows none' : ''}\n`)
    if (refused) process.exitCode = 1
  }
}
