import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLI } from '../support/built-cli.ts'
import { describeUnless } from '../support/needing.ts'

/** The built program when its output has no reader, or no room. */
const missing = existsSync('/dev/full')
  ? existsSync(CLI)
    ? null
    : 'out/main/cli.js is not built'
  : '/dev/full is missing'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bw-output-'))
  writeFileSync(join(folder, 'rejected.zip'), 'hello')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a line of sh in which "$@" is the program; `code` is the exit code of the program, whatever stands behind it in a pipe. */
function shell(line: string): { readonly code: string; readonly stdout: string; readonly stderr: string } {
  const script = `cd "$0"; { ${line}; }; cat code`
  const { stdout, stderr } = spawnSync('sh', ['-c', script, folder, process.execPath, CLI], { encoding: 'utf8' })
  const [, said = '', code = ''] = /^(.*?)(\d+)\n$/s.exec(stdout) ?? []
  return { code, stdout: said, stderr }
}

const REJECTED = 'verify rejected.zip --json'

describeUnless(missing, 'output that is not read', () => {
  test.each([
    ['no reader of stdout', `{ "$@" ${REJECTED} 2>err; echo $? >code; } | :`, '5'],
    ['no reader of stderr', `{ "$@" verify rejected.zip 2>&1 >out; echo $? >code; } | :`, '5'],
    ['no reader of either', `{ "$@" ${REJECTED} 2>&1; echo $? >code; } | :`, '5'],
    ['one line of it is read', `{ "$@" catalog signals --json 2>err; echo $? >code; } | head -1 >out`, '0'],
    ['one line of a text is read', `{ "$@" catalog signals 2>err; echo $? >code; } | head -1 >out`, '0'],
  ])('%s: the exit code is that of the command, and nothing is printed about it', (_, line, code) => {
    const ran = shell(`: >err; ${line}; cat err`)
    expect(ran).toMatchObject({ code, stderr: '' })
    expect(ran.stdout).not.toMatch(/EPIPE|Error|Could not write| at /)
  })

  test('a full disk under stdout is one line and an exit code of its own', () => {
    for (const command of ['catalog probes --json', 'catalog signals'])
      expect(shell(`"$@" ${command} >/dev/full; echo $? >code`), command).toEqual({
        code: '4',
        stdout: '',
        stderr: expect.stringMatching(/^Could not write to stdout: ENOSPC: [^\n]*\n$/),
      })
  })

  test('a full disk under stderr, or both, is an exit code', () => {
    const silent = { code: '4', stdout: '', stderr: '' }
    expect(shell('"$@" --help >/dev/full 2>&1; echo $? >code')).toEqual(silent)
    expect(shell('"$@" catalog signals >/dev/full 2>&1; echo $? >code')).toEqual(silent)
  })

  test('a full disk does not make a rejected pack look like anything else', () => {
    expect(shell(`"$@" ${REJECTED} >/dev/full 2>err; echo $? >code`).code).toBe('5')
    expect(shell('"$@" verify rejected.zip 2>/dev/full; echo $? >code').code).toBe('5')
  })
})
