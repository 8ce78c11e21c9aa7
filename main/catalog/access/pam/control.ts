import type { PamEntry } from './probes.ts'

/** How the words and actions of pam.conf(5) let a login past other modules, or keep it out. */

/** A refusal of a module that is sufficient or optional refuses no one; in brackets, the action for it decides, or the default. */
export function refuses({ control }: PamEntry): boolean {
  const action = (value: string): string | undefined => new RegExp(`\\b${value}=(\\w+)`).exec(control)?.[1]
  return /^(required|requisite)$/.test(control) || /^(die|bad)$/.test(action('perm_denied') ?? action('default') ?? '')
}

/** How many of the next modules are not asked where this one succeeds: all of them where it lets the login in at once. */
export function passesOver({ control }: PamEntry): number {
  const [, passed = '0'] = /\bsuccess=(done|\d{1,3})\b/.exec(control) ?? []
  return control === 'sufficient' || passed === 'done' ? Number.POSITIVE_INFINITY : Number(passed)
}

/** Modules before a place in the stack that can let an account in, or past that place, without what is there being asked. */
export const admitting = (entries: readonly PamEntry[], place: number): readonly PamEntry[] =>
  entries.slice(0, place).filter((entry, at) => at + passesOver(entry) >= place)
