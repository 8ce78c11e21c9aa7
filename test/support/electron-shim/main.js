// Stands in for Electron's own default app, so that `electron DIR` and Playwright's `-r LOADER` work with a runtime that came without
// one. A module with a top-level await: Electron then waits with `ready` until the app's main module has run, as with its own default app.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { app } from 'electron'

const argv = process.argv.slice(1)
const preloads = []
for (let index = 0; index < argv.length; index++) {
  if (argv[index] === '-r' || argv[index] === '--require') {
    preloads.push(argv[index + 1])
    argv.splice(index--, 2)
  }
}
const folder = resolve(argv.find((argument) => !argument.startsWith('-')) ?? '.')
const require = createRequire(import.meta.url)
for (const preload of preloads) require(resolve(preload))
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
app.setName(manifest.productName ?? manifest.name)
app.setVersion(manifest.version)
app.setAppPath(folder)
process.defaultApp = true
try {
  await import(pathToFileURL(join(folder, manifest.main ?? 'index.js')).href)
} catch (error) {
  console.error(error)
  app.exit(1)
}
