import { readdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { readPlain } from '../store/durable.ts'

/** One line of a configuration, with included files inserted at their Include. */
export interface FlatLine {
  readonly text: string
  /** Counted from 1, in `file`, or in the configuration itself where there is none. */
  readonly line: number
  readonly file?: string
  readonly problem?: string
  /** Inserted by us, to continue after an included file. */
  readonly ours?: true
}

/** READCONF_MAX_DEPTH of OpenSSH; the other two limits are ours. */
const DEEPEST = 16
const MOST_FILES = 128
const LARGEST = 1024 * 1024

const INCLUDE = /^\s*include(?:\s*=\s*|\s+)(.*?)\s*$/i
const BLOCK = /^\s*(?:host|match)(?:\s*=\s*|\s+)(.*?)\s*$/i
const EVERYTHING = /^(\*|all)$/i

/**
 * Follows Include as in ssh_config(5): patterns of glob(7), `~`, and paths relative to ~/.ssh; nothing where no file
 * matches. With `follow` false, and inside a block that is not for every host, it is not followed and its line reports
 * that. Only regular files are read.
 */
export async function withIncludes(text: string, follow: boolean): Promise<readonly FlatLine[]> {
  let files = 0
  const flat = async (text: string, file: string | undefined, depth: number): Promise<readonly FlatLine[]> => {
    const found: FlatLine[] = []
    let block: string | null = null
    for (const [index, raw] of text.split(/\r?\n/).entries()) {
      const at = { text: raw, line: index + 1, ...(file === undefined ? {} : { file }) }
      const condition = BLOCK.exec(raw)?.[1]
      if (condition !== undefined) block = EVERYTHING.test(condition) ? null : condition
      const named = INCLUDE.exec(raw)?.[1]
      if (named === undefined) {
        found.push(at)
        continue
      }
      const refused = !follow
        ? 'Include is not followed; import that file as well'
        : block !== null
          ? 'Include in a block for some hosts is not followed; import that file as well'
          : depth >= DEEPEST
            ? `Include is not followed deeper than ${DEEPEST} files`
            : /[%$]/.test(named)
              ? 'Include with a token or variable is not followed; import that file as well'
              : null
      const paths = refused === null ? (await Promise.all(wordsOf(named).map(matching))).flat() : []
      const [problems, included]: [string[], FlatLine[]] = [refused === null ? [] : [refused], []]
      for (const path of paths) {
        files += 1
        const read = files > MOST_FILES ? null : await readPlain(path, LARGEST).catch(() => null)
        if (read === null)
          problems.push(files > MOST_FILES ? `more than ${MOST_FILES} files are included` : `${path} could not be read`)
        else included.push(...(await flat(read.toString('utf8'), path, depth + 1)))
      }
      found.push(
        { ...at, ...(problems.length === 0 ? {} : { problem: [...new Set(problems)].join('; ') }) },
        ...included,
      )
      if (included.length > 0) found.push({ text: 'Host *', line: at.line, ours: true })
    }
    return found
  }
  return await flat(text, undefined, 0)
}

/** Words between blanks; quotation marks keep blanks inside one. */
const wordsOf = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')

/** The files that a pattern matches, sorted, as glob(3) returns them. Hidden ones only where the pattern names them. */
async function matching(pattern: string): Promise<readonly string[]> {
  const path =
    pattern === '~' || pattern.startsWith('~/')
      ? join(homedir(), pattern.slice(2))
      : isAbsolute(pattern)
        ? pattern
        : join(homedir(), '.ssh', pattern)
  return await expanded(path)
}

async function expanded(path: string): Promise<readonly string[]> {
  if (!/[*?[]/.test(path)) return [path]
  const parents = await expanded(dirname(path))
  const last = path.slice(path.lastIndexOf('/') + 1)
  const found: string[] = []
  for (const parent of parents) {
    const names = /[*?[]/.test(last) ? await readdir(parent).catch(() => []) : [last]
    for (const name of names.sort())
      if (name === last || (matches(last, name) && (!name.startsWith('.') || last.startsWith('.'))))
        found.push(join(parent, name))
  }
  return found
}

const matches = (pattern: string, name: string): boolean => {
  const source = pattern
    .replaceAll(/[.+^${}()|\\]/g, '\\$&')
    .replaceAll(/\*+/g, '.*')
    .replaceAll('?', '.')
    .replaceAll('[!', '[^')
  try {
    return new RegExp(`^${source}$`, 's').test(name)
  } catch {
    return false
  }
}
