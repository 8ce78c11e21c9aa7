import { defineProbe, known, type Parsed, run, unknown } from '../../core/probe.ts'
import { unitBlocks } from '../read-text.ts'
import { inOrder } from '../steady.ts'

export interface ScrubTimers {
  /** Day of the last start (YYYY-MM-DD, by the node's own zone) of each timer that is there; null where it never started anything. */
  readonly timers: readonly { readonly unit: string; readonly isActive: boolean; readonly last: string | null }[]
}

/** mdadm's (Debian, Ubuntu, SUSE), RHEL's raid-check, and SUSE's btrfsmaintenance. */
const UNITS = ['mdcheck_start.timer', 'raid-check.timer', 'btrfs-scrub.timer'] as const

/** systemd.timer(5), org.freedesktop.systemd1(5): LastTriggerUSec is printed as a date. */
export const storageScrubTimers = defineProbe({
  id: 'storage.scrub-timers',
  title: 'Last start of scheduled data checks',
  why: 'Arrays do not keep the date of their last check; the timer that starts it does.',
  ignoredInDrift: {
    why: 'Timers run on schedule.',
    normalize: ({ timers }: ScrubTimers) => ({ timers: inOrder(timers.map(({ last: _, ...timer }) => timer)) }),
  },
  commands: {
    timers: run(['systemctl', '--property=Id,LoadState,ActiveState,LastTriggerUSec', 'show', ...UNITS]),
  },
  parse({ timers }): Parsed<ScrubTimers> {
    const blocks = timers.exitCode === 0 ? unitBlocks(timers.text, UNITS.length) : null
    if (blocks === null) return unknown('the timers could not be read')
    return known({
      timers: blocks.flatMap((block) =>
        block.get('LoadState') === 'loaded'
          ? [
              {
                unit: block.get('Id') ?? '',
                isActive: block.get('ActiveState') === 'active',
                last: /\b(\d{4}-\d\d-\d\d) \d\d:\d\d/.exec(block.get('LastTriggerUSec') ?? '')?.[1] ?? null,
              },
            ]
          : [],
      ),
    })
  },
})
