import { describe, expect, test } from 'vitest'
import { nextFor } from '../../renderer/models/run-progress.ts'
import { REMEDY_WORDS, remedyRoute } from '../../renderer/state/node-remedies.ts'
import { FAILURE_CODES, nextInWindow } from '../../schemas/failure-words.ts'
import { remedyOf } from '../../schemas/node-remedies.ts'

const failed = (code: string) => ({ is: 'failed', code, detail: '' }) as const

describe('what can be done about a node that was not collected', () => {
  test('leads to the screen that the next step of its failure names', () => {
    for (const code of FAILURE_CODES.filter((one) => one.startsWith('ssh.'))) {
      const remedy = remedyOf(code)
      if (/under Declarations/.test(nextInWindow(code))) expect(remedy, code).toBe('edit-login')
      if (/Host keys/.test(nextInWindow(code))) expect(remedy, code).toBe('compare-host-key')
    }
  })

  test('is another try only where another try can end otherwise', () => {
    expect(['ssh.unreachable', 'ssh.lost', 'ssh.timed-out', 'run.cancelled'].map(remedyOf)).toEqual(
      Array(4).fill('collect-again'),
    )
    expect(['ssh.no-credential', 'ssh.auth-refused'].map(remedyOf)).toEqual(Array(2).fill('edit-login'))
    expect(remedyOf('ssh.host-key-changed')).toBe('compare-host-key')
  })

  test('opens the login of that node', () => {
    expect(remedyRoute('edit-login', 'gpu-08')).toEqual({ screen: 'declarations', part: 'nodes', nodes: ['gpu-08'] })
    expect(remedyRoute('collect-again', 'gpu-08')).toBeNull()
    expect(new Set(Object.values(REMEDY_WORDS)).size).toBe(3)
  })

  test('is stated next to the node, in the words for the window', () => {
    expect(nextFor(failed('ssh.no-credential'))).toBe(nextInWindow('ssh.no-credential'))
    expect(nextFor(failed('a code of a later version'))).toBe('')
    expect(nextFor({ is: 'done', captures: 3, partial: false })).toBe('')
  })
})
