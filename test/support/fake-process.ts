import { framesOf } from '../../main/core/collector/frames.ts'
import type { RemoteProcess } from '../../main/core/ports/ports.ts'

/** How a made-up node answers the collector. */
export interface Replayed {
  /** Stdout by "probe"; nothing for a probe that it has not. */
  readonly answers: Readonly<Record<string, string | Uint8Array>>
  readonly sudo: boolean
  /** Seconds since 1970, as its clock shows. */
  readonly epoch: number
  /** Awaited before the answer to the question of this number. */
  readonly beforeAnswer: (index: number, total: number) => Promise<void>
}

/** A remote shell that runs nothing: it reads the collector's script and writes the frames that a node with these answers would. */
export function replay(node: Replayed): RemoteProcess {
  const out: ((chunk: Uint8Array) => void)[] = []
  const err: ((chunk: Uint8Array) => void)[] = []
  const emit = (to: typeof out, bytes: Uint8Array | string): void => {
    for (const listener of to) listener(typeof bytes === 'string' ? Buffer.from(bytes) : bytes)
  }
  let script = ''
  let begun = false
  let gone = false
  let close = (_: { exitCode: number | null; lost: boolean }): void => undefined
  const closed: RemoteProcess['closed'] = new Promise((resolve) => {
    close = resolve
  })
  const run = async (): Promise<void> => {
    const nonce = /^N=([0-9a-f]{24})$/m.exec(script)?.[1] ?? ''
    emit(out, `${nonce} H 1 1000 ${node.epoch} t h\n`)
    const asked = script.split('\n').flatMap(readLine)
    for (const { index, asRoot, probe } of asked) {
      await node.beforeAnswer(index, asked.length)
      if (gone) return
      const denied = asRoot && !node.sudo
      const answer = denied ? '' : (node.answers[probe] ?? '')
      const stdout = typeof answer === 'string' ? Buffer.from(answer) : answer
      const frames = framesOf(nonce, { index, exit: denied ? 'n' : '0', stdout, stderr: new Uint8Array() })
      emit(out, frames.stdout)
      emit(err, frames.stderr)
    }
    emit(out, `${nonce} Z ${node.epoch}\n`)
    emit(err, `${nonce} Z 0\n`)
    close({ exitCode: 0, lost: false })
  }
  return {
    write: (data) => {
      script += Buffer.from(data).toString('latin1')
      if (begun || !/\n(exec cat|exit 0)\n/.test(script)) return
      begun = true
      void run()
    },
    end: () => undefined,
    onStdout: (listener) => void out.push(listener),
    onStderr: (listener) => void err.push(listener),
    closed,
    kill: () => {
      gone = true
      close({ exitCode: null, lost: true })
    },
  }
}

function readLine(line: string): readonly { index: number; asRoot: boolean; probe: string }[] {
  const found = /^(?:x .* \|\| )?([cdpq]) (\d+) .* # ([^/ ]+)\/\S+$/.exec(line)
  return found === null ? [] : [{ asRoot: /[pq]/.test(found[1] ?? ''), index: Number(found[2]), probe: found[3] ?? '' }]
}
