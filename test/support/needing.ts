import { spawnSync } from 'node:child_process'
import { describe, test } from 'vitest'

/** Whether a program is on the PATH. */
export const isInstalled = (program: string): boolean => spawnSync('which', [program]).status === 0

/** Why tests with a program cannot run here; null where it is installed. */
export const whyNo = (program: string): string | null => (isInstalled(program) ? null : `${program} is not installed`)

/** The name of a test or group, with the reason where it is skipped: the reporter of skipped tests prints it. */
export const titled = (name: string, missing: string | null): string =>
  missing === null ? name : `${name} (skipped: ${missing})`

/** A group of tests that needs something. `missing`: why it is skipped here; null where it runs. */
export const describeUnless = (missing: string | null, name: string, tests: () => void, timeout?: number): void =>
  void describe.skipIf(missing !== null)(titled(name, missing), tests, timeout)

/** The same for one test. */
export const testUnless = (
  missing: string | null,
  name: string,
  run: () => unknown | Promise<unknown>,
  timeout?: number,
): void => void test.skipIf(missing !== null)(titled(name, missing), run as () => Promise<void>, timeout)
