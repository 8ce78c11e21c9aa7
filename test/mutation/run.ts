import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { LEAST, MODULES, type MutatedModule } from './modules.ts'
import { type Mutant, mutantName, mutantsOf } from './mutants.ts'

/**
 * `npm run mutate [-- PART OF A PATH]`: changes each module of decisions in one place at a time and runs its unit tests. Prints the share of
 * mutants that they notice and names the others; ends with 1 where a module is below the least share. Nothing in the tree is changed.
 */
const folder = mkdtempSync(join(tmpdir(), 'bw-mutants-'))
/** A mutant may make a loop endless: it gets this many times what the tests take by themselves, with another running beside them. */
const PATIENCE = 8

/** Whether the tests fail over this content of the module within so many seconds. A mutant that never ends is noticed too. */
function isNoticed({ path, tests }: MutatedModule, source: string, at: number, seconds: number): Promise<boolean> {
  const content = join(folder, `${at}.ts`)
  writeFileSync(content, source)
  const argv = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/mutation/vitest.config.ts', ...tests]
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, argv, {
      stdio: 'ignore',
      timeout: seconds * 1000,
      env: { ...process.env, BAREWITNESS_MUTATED: path, BAREWITNESS_MUTANT: content },
    })
    child.once('error', fail)
    child.once('close', (status) => done(status !== 0))
  })
}

async function survivorsOf(
  module: MutatedModule,
  mutants: readonly Mutant[],
  seconds: number,
): Promise<readonly Mutant[]> {
  const waiting = [...mutants.entries()]
  const survivors: Mutant[] = []
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, mutant] = next
      if (!(await isNoticed(module, mutant.source, at, seconds))) survivors.push(mutant)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, lane))
  return survivors.sort((a, b) => a.line - b.line)
}

async function main(wanted: string): Promise<void> {
  for (const module of MODULES.filter(({ path }) => path.includes(wanted))) {
    const source = readFileSync(module.path, 'utf8')
    const known = new Set(Object.keys(module.equivalent ?? {}))
    const nameOf = (mutant: Mutant): string => mutantName(source, mutant)
    const mutants = mutantsOf(source, module).filter((mutant) => !known.has(nameOf(mutant)))
    const begun = performance.now()
    if (await isNoticed(module, source, -1, 600)) throw new Error(`the tests of ${module.path} fail as it is`)
    const survivors = await survivorsOf(module, mutants, Math.ceil((PATIENCE * (performance.now() - begun)) / 1000))
    const share = mutants.length === 0 ? 1 : 1 - survivors.length / mutants.length
    process.stdout.write(
      `${module.path}: ${mutants.length - survivors.length} of ${mutants.length} noticed (${(share * 100).toFixed(1)} %)\n`,
    )
    for (const survivor of survivors)
      process.stdout.write(`  line ${survivor.line}: ${survivor.was} -> ${survivor.is}\n    ${nameOf(survivor)}\n`)
    if (share < LEAST) process.exitCode = 1
  }
}

main(process.argv[2] ?? '')
  .catch((problem: unknown) => {
    process.exitCode = 1
    process.stderr.write(`${problem instanceof Error ? problem.stack : String(problem)}\n`)
  })
  .finally(() => rmSync(folder, { recursive: true, force: true }))
