import { quote } from '../../core/plain-text.ts'

/** Rounded up, so that nothing is stated to be nearer than it may be. */
export const kilometres = (distance: number): string => `${(Math.ceil(distance * 10) / 10).toFixed(1)} km`
export const milliseconds = (time: number): string => `${time.toFixed(3)} ms`

/** What people typed, in a list: “a”, “b” and “c”. */
export function listed(names: readonly string[]): string {
  const quoted = [...new Set(names)].map((name) => quote(name))
  const last = quoted.at(-1) ?? ''
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} and ${last}`
}
