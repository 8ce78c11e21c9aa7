import { spawn } from 'node:child_process'
import { fail, type Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'

/**
 * Starts a program without a shell and does not wait for it: it continues after this process ends. Fails with input.refused where it
 * cannot be started; how it ends is not known here.
 */
export function startProgram(
  [program, ...rest]: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
): Promise<Outcome<null>> {
  return new Promise((resolve) => {
    const child = spawn(program, rest, {
      shell: false,
      stdio: 'ignore',
      detached: true,
      windowsHide: true,
      env: { ...process.env, ...environment },
    })
    child.on('error', (problem) =>
      resolve(fail('input.refused', `${plain(program, 300)}: ${plain(problem.message, 300)}`)),
    )
    child.on('spawn', () => {
      child.unref()
      resolve(ok(null))
    })
  })
}
