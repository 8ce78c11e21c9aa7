import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** The built command line. */
export const CLI = resolve('out/main/cli.js')

/** Why tests of the built command line cannot run; null where it is built. */
export const whyNoCli = (): string | null => (existsSync(CLI) ? null : 'out/main/cli.js is not built')
