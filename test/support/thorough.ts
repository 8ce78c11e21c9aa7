/** Whether the slow suites run (`npm run test:all`): what loops over everything then does, and otherwise takes a sample. */
const THOROUGH = process.env.BAREWITNESS_THOROUGH === '1'

/** How often something is repeated: in `npm test`, and in `npm run test:all`. */
export const times = (quick: number, thorough: number): number => (THOROUGH ? thorough : quick)

/** All of a list in `npm run test:all`, else at most so many of them, spread evenly from the first to the last. */
export function sampled<T>(all: Iterable<T>, quick: number): readonly T[] {
  const list = [...all]
  if (THOROUGH || list.length <= quick) return list
  return Array.from({ length: quick }, (_, at) => list[Math.round((at * (list.length - 1)) / (quick - 1))] as T)
}
