import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const exec = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const SOURCE = fileURLToPath(new URL('VeraPdf.java', import.meta.url))
const CLASSES = join(ROOT, '.cache/verapdf')
/** veraPDF comes inside this package's jar (MPL-2.0); it needs JAXB, which Java no longer brings along. */
const JAR = join(ROOT, 'node_modules/@opendataloader/pdf/lib/opendataloader-pdf-cli.jar')
const JAXB = [
  'jaxb-api',
  'jaxb-runtime',
  'jaxb-core',
  'jaxb-impl',
  'istack-commons-runtime',
  'txw2',
  'javax.activation',
  'stax-ex',
  'FastInfoset',
].map((name) => `/usr/share/java/${name}.jar`)

export type Flavour = 'PDF/A-3a' | 'PDF/UA-1'
const CODE: Readonly<Record<Flavour, string>> = { 'PDF/A-3a': '3a', 'PDF/UA-1': 'ua1' }

export interface Validation {
  readonly passed: boolean
  /** Clause, test number and message of each failed rule. */
  readonly failures: readonly string[]
  readonly checks: number
}

/** Why files can't be validated here, or null when they can. */
export async function whyNoVeraPdf(): Promise<string | null> {
  for (const tool of ['java', 'javac']) {
    const found = await exec(tool, ['-version']).then(
      () => true,
      () => false,
    )
    if (!found) return `${tool} is not installed`
  }
  const absent = [JAR, ...JAXB].find((file) => !existsSync(file))
  return absent === undefined ? null : `${absent} is absent (npm ci; apt-get install libjaxb-java)`
}

/** Validates one file against one flavour. Compiles the little Java program first where that was not done yet. */
export async function validate(file: string, flavour: Flavour): Promise<Validation> {
  const classPath = [CLASSES, JAR, ...JAXB].join(':')
  if (!existsSync(join(CLASSES, 'VeraPdf.class'))) {
    mkdirSync(CLASSES, { recursive: true })
    await exec('javac', ['-cp', classPath, '-d', CLASSES, SOURCE])
  }
  const { stdout } = await exec(
    'java',
    ['-Djava.awt.headless=true', '-cp', classPath, 'VeraPdf', CODE[flavour], file],
    { maxBuffer: 1 << 24 },
  )
  const lines = stdout.trim().split('\n')
  const counted = lines.find((line) => /^checks \d+$/.test(line))
  return {
    passed: lines.at(-1) === 'passed',
    failures: lines.filter((line) => /^[\d.]+-\d+ /.test(line)),
    checks: Number(counted?.slice(7) ?? 0),
  }
}
