/** Exit codes of every command; documented in the README, tested. */
export const EXIT = { done: 0, bug: 1, usage: 2, gaps: 3, incomplete: 4, notVerified: 5, stopped: 130 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

// Worst first: our bug, a stop by somebody, a refused input, a pack that doesn't verify, gaps, incompleteness.
const ORDER: readonly ExitCode[] = [1, 130, 2, 5, 3, 4, 0]

/** The worst of several outcomes. */
export const worst = (codes: readonly ExitCode[]): ExitCode => ORDER.find((code) => codes.includes(code)) ?? EXIT.done
