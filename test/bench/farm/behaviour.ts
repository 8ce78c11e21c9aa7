/** How an emulated node behaves; all but the first are faults. */
export const BEHAVIOURS = ['answers', 'refuses', 'drops', 'hangs', 'resets', 'rejects', 'floods'] as const
export type Behaviour = (typeof BEHAVIOURS)[number]

/** Shares of a farm's nodes, 0 to 1; the rest answers. */
export type Faults = Partial<Readonly<Record<Exclude<Behaviour, 'answers'>, number>>>

/** Spread over the farm evenly, and the same each time: every behaviour gets its share of any stretch of nodes. */
export function behaviourOf(index: number, faults: Faults): Behaviour {
  // Multiples of the golden ratio fill the unit interval evenly.
  const at = (index * 0.618_033_988_75 + 0.5) % 1
  let upTo = 0
  for (const behaviour of BEHAVIOURS) {
    if (behaviour === 'answers') continue
    upTo += faults[behaviour] ?? 0
    if (at < upTo) return behaviour
  }
  return 'answers'
}

const PER_NETWORK = 200

/** One address in 127.78.0.0/16 for each node, all of them answered by the one server; 200 nodes share a /24. */
export const addressOf = (index: number): string =>
  `127.78.${Math.floor(index / PER_NETWORK)}.${(index % PER_NETWORK) + 1}`

export function indexOf(address: string): number | null {
  const [, network, host] = /^127\.78\.(\d+)\.(\d+)$/.exec(address) ?? []
  return network === undefined || host === undefined ? null : Number(network) * PER_NETWORK + Number(host) - 1
}

export const nameOf = (index: number): string => `node-${String(index + 1).padStart(4, '0')}`
