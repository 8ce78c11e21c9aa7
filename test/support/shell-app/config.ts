import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { defineConfig } from 'electron-vite'
import product from '../../../electron.vite.config.ts'

/** The shell as users get it, around a page and a worker of its own: what test/e2e/hardening.test.ts drives. Never shipped. */
const folder = resolve('.cache/shell-app')
const pages = resolve(folder, 'pages')
const { preload, renderer } = product as { preload: { build: object }; renderer: { build: object } }

rmSync(pages, { recursive: true, force: true })
mkdirSync(pages, { recursive: true })
for (const file of ['index.html', 'page.ts'])
  cpSync(resolve('test/support/shell-app', file), resolve(pages, 'app', file))
for (const part of ['prompt', 'styles'])
  cpSync(resolve('renderer', part), resolve(pages, 'app', part), { recursive: true })

export default defineConfig({
  main: {
    build: {
      outDir: `${folder}/out/main`,
      externalizeDeps: true,
      rollupOptions: {
        input: { index: resolve('main/electron/index.ts'), worker: resolve('test/support/shell-app/worker.ts') },
      },
    },
  },
  preload: { ...preload, build: { ...preload.build, outDir: `${folder}/out/preload` } },
  renderer: {
    root: resolve(pages, 'app'),
    build: {
      ...renderer.build,
      outDir: `${folder}/out/renderer`,
      rollupOptions: {
        input: { index: resolve(pages, 'app/index.html'), prompt: resolve(pages, 'app/prompt/index.html') },
      },
    },
  },
})
