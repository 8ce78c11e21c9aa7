import { resolve } from 'node:path'
import { defineConfig } from 'electron-vite'
import product from '../../electron.vite.config.ts'

/** The window as users get it, with the made-up engine in its worker: what test/e2e drives. Built into .cache, never shipped. */
const folder = resolve('.cache/window-app')
const { preload, renderer } = product as {
  preload: { build: object }
  renderer: { build: object }
}

export default defineConfig({
  main: {
    build: {
      outDir: `${folder}/out/main`,
      externalizeDeps: true,
      rollupOptions: {
        input: { index: resolve('main/electron/index.ts'), worker: resolve('test/support/fake-worker.ts') },
      },
    },
  },
  preload: { ...preload, build: { ...preload.build, outDir: `${folder}/out/preload` } },
  renderer: { ...renderer, build: { ...renderer.build, outDir: `${folder}/out/renderer` } },
})
