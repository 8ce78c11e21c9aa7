/** Things by each of their keys. */
export function grouped<T>(things: Iterable<T>, keysOf: (thing: T) => readonly string[]): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const thing of things)
    for (const key of keysOf(thing)) {
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [thing])
      else group.push(thing)
    }
  return groups
}

/** Groups items by key, in the order of the first item of each group. */
export const alike = <T>(all: Iterable<T>, keyOf: (one: T) => string): readonly (readonly T[])[] => [
  ...grouped(all, (one) => [keyOf(one)]).values(),
]
