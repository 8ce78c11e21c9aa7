import type { ZoneOffset, Zones } from '../core/period/cadence.ts'

/** Time zones from the ICU data of this computer. */
export const zones: Zones = (zone) => {
  try {
    return offsetOf(
      new Intl.DateTimeFormat('en-US', {
        timeZone: zone,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      }),
    )
  } catch {
    return null
  }
}

const offsetOf = (format: Intl.DateTimeFormat): ZoneOffset => {
  return (moment) => {
    const whole = Math.floor(moment / 1000) * 1000
    const parts = new Map(format.formatToParts(whole).map(({ type, value }) => [type, Number(value)]))
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
    const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'))
    return local - whole
  }
}
