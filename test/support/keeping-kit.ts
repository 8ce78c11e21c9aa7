import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Ports } from '../../main/core/all-ports.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import { collected, exported, portsAt } from './kept-runs.ts'
import { must } from './outcomes.ts'
import { sampleSigner } from './sample-pack.ts'

export interface KeepingKit {
  /** Its clock stands at `time.now`. */
  readonly ports: Ports
  readonly time: { now: string }
  /** Of this test. */
  readonly root: () => string
  /** Where the identity “keeper” lies. */
  readonly keys: () => string
  readonly signer: () => Signer
  readonly freshRoot: () => string
  /** Collects and exports a run at a moment. */
  readonly run: (name: string, now: string, isKept?: boolean) => Promise<void>
  /** Runs that the history lists. */
  readonly names: (where?: string) => Promise<readonly string[]>
}

/** For a file of tests about what is kept: a folder for each test, and runs in it. */
export function keepingKit(): KeepingKit {
  const time = { now: '2026-11-20T10:00:00.000Z' }
  const ports = portsAt(time)
  const roots: string[] = []
  let [keys, root] = ['', '']
  let signer: Signer
  const freshRoot = (): string => {
    const made = mkdtempSync(join(tmpdir(), 'bw-keeping-'))
    roots.push(made)
    return made
  }
  beforeAll(async () => {
    keys = mkdtempSync(join(tmpdir(), 'bw-keys-'))
    signer = await sampleSigner(keys, 'keeper')
  })
  beforeEach(() => {
    root = freshRoot()
  })
  afterAll(() => {
    for (const one of [keys, ...roots]) rmSync(one, { recursive: true, force: true })
  })
  return {
    ports,
    time,
    root: () => root,
    keys: () => keys,
    signer: () => signer,
    freshRoot,
    run: async (name, now, isKept = true) => {
      time.now = now
      await collected(ports, root, name)
      await exported(ports, root, name, signer, { isKept })
    },
    names: async (where = root) => {
      const history = must(await ports.openHistory(where))
      const heads = must(await history.list())
      return heads.map(({ run }) => run)
    },
  }
}
