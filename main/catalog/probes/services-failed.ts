import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'
import { kindsOf } from '../steady.ts'

export interface FailedUnits {
  readonly units: readonly string[]
}

/** systemctl(1) list-units: names only; the description that follows is not read. */
export const servicesFailed = defineProbe({
  id: 'services.failed',
  title: 'Services that failed',
  why: 'Shows whether every service that should have started did so.',
  ignoredInDrift: {
    why: 'Units are listed in no fixed order, and some are numbered anew at each of their starts.',
    normalize: ({ units }: FailedUnits) => ({
      units: kindsOf(units.map((unit) => unit.replace(/@\d[^.]*(?=\.)/, '@'))),
    }),
  },
  commands: {
    units: run(['systemctl', '--no-pager', '--no-legend', '--plain', 'list-units', '--state=failed'], {
      maxBytes: 262_144,
    }),
  },
  parse({ units }) {
    if (units.exitCode !== 0) return unknown('the service manager did not respond')
    return known<FailedUnits>({
      // Releases before 247 mark failed units with a dot even where plain output was requested.
      units: lines(units.text).flatMap((line) => /^[●*\s]{0,8}(\S{1,256}\.[a-z]+)\s/.exec(line)?.[1] ?? []),
    })
  },
})
