import type { Reporter, TestModule } from 'vitest/node'

/** Names every skipped test at the end, with the reason that stands in its name, so that nothing is skipped in silence. */
export default class SkipReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map((test) => `${module.relativeModuleId}: ${test.fullName}`),
    )
    if (skipped.length === 0) return
    process.stdout.write(`\n${skipped.length} skipped:\n${skipped.map((name) => `  ${name}\n`).join('')}`)
  }
}
