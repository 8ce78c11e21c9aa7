import { existsSync, readdirSync, writeSync } from 'node:fs'
import { createDemoSigner } from '../../main/adapters/identity/folder.ts'
import { exported, packOf } from './kept-runs.ts'
import { must } from './outcomes.ts'
import { collectSmall, SMALL_NODES, smallCatalog, smallPorts } from './small-fleet.ts'

// Collects, assesses, seals and keeps runs, one after the other, and says what is done, until it is killed. A run that was begun and is
// not sealed goes on first, and may be sealed by another one meanwhile.
const [root = ''] = process.argv.slice(2)
const print = (...words: readonly string[]): void => void writeSync(1, `${words.join(' ')}\n`)
const ports = smallPorts((...stored) => print('stored', ...stored))
// A key of its own each time: opening a kept one takes longer than a run.
const signer = await createDemoSigner(ports.clock, ports.entropy)
const begun = (existsSync(`${root}/evidence`) ? readdirSync(`${root}/evidence`) : []).filter(
  (run) => run.startsWith('run-') && !existsSync(packOf(root, run)),
)
print('ready')
for (let n = 0; ; n += 1) {
  const [before] = begun.splice(0, 1)
  const run = before ?? `run-${process.pid}-${n}`
  print(before === undefined ? 'begins' : 'resumes', run)
  must(await collectSmall(ports, root, run))
  print('collected', run)
  const problem = await exported(ports, root, run, signer, { catalog: smallCatalog, nodes: SMALL_NODES }).then(
    () => null,
    (thrown: Error) => thrown.message,
  )
  if (problem === null) print('sealed', run)
  else if (problem.startsWith('input.refused') && problem.includes('already exists')) print('was-sealed', run)
  else throw new Error(problem)
}
