import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { findElectron } from '../support/launch-electron.mjs'
import { openWindow, startDisplay, whyNoWindow } from '../support/open-window.ts'
import { spread } from './measure.ts'
import type { Result } from './results.ts'

const REPETITIONS = Number(process.env.BENCH_REPETITIONS ?? 5)
const TARGET = 1.2

/** The least there is: one empty window with a heading, in the same runtime. */
function emptyApp(): string {
  const folder = mkdtempSync(join(tmpdir(), 'barewitness-empty-'))
  writeFileSync(join(folder, 'package.json'), '{"name":"empty","version":"0.0.0","main":"main.cjs"}')
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Empty</title><h1 tabindex="-1">Empty</h1>')
  const main = `const { app, BrowserWindow } = require('electron')
app.whenReady().then(() => new BrowserWindow().loadFile('index.html'))
app.on('window-all-closed', () => app.quit())
`
  writeFileSync(join(folder, 'main.cjs'), main)
  return folder
}

/** From starting the program to a heading that is visible and takes the focus, in milliseconds. A fresh profile each time. */
async function launch(folder: string): Promise<number> {
  // Not counted; it ends with its window.
  const display = process.env.DISPLAY === undefined ? await startDisplay() : null
  const env = display === null ? {} : { DISPLAY: display.name }
  const began = process.hrtime.bigint()
  const opened = await openWindow({ folder, env })
  await opened.page.waitForFunction(() => {
    const heading = document.querySelector('h1')
    heading?.focus()
    return heading !== null && document.activeElement === heading
  })
  const milliseconds = Number(process.hrtime.bigint() - began) / 1e6
  await opened.close()
  display?.close()
  return milliseconds
}

/** `npm run bench -- --start`: our window and the empty one take turns; the first turn warms caches and is not counted. */
export async function benchStart(): Promise<readonly Result[]> {
  const missing = whyNoWindow()
  if (missing !== null) {
    process.stderr.write(`start of the window: skipped, ${missing}\n`)
    return []
  }
  const empty = emptyApp()
  const [ours, floors]: [number[], number[]] = [[], []]
  try {
    for (let turn = 0; turn <= REPETITIONS; turn += 1) {
      const [floor, own] = [await launch(empty), await launch(resolve('.'))]
      if (turn > 0) {
        floors.push(floor)
        ours.push(own)
      }
    }
  } finally {
    rmSync(empty, { recursive: true, force: true })
  }
  const [start, floor] = [spread(ours), spread(floors)]
  const ratio = Math.round((start.median / floor.median) * 100) / 100
  const runtime = findElectron(resolve('.'))?.from ?? 'unknown'
  process.stdout.write(
    `${JSON.stringify({ schema: 'barewitness.bench-start/1', node: process.version, runtime, repetitions: REPETITIONS, start, floor, ratio }, null, 2)}\n`,
  )
  return [
    {
      what: 'window: from the start to a usable heading',
      ours: `${start.median} ms`,
      against: `an empty window ${floor.median} ms`,
      ratio,
      target: { text: `≤ ${TARGET} ×`, isKept: ratio <= TARGET },
    },
  ]
}
