/** For a text of Latin-1 characters: by group, 1 where the text contains one of its literals. Valid until the next call. */
export type GroupFinder = (text: string) => Uint8Array

const LATIN_1 = 256

/**
 * Finds which groups have a literal in a text, in one pass over it for any number of literals (Aho and Corasick, Efficient String Matching,
 * 1975). ASCII letters are compared without case, other characters exactly. An empty literal is in every text. Throws for a literal outside
 * of Latin-1.
 */
export function groupFinder(groups: readonly (readonly string[])[]): GroupFinder {
  const { classes, width } = classesOf(groups.flat())
  const { next, groupsAt } = automatonOf(groups, classes, width)
  const states = groupsAt.length
  const ends = [...groupsAt.keys()].filter((state) => groupsAt[state]?.length !== 0)
  const seen = new Uint8Array(states)
  const found = new Uint8Array(groups.length)
  return (text) => {
    seen.fill(0)
    found.fill(0)
    seen[0] = 1
    let state = 0
    for (let at = 0; at < text.length; at += 1) {
      state = next[state * width + (classes[text.charCodeAt(at)] ?? 0)] ?? 0
      seen[state] = 1
    }
    for (const end of ends) if (seen[end] === 1) for (const group of groupsAt[end] ?? []) found[group] = 1
    return found
  }
}

const small = (code: number): number => (code >= 0x41 && code <= 0x5a ? code + 0x20 : code)

/** A number for each character that some literal has, from 1; 0 for all others. */
function classesOf(literals: readonly string[]): { readonly classes: Uint8Array; readonly width: number } {
  const codes = [...new Set(literals.flatMap((literal) => [...literal].map((one) => small(one.charCodeAt(0)))))]
  if (codes.some((code) => code >= LATIN_1)) throw new Error('a literal is not of Latin-1')
  const numbers = new Map(codes.map((code, index) => [code, index + 1]))
  const classes = new Uint8Array(LATIN_1)
  for (let code = 0; code < LATIN_1; code += 1) classes[code] = numbers.get(small(code)) ?? 0
  return { classes, width: codes.length + 1 }
}

interface Automaton {
  /** By state and class, the state that follows. */
  readonly next: Uint16Array
  /** By state, the groups of which a literal ends there. */
  readonly groupsAt: readonly (readonly number[])[]
}

function automatonOf(groups: readonly (readonly string[])[], classes: Uint8Array, width: number): Automaton {
  const children: Map<number, number>[] = [new Map()]
  const own: Set<number>[] = [new Set()]
  for (const [group, literals] of groups.entries())
    for (const literal of literals) {
      let state = 0
      for (const one of literal) {
        const kind = classes[one.charCodeAt(0)] ?? 0
        const child = children[state]?.get(kind) ?? children.length
        if (child === children.length) {
          children[state]?.set(kind, child)
          children.push(new Map())
          own.push(new Set())
        }
        state = child
      }
      own[state]?.add(group)
    }
  const next = new Uint16Array(children.length * width)
  const shorter = new Uint16Array(children.length)
  // By length, so that the state of the longest shorter end is complete before it is needed.
  const queue = [0]
  for (const state of queue) {
    const fallback = shorter[state] ?? 0
    if (state !== 0) for (const group of own[fallback] ?? []) own[state]?.add(group)
    for (let kind = 0; kind < width; kind += 1) {
      const child = children[state]?.get(kind)
      const without = state === 0 ? 0 : (next[fallback * width + kind] ?? 0)
      if (child !== undefined) {
        shorter[child] = without
        queue.push(child)
      }
      next[state * width + kind] = child ?? without
    }
  }
  return { next, groupsAt: own.map((at) => [...at]) }
}
