import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import type { ShownZone } from '../stamps.ts'

export interface NodeNow {
  /** Seconds since 1970, by the node's clock. */
  readonly seconds: number
  readonly zone: ShownZone
}

/** date(1): the moment at which it was queried, and the zone that local times on this node are written in. */
export const timeNow = defineProbe({
  id: 'time.now',
  title: 'The node’s clock and time zone',
  why: 'Log entries can be compared with the collection only if the server’s own time and time zone are known.',
  ignoredInDrift: {
    why: 'Time passes, and daylight-saving time begins and ends.',
    normalize: () => null,
  },
  commands: { now: run(['date', '+%s %z %Z']) },
  parse({ now }) {
    const [, seconds, sign, hours, minutes, name] =
      /^(\d{9,11}) ([+-])(\d{2})(\d{2}) ([A-Za-z0-9+:-]{1,12})\s*$/.exec(now.text) ?? []
    if (now.exitCode !== 0 || seconds === undefined || name === undefined) return unknown('the clock was not reported')
    const east = Number(hours) * 60 + Number(minutes)
    return known<NodeNow>({
      seconds: Number(seconds),
      zone: { minutes: sign === '-' && east > 0 ? -east : east, name },
    })
  },
})
