/**
 * Copies of plain data in which each text is in memory once, however often it stands there. The nodes of a fleet are asked the same and
 * mostly say the same: of a thousand of them texts are most of what an export holds.
 */
export function sharedText(): <T>(value: T) => T {
  const known = new Map<string, string>()
  const share = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const first = known.get(value)
      if (first === undefined) known.set(value, value)
      return first ?? value
    }
    if (Array.isArray(value)) return value.map(share)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, share(part)]))
  }
  return <T>(value: T): T => share(value) as T
}
