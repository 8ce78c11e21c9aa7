import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judgeVector } from './judge-vector.ts'
import { makeVectors, writeVectors } from './vectors.ts'

/**
 * `npm run vectors -- FOLDER` writes the archives. `npm run vectors -- --expected` writes test/vectors/expected.json anew, from what is answered
 * now: read every line that changes.
 */
async function main([argument = '']: readonly string[]): Promise<void> {
  if (argument !== '--expected') return await writeVectors(argument === '' ? 'vectors-out' : argument)
  const folder = mkdtempSync(join(tmpdir(), 'bw-vectors-'))
  const made = await makeVectors(folder)
  const expected: Record<string, unknown> = {}
  for (const { id, what, bytes } of made.vectors)
    expected[id] = { what, ...(await judgeVector(folder, await bytes(), made)) }
  writeFileSync('test/vectors/expected.json', `${JSON.stringify(expected, null, 2)}\n`)
  rmSync(folder, { recursive: true })
}

main(process.argv.slice(2)).catch((problem: unknown) => {
  process.exitCode = 1
  process.stderr.write(`${problem instanceof Error ? problem.stack : String(problem)}\n`)
})
