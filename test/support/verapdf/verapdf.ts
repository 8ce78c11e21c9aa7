import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, statSync } from 'node:fs'
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

const CLASS_PATH = [CLASSES, JAR, ...JAXB].join(':')
/** Collectors and compilers that run beside the program cost more here than they bring. */
const SMALL = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']

/** One validator for as long as the tests of a file run; it ends with its input. Questions are answered in their order. */
let running: Promise<Validator> | null = null
interface Validator {
  readonly child: ChildProcessWithoutNullStreams
  last: Promise<unknown>
}

async function start(): Promise<Validator> {
  const compiled = join(CLASSES, 'VeraPdf.class')
  if (!existsSync(compiled) || statSync(compiled).mtimeMs < statSync(SOURCE).mtimeMs) {
    mkdirSync(CLASSES, { recursive: true })
    await exec('javac', ['-cp', CLASS_PATH, '-d', CLASSES, SOURCE])
  }
  const child = spawn('java', [...SMALL, '-Djava.awt.headless=true', '-cp', CLASS_PATH, 'VeraPdf'])
  child.stderr.resume()
  return { child, last: Promise.resolve() }
}

/** Validates one file against one flavour. Compiles the little Java program first where that was not done yet. */
export async function validate(file: string, flavour: Flavour): Promise<Validation> {
  running ??= start()
  const validator = await running
  const answered = validator.last.then(() => ask(validator.child, `${CODE[flavour]} ${file}\n`))
  validator.last = answered.catch(() => undefined)
  const lines = await answered
  const counted = lines.find((line) => /^checks \d+$/.test(line))
  return {
    passed: lines.at(-1) === 'passed',
    failures: lines.filter((line) => /^[\d.]+-\d+ /.test(line)),
    checks: Number(counted?.slice(7) ?? 0),
  }
}

/** The lines of one answer. Rejects where the validator ends, or throws, instead of giving one. */
function ask(child: ChildProcessWithoutNullStreams, question: string): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    let text = ''
    const hear = (chunk: Buffer): void => {
      text += chunk.toString('utf8')
      if (!/(^|\n)done\n$/.test(text)) return
      stop()
      const lines = text.trimEnd().split('\n').slice(0, -1)
      const threw = lines.find((line) => line.startsWith('threw '))
      if (threw === undefined) resolve(lines)
      else reject(new Error(threw))
    }
    const end = (): void => {
      stop()
      reject(new Error('veraPDF ended'))
    }
    const stop = (): void => {
      child.stdout.off('data', hear)
      child.off('close', end)
    }
    child.stdout.on('data', hear)
    child.once('close', end)
    child.stdin.write(question)
  })
}
