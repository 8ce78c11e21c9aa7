import { resolve } from 'node:path'
import { defineConfig } from 'electron-vite'
import product from '../../electron.vite.config.ts'

/** The product, built into the folder that BUILT_AGAIN names: for comparing two builds of the same source. */
const folder = process.env.BUILT_AGAIN ?? ''
if (folder === '') throw new Error('BUILT_AGAIN names no folder')
type Part = { readonly build: object }
const { main, preload, renderer } = product as { main: Part; preload: Part; renderer: Part }
const into = (part: Part, name: string): object => ({
  ...part,
  build: { ...part.build, outDir: resolve(folder, name), emptyOutDir: true },
})

export default defineConfig({
  // Without its plugin, which only copies recordings beside the product.
  main: { ...into(main, 'main'), plugins: [] },
  preload: into(preload, 'preload'),
  renderer: into(renderer, 'renderer'),
})
