import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface Sessions {
  readonly sessions: readonly { readonly user: string; readonly terminal: string }[]
}

/** who(1). An empty response means that no one holds a terminal. */
export const tenancySessions = defineProbe({
  id: 'tenancy.sessions',
  title: 'Open login sessions',
  why: 'Shows who is logged in on a terminal right now.',
  ignoredInDrift: {
    why: 'Users log in and out. Not detected: who is logged in; accounts and keys are compared separately.',
    normalize: () => null,
  },
  commands: { who: run(['who']) },
  parse({ who }) {
    if (who.exitCode !== 0) return unknown('the open sessions could not be listed')
    const rows = lines(who.text).map((line) => /^(\S+)\s+(\S+)\s+\S/.exec(line))
    if (rows.includes(null)) return unknown('the list of open sessions has an unexpected format')
    return known<Sessions>({ sessions: rows.map((row) => ({ user: row?.[1] ?? '', terminal: row?.[2] ?? '' })) })
  },
})
