import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { isAbsent, lines } from '../read-text.ts'

export interface RaySessions {
  /** Sessions since the folder was last emptied, running or not. */
  readonly sessions: readonly string[]
}

/** Ray documentation, "Configuring logging": each start makes a folder named after its time and process. */
export const tenancyRay = defineProbe({
  id: 'tenancy.ray',
  title: 'Sessions of Ray clusters',
  why: 'Shows how often a Ray cluster was started here. Names only; no log is opened.',
  ignoredInDrift: {
    why: 'Jobs start and end.',
    normalize: () => null,
  },
  commands: { sessions: run(['ls', '-1', '/tmp/ray']) },
  parse({ sessions }) {
    if (isAbsent(sessions)) return known<RaySessions>({ sessions: [] })
    if (sessions.exitCode !== 0) return unknown('the sessions of Ray could not be listed')
    return known<RaySessions>({
      sessions: lines(sessions.text).filter((name) => /^session_[0-9][0-9_-]{10,60}$/.test(name)),
    })
  },
})
