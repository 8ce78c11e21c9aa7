import { nameOf, parentOf, shellPattern } from './paths.ts'

/** What was looked for and is not there, distinguished from what no one looked at. */
export interface Absence {
  readonly add: (path: string) => void
  readonly isAbsent: (path: string) => boolean
}

interface Listed {
  readonly kind: string
  readonly listing?: string
}

/** Absent is what was said to be, what lies below it, and what a folder that was listed whole does not hold. */
export function createAbsence(entries: ReadonlyMap<string, Listed>): Absence {
  const named = new Set<string>()
  const patterns: { readonly parent: string; readonly name: RegExp }[] = []

  const isNamed = (path: string): boolean =>
    named.has(path) || patterns.some(({ parent, name }) => parent === parentOf(path) && name.test(nameOf(path)))

  return {
    add: (path) => {
      const plain = path.replace(/\/+$/, '')
      if (!/[*?[]/.test(plain)) named.add(plain)
      else patterns.push({ parent: parentOf(plain), name: shellPattern(nameOf(plain)) })
    },
    isAbsent: (path) => {
      for (let at = path; at !== '/'; at = parentOf(at)) {
        if (entries.has(at)) return false
        if (isNamed(at)) return true
        const parent = entries.get(parentOf(at))
        if (parent?.kind === 'file' || parent?.listing === 'whole') return true
      }
      return false
    },
  }
}
