// Runs the unit tests once more inside the Electron runtime that the window tests use: its Node and its BoringSSL differ from Node's own.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const electron = process.env.BAREWITNESS_ELECTRON ?? `${root}.cache/electron/electron`
if (!existsSync(electron)) {
  process.stderr.write('skipped: the unit tests inside Electron (no Electron runtime could be fetched)\n')
  process.exit(process.env.BAREWITNESS_NO_SKIPS === '1' ? 1 : 0)
}
const vitest = `${root}node_modules/vitest/vitest.mjs`
// Pure code and code over Node's own crypto and zlib; what only starts other programs learns nothing here.
const suites = ['test/seal', 'test/identity', 'test/pack', 'test/verify', 'test/assess', 'test/store', 'test/pdf', 'test/report.test', 'test/demo-server', 'test/schemas', 'test/catalog/catalog.test', 'test/kept-rules', 'test/elementary', 'test/geo/packages']
const { status } = spawnSync(electron, [vitest, 'run', '--project', 'unit', ...suites], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
})
process.exit(status ?? 1)
