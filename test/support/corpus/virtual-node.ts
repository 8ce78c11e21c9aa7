import { ALWAYS_FILE, ALWAYS_FOLDER, ALWAYS_PATH } from '../../../main/catalog/base/read-text.ts'
import { createAbsence } from './absence.ts'
import { nameOf, parentOf, partsOf, shellPattern } from './paths.ts'

/** What a captured machine would have answered to one command. */
export interface Printed {
  readonly stdout: Uint8Array
  readonly stderr: string
  readonly exitCode: number
}

export type Entry =
  | {
      readonly kind: 'file'
      readonly bytes: Uint8Array
      /** As `ls -l` shows it. */
      readonly size: number
      /** False where only a part of the file was captured. */
      readonly isWhole: boolean
    }
  /** whole: nothing else is in it; shown: these were captured and a listing shows them; part: others may be there. */
  | { readonly kind: 'folder'; readonly listing: 'whole' | 'shown' | 'part' }
  | { readonly kind: 'link'; readonly target: string }

/** A program of the node that is not about files; null where nothing was captured of what is asked. */
export type Program = (argv: readonly string[]) => Printed | null

/** What is known of a path: an entry, that it is not there, or nothing. */
export type Known = Entry | 'absent' | 'unknown'

/**
 * A captured machine as its files and programs. No one captured everything: what is known to be absent is kept apart from what no one
 * looked at, so that no question is answered with silence. The first to say what a path holds is right.
 */
export interface VirtualNode {
  readonly file: (path: string, content: string | Uint8Array, rest?: { size?: number; isWhole?: boolean }) => void
  readonly folder: (path: string, listing: 'whole' | 'shown' | 'part') => void
  readonly link: (path: string, target: string) => void
  /** Takes back what was captured in part only. */
  readonly forget: (pattern: RegExp) => void
  /** A path, or a pattern with stars, that was looked for and is not there. */
  readonly absent: (path: string) => void
  readonly program: (name: string, program: Program) => void
  readonly run: Program
  /** Follows links, the last one too where `follow` is not false. */
  readonly lookup: (path: string, follow?: boolean) => Known
  /** Names in a folder, in order. */
  readonly names: (path: string) => readonly string[]
  /** Paths that a shell pattern stands for; else whether it is known that there is none. */
  readonly expand: (pattern: string) => readonly string[] | 'absent' | 'unknown'
  readonly paths: () => readonly string[]
  readonly text: (path: string) => string | null
}

const MOST_LINKS = 40

export function createNode(): VirtualNode {
  const entries = new Map<string, Entry>()
  const children = new Map<string, Set<string>>()
  const programs = new Map<string, Program[]>()
  const absence = createAbsence(entries)

  const put = (path: string, entry: Entry): void => {
    const real = resolve(path, false)
    const before = entries.get(real)
    const upgrades = entry.kind === 'folder' && before?.kind === 'folder' && rank(entry) > rank(before)
    if (before !== undefined && !upgrades) return
    entries.set(real, entry)
    const parent = parentOf(real)
    if (real === '/') return
    if (!entries.has(parent)) put(parent, { kind: 'folder', listing: 'part' })
    const siblings = children.get(parent) ?? new Set()
    children.set(parent, siblings.add(real.slice(real.lastIndexOf('/') + 1)))
  }

  const resolve = (path: string, follow: boolean): string => {
    let rest = partsOf(path)
    let real = ''
    for (let links = 0; rest.length > 0; ) {
      const [part = '', ...others] = rest
      rest = others
      if (part === '..') real = real.slice(0, Math.max(0, real.lastIndexOf('/')))
      else {
        const entry = entries.get(`${real}/${part}`)
        const isFollowed = entry?.kind === 'link' && (follow || rest.length > 0) && links < MOST_LINKS
        if (!isFollowed) real = `${real}/${part}`
        else {
          links += 1
          rest = [...partsOf(entry.target), ...rest]
          if (entry.target.startsWith('/')) real = ''
        }
      }
    }
    return real === '' ? '/' : real
  }

  const lookup = (path: string, follow = true): Known => {
    const real = resolve(path, follow)
    return entries.get(real) ?? (absence.isAbsent(real) || absence.isAbsent(path) ? 'absent' : 'unknown')
  }
  const names = (path: string): readonly string[] => [...(children.get(resolve(path, true)) ?? [])].sort()

  const expand = (pattern: string): ReturnType<VirtualNode['expand']> => {
    const walk = (base: string, parts: readonly string[]): ReturnType<VirtualNode['expand']> => {
      const [part, ...rest] = parts
      if (part === undefined) return [base]
      if (!/[*?[]/.test(part)) {
        const known = lookup(`${base}/${part}`)
        return typeof known === 'string' ? known : walk(`${base}/${part}`, rest)
      }
      const here = lookup(base === '' ? '/' : base)
      if (typeof here === 'string') return here
      const matches = names(base).filter((name) => shellPattern(part).test(name))
      const found = matches.map((name) => walk(`${base}/${name}`, rest))
      const paths = found.flatMap((one) => (typeof one === 'string' ? [] : one))
      if (paths.length > 0) return paths
      if (found.includes('unknown')) return 'unknown'
      const isKnown = here.kind === 'folder' && here.listing === 'whole'
      return isKnown || found.length > 0 || absence.isAbsent(`${base}/${part}`) ? 'absent' : 'unknown'
    }
    return walk('', partsOf(pattern))
  }

  const always: Entry = { kind: 'folder', listing: 'whole' }
  for (const path of [`${ALWAYS_FOLDER}/block`, `${ALWAYS_FOLDER}/char`, ALWAYS_FOLDER]) put(path, always)
  put(ALWAYS_PATH, { kind: 'folder', listing: 'part' })
  const ostype = Buffer.from('Linux\n')
  put(ALWAYS_FILE, { kind: 'file', bytes: ostype, size: ostype.length, isWhole: true })

  return {
    file: (path, content, { size, isWhole = true } = {}) => {
      const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content
      put(path, { kind: 'file', bytes, size: size ?? bytes.length, isWhole })
    },
    folder: (path, listing) => put(path, { kind: 'folder', listing }),
    link: (path, target) => put(path, { kind: 'link', target }),
    forget: (pattern) => {
      for (const path of [...entries.keys()].filter((one) => pattern.test(one))) {
        entries.delete(path)
        children.get(parentOf(path))?.delete(nameOf(path))
      }
    },
    absent: absence.add,
    program: (name, program) => void programs.set(name, [...(programs.get(name) ?? []), program]),
    run: (argv) => {
      for (const program of programs.get(argv[0] ?? '') ?? []) {
        const answered = program(argv)
        if (answered !== null) return answered
      }
      return null
    },
    lookup,
    names,
    expand,
    paths: () => [...entries.keys()],
    text: (path) => {
      const known = lookup(path)
      return typeof known !== 'string' && known.kind === 'file' ? Buffer.from(known.bytes).toString('latin1') : null
    },
  }
}

const rank = (entry: Entry): number => (entry.kind === 'folder' ? ['part', 'shown', 'whole'].indexOf(entry.listing) : 3)

export const printed = (stdout: string | Uint8Array, exitCode = 0, stderr = ''): Printed => ({
  stdout: typeof stdout === 'string' ? Buffer.from(stdout, 'latin1') : stdout,
  stderr,
  exitCode,
})
