// Stands in for Electron's own default app, so that `electron DIR` and Playwright's `-r LOADER` work with a runtime that came without one.
const { app } = require('electron')
const fs = require('node:fs')
const path = require('node:path')
const { pathToFileURL } = require('node:url')

const argv = process.argv.slice(1)
const preloads = []
for (let index = 0; index < argv.length; index++) {
  if (argv[index] === '-r' || argv[index] === '--require') {
    preloads.push(argv[index + 1])
    argv.splice(index--, 2)
  }
}
const folder = path.resolve(argv.find((argument) => !argument.startsWith('-')) ?? '.')
for (const preload of preloads) require(path.resolve(preload))
const manifest = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
app.setName(manifest.productName ?? manifest.name)
app.setVersion(manifest.version)
app.setAppPath(folder)
process.defaultApp = true
import(pathToFileURL(path.join(folder, manifest.main ?? 'index.js')).href).catch((error) => {
  console.error(error)
  app.exit(1)
})
