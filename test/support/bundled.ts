import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const SUPPORT = fileURLToPath(new URL('.', import.meta.url))

/**
 * A program of this folder with all it imports in one file, for tests that start it many times: each start from the sources would
 * translate hundreds of files. Gives the path of the file and the folder to be removed with it.
 */
export async function bundled(name: string): Promise<{ readonly program: string; readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'bw-bundled-'))
  const outDir = join(folder, 'test', 'support', dirname(name))
  await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      ssr: join(SUPPORT, name),
      outDir,
      emptyOutDir: false,
      rollupOptions: { output: { entryFileNames: '[name].mjs' } },
    },
  })
  // Where its source finds them.
  mkdirSync(join(folder, 'test'), { recursive: true })
  symlinkSync(join(SUPPORT, '..', 'fixtures'), join(folder, 'test', 'fixtures'))
  symlinkSync(join(SUPPORT, '..', '..', 'node_modules'), join(folder, 'node_modules'))
  return { program: join(outDir, basename(name).replace(/\.ts$/, '.mjs')), folder }
}
