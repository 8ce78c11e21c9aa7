import { writeSync } from 'node:fs'
import { openRunChain } from '../../main/adapters/run-chain.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { must } from './outcomes.ts'

// Adds runs to a chain, opening and closing it for each, and says which are there; without a count, until it is killed.
const [folder = '', count = 'Infinity'] = process.argv.slice(2)
for (let n = 0; n < Number(count); n += 1) {
  const opened = must(await openRunChain(folder, { id: sha256(String(process.pid)), fleet: 'clinic' }))
  const run = `p${process.pid}n${n}`
  const digest = sha256(run)
  const appended = await opened.append({
    entry: {
      kind: 'run',
      run,
      at: '2026-03-01T06:00:00.000Z',
      fleet: 'clinic',
      nodes: digest,
      tagManifest: digest,
      signer: digest,
    },
    signature: null,
  })
  if (!appended.ok) throw new Error(appended.error.detail)
  writeSync(1, `${run}\n`)
  await opened.close()
}
