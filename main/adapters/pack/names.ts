import { quote } from '../../core/plain-text.ts'
import { unsafe } from './limits.ts'

/**
 * Refuses names that mean one thing here and another elsewhere: leaving the folder, absolute, with backslashes, control or non-ASCII
 * characters, or equal but for case. `names` are full names inside the archive.
 */
export function checkNames(names: readonly string[]): void {
  const seen = new Map<string, string>()
  for (const name of names) {
    const problem = nameProblem(name)
    if (problem !== null) throw unsafe(`entry ${quote(name)}: ${problem}`)
    const folded = name.toLowerCase()
    const before = seen.get(folded)
    if (before === name) throw unsafe(`entry ${quote(name)} is there twice`)
    if (before !== undefined) throw unsafe(`entries ${quote(before)} and ${quote(name)} differ only in case`)
    seen.set(folded, name)
  }
  // A name that is both a file and a folder unpacks differently depending on order.
  for (const name of names)
    for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1))
      if (seen.has(name.slice(0, at).toLowerCase())) throw unsafe(`entry ${quote(name)} lies below a file`)
}

function nameProblem(name: string): string | null {
  if (name.length === 0 || name.length > 400) return 'the name is empty or too long'
  if (/[^\x20-\x7e]/.test(name)) return 'the name has control characters or characters outside ASCII'
  if (name.includes('\\')) return 'the name has a backslash'
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'the name is absolute'
  const parts = name.split('/')
  if (parts.includes('..') || parts.includes('.')) return 'the name leads out of its folder'
  if (parts.includes('')) return 'the name has an empty part'
  if (parts.some((part) => /[. ]$/.test(part) || /[<>:"|?*]/.test(part)))
    return 'the name cannot be kept on every system'
  return null
}
