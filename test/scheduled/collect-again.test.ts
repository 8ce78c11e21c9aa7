import { describe, expect, test } from 'vitest'
import type { RunResult } from '../../main/app/collect/run.ts'
import { collectAgain, worthAgain } from '../../main/app/scheduled/plan-run.ts'
import { ok } from '../../main/core/base/failure.ts'

const result = (outcomes: Readonly<Record<string, string | null>>, cancelled = false): RunResult => ({
  run: 'r1',
  cancelled,
  recordings: Object.entries(outcomes).map(([name, code]) => ({
    recording: {
      node: { name },
      outcome:
        code === null ? { status: 'complete', failure: null } : { status: 'failed', failure: { code, detail: 'x' } },
    },
  })) as unknown as RunResult['recordings'],
})

describe('which nodes are asked again', () => {
  test.each<readonly [string, Readonly<Record<string, string | null>>, readonly string[]]>([
    ['those that may answer later', { a: null, b: 'ssh.unreachable', c: 'ssh.lost' }, ['b', 'c']],
    ['no node whose login was refused', { a: null, b: 'ssh.auth-refused', c: 'ssh.timed-out' }, ['c']],
    ['no node whose host key is in doubt', { a: null, b: 'ssh.host-key-changed', c: 'ssh.host-key-unknown' }, []],
    ['those that were not reached in the queue', { a: null, b: null }, ['c']],
    ['not those that were left alone after refused logins', { a: null, b: 'ssh.auth-refused' }, []],
  ])('%s', (_, outcomes, again) => expect(worthAgain(['a', 'b', 'c'], result(outcomes))).toEqual(again))
})

describe('asking again', () => {
  const tried = async (
    retries: { times: number; waitMinutes: number },
    answers: readonly RunResult[],
    aborts = false,
  ) => {
    const stop = new AbortController()
    const [asked, waits]: [(readonly string[])[], number[]] = [[], []]
    let at = 0
    const next = async () => ok({ population: ['a', 'b'], result: answers[at++] ?? result({}) })
    const collected = await collectAgain({
      first: next,
      again: (run, nodes) => {
        asked.push([run, ...nodes])
        return next()
      },
      retries,
      wait: async (milliseconds) => {
        waits.push(milliseconds)
        if (aborts) stop.abort()
      },
      signal: stop.signal,
      report: () => undefined,
    })
    const names = collected.ok ? collected.value.result.recordings.map(({ recording }) => recording) : []
    return { asked, waits, states: names.map(({ node, outcome }) => `${node.name} ${outcome.status}`).sort() }
  }
  const missing = result({ a: null, b: 'ssh.unreachable' })
  test('continues with the run and the nodes that are missing, as often as the schedule states', async () => {
    const again = result({ b: 'ssh.unreachable' })
    expect(await tried({ times: 2, waitMinutes: 10 }, [missing, again, again])).toEqual({
      asked: [
        ['r1', 'b'],
        ['r1', 'b'],
      ],
      waits: [600_000, 600_000],
      states: ['a complete', 'b failed'],
    })
  })
  test('ends when all have answered, and keeps what others answered', async () => {
    const { asked, states } = await tried({ times: 5, waitMinutes: 1 }, [missing, result({ b: null })])
    expect([asked.length, states]).toEqual([1, ['a complete', 'b complete']])
  })
  test('does not follow a run that was stopped, nor continue when stopped while it waits', async () => {
    expect((await tried({ times: 2, waitMinutes: 1 }, [result({ a: null }, true)])).waits).toEqual([])
    expect((await tried({ times: 2, waitMinutes: 1 }, [missing], true)).asked).toEqual([])
  })
  test('without retries, once', async () =>
    expect((await tried({ times: 0, waitMinutes: 1 }, [missing])).waits).toEqual([]))
})
