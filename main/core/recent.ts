/** A result over these parts: what it gave for the same ones before, or what `make` gives. */
export type Recent<T> = (parts: readonly unknown[], make: () => T) => T

/** How many different nodes of a fleet are expected one after the other; of more, results are made again. */
const MOST = 16

/**
 * Remembers the latest results of a pure function by what they were made of, where that is the same objects. Nodes whose answers are the same
 * bytes have one reading of them, see readingsOf(), and what follows from readings alone follows once. No result is changed afterwards.
 */
export function recentResults<T>(): Recent<T> {
  const known: { readonly parts: readonly unknown[]; readonly result: T }[] = []
  let next = 0
  return (parts, make) => {
    const found = known.find(
      (one) => one.parts.length === parts.length && parts.every((part, at) => part === one.parts[at]),
    )
    if (found !== undefined) return found.result
    const result = make()
    known[next] = { parts, result }
    next = (next + 1) % MOST
    return result
  }
}
