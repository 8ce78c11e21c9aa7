#!/usr/bin/env node
// Opens the window: `npm start`. Takes, in order: BAREWITNESS_ELECTRON, the official runtime if it is installed, and a runtime
// out of an npm package for trying out, with a clear notice. Builds first when out/ is missing.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const OFFICIAL = { darwin: 'Electron.app/Contents/MacOS/Electron', win32: 'electron.exe' }[process.platform] ?? 'electron'

/**
 * The runtime to use, or null when there is none yet.
 * @param {string} root
 * @returns {{ path: string, from: 'override' | 'official' | 'fetched' } | null}
 */
export function findElectron(root) {
  const override = process.env.BAREWITNESS_ELECTRON
  if (override !== undefined && override !== '') return { path: override, from: 'override' }
  const official = join(root, 'node_modules/electron/dist', OFFICIAL)
  if (existsSync(official)) return { path: official, from: 'official' }
  const fetched = join(root, '.cache/electron/electron')
  return existsSync(fetched) ? { path: fetched, from: 'fetched' } : null
}

const say = (text) => process.stderr.write(`${text}\n`)

function main() {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  if (!existsSync(join(root, 'out/main/index.js'))) {
    say('Building first.')
    const built = spawnSync(process.execPath, [join(root, 'node_modules/electron-vite/bin/electron-vite.js'), 'build'], { cwd: root, stdio: 'inherit' })
    if (built.status !== 0) process.exit(built.status ?? 1)
  }
  if (findElectron(root) === null && process.platform === 'linux') {
    say('The official Electron runtime is not installed. Fetching one for trying out (about 170 MB, once).')
    spawnSync(join(root, 'test/support/get-electron.sh'), [join(root, '.cache/electron')], { stdio: 'inherit' })
  }
  const electron = findElectron(root)
  if (electron === null) {
    say('There is no Electron runtime. Run `node node_modules/electron/install.js`, or name one in BAREWITNESS_ELECTRON.')
    process.exit(2)
  }
  if (electron.from === 'fetched')
    say('Notice: this is Electron 33.2.1 out of another project’s npm package, for trying out and tests only. Users get the pinned release.')
  const args = [...process.argv.slice(2), root]
  if (process.platform === 'linux' && process.getuid?.() === 0) {
    say('Notice: running as root, so the operating system’s sandbox around the window is off (--no-sandbox). Use an ordinary account.')
    args.unshift('--no-sandbox')
  }
  const env = { ...process.env }
  delete env.ELECTRON_RUN_AS_NODE
  const headless = process.platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY
  const wrap = headless && spawnSync('which', ['xvfb-run']).status === 0
  if (headless) say(wrap ? 'Notice: there is no display; the window opens on a virtual one (xvfb-run).' : 'There is no display, and no xvfb-run.')
  const child = wrap
    ? spawn('xvfb-run', ['-a', electron.path, '--disable-gpu', ...args], { stdio: 'inherit', env })
    : spawn(electron.path, args, { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code) => process.exit(code ?? 1))
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) main()
