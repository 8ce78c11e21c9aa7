import { ok } from '../../main/core/base/failure.ts'
import { framesOf } from '../../main/core/collector/frames.ts'
import type { Connection, Transport } from '../../main/core/ports/ports.ts'

/** How a node of a scripted fleet answers. Questions are “probe/command”. */
export interface ScriptedNode {
  readonly answer: (key: string) => string
  /** Told of every question that was put. */
  readonly asked?: (key: string) => void
  /** The connection is lost after so many answers. */
  readonly cutAfter?: number
}

/** Nodes without SSH that read the collector’s script and frame their answers: as many as a test wants, in no time. */
export const scriptedTransport = (nodeOf: (name: string) => ScriptedNode): Transport => ({
  connect: async ({ node }) => ok(scriptedConnection(nodeOf(node.name))),
})

function scriptedConnection({ answer, asked, cutAfter = Number.POSITIVE_INFINITY }: ScriptedNode): Connection {
  let [out, err] = [(_: Uint8Array): void => undefined, (_: Uint8Array): void => undefined]
  let settle = (_: { readonly exitCode: number | null; readonly lost: boolean }): void => undefined
  const closed = new Promise<{ readonly exitCode: number | null; readonly lost: boolean }>((resolve) => {
    settle = resolve
  })
  const play = (script: string): void => {
    const nonce = /^N=([0-9a-f]{24})$/m.exec(script)?.[1] ?? ''
    const keys = [...script.matchAll(/^(?:x .* \|\| )?[cdpq] (\d+) \d+ \d+ .* # (\S+\/\S+)$/gm)]
    out(Buffer.from(`${nonce} H 1 0 1763630000 t h\n`))
    for (const [at, [, index, key = '']] of keys.entries()) {
      if (at >= cutAfter) {
        settle({ exitCode: null, lost: true })
        return
      }
      asked?.(key)
      const stdout = Buffer.from(answer(key))
      const frames = framesOf(nonce, { index: Number(index), exit: '0', stdout, stderr: new Uint8Array() })
      out(frames.stdout)
      err(frames.stderr)
    }
    out(Buffer.from(`${nonce} Z 1763630001\n`))
    err(Buffer.from(`${nonce} Z 0\n`))
    settle({ exitCode: 0, lost: false })
  }
  return {
    hostKey: {
      type: 'ssh-ed25519',
      fingerprint: `SHA256:${'A'.repeat(43)}`,
      trust: { how: 'fingerprint', detail: 'test' },
    },
    session: { transport: 'replay', authMethod: 'none' },
    exec: async () =>
      ok({
        write: (data) => void setImmediate(() => play(Buffer.from(data).toString())),
        end: () => undefined,
        onStdout: (listener) => {
          out = listener
        },
        onStderr: (listener) => {
          err = listener
        },
        closed,
        kill: () => settle({ exitCode: null, lost: false }),
      }),
    close: () => undefined,
  }
}
