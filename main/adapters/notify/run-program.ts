import { spawn } from 'node:child_process'
import { fail, type Outcome } from '../../core/failure.ts'
import { plain } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'

const LONGEST_COMPLAINT = 2000
const windows = process.platform === 'win32'

/**
 * Runs a program without a shell, with these bytes on its stdin, until it ends or `limit` milliseconds have passed;
 * then it and its child processes are stopped. Fails with notice.undelivered unless it ends with exit code 0.
 */
export function runProgram(argv: readonly [string, ...string[]], stdin: string, limit: number): Promise<Outcome<null>> {
  const [program, ...rest] = argv
  return new Promise((resolve) => {
    const failed = (why: string): void =>
      resolve(fail('notice.undelivered', `${plain(program, 300)}: ${plain(why, 300)}`))
    const child = spawn(program, rest, {
      shell: false,
      stdio: ['pipe', 'ignore', 'pipe'],
      // A process group of its own, so that its child processes can be stopped with it.
      detached: !windows,
      windowsHide: true,
    })
    let complaint = ''
    let late = false
    const timer = setTimeout(() => {
      late = true
      stop(child.pid)
      // A process that left the group may keep the pipe open indefinitely.
      child.stderr.destroy()
    }, limit)
    child.on('error', (problem) => {
      clearTimeout(timer)
      failed('code' in problem ? String(problem.code) : problem.message)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (complaint.length < LONGEST_COMPLAINT) complaint += chunk.toString('utf8')
    })
    // It need not read its input.
    child.stdin.on('error', () => undefined)
    child.stdin.end(stdin)
    child.on('exit', () => clearTimeout(timer))
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      if (late) return failed(`not finished after ${limit / 1000} s`)
      if (code === 0) return resolve(ok(null))
      const ended = code === null ? `ended by ${signal}` : `ended with exit code ${code}`
      const said = complaint.trim().split('\n', 1)[0] ?? ''
      return failed(said === '' ? ended : `${ended}: ${said}`)
    })
  })
}

function stop(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(windows ? pid : -pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
