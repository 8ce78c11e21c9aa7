import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Unit tests over a tree in which one file has another content: see run.ts. */
const [path = '', content = ''] = [process.env.BAREWITNESS_MUTATED, process.env.BAREWITNESS_MUTANT]

export default defineConfig({
  root: resolve(import.meta.dirname, '../..'),
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      load: (id) => (id === resolve(path) ? readFileSync(content, 'utf8') : null),
    },
  ],
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/quick-scrypt.ts'],
    isolate: false,
    bail: 1,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['dot'],
  },
})
