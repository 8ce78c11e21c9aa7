// A separate file, because --version needs nothing else of the command line.

/** Exit codes of every command. */
export const EXIT = { done: 0, bug: 1, usage: 2, gaps: 3, incomplete: 4, notVerified: 5, stopped: 130 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** The meaning of each exit code, as the reference of the command line prints it. */
export const EXIT_WORDS: Readonly<Record<ExitCode, string>> = {
  0: 'No deviations',
  1: 'Internal error',
  2: 'Usage or configuration error',
  3: 'Deviations without a risk acceptance in effect, or compared lists or runs that differ',
  4: 'Incomplete: a node, inventory, time-stamp, output or scheduled run is missing',
  5: 'Verification failed',
  130: 'Stopped by the user',
}

// Worst first.
const ORDER: readonly ExitCode[] = [1, 130, 2, 5, 3, 4, 0]

/** The worst of the named exit codes that apply; 0 where none does. */
export const worstOf = (applies: Readonly<Partial<Record<keyof typeof EXIT, boolean>>>): ExitCode =>
  worst((Object.keys(EXIT) as (keyof typeof EXIT)[]).flatMap((name) => (applies[name] === true ? [EXIT[name]] : [])))

/** The worst of several outcomes. */
export const worst = (codes: readonly ExitCode[]): ExitCode => ORDER.find((code) => codes.includes(code)) ?? EXIT.done
