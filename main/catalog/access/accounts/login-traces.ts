import type { DeclaredNode } from '../../../../schemas/types.ts'

/**
 * The content of one record of logins: the last login of each account in it, and the start of the period that it
 * covers.
 */
export interface LoginTrace {
  /** Account → last login, in milliseconds since 1970 UTC; null where the record states that there was none. */
  readonly last: ReadonlyMap<string, number | null>
  /** Since when the record is kept, in milliseconds since 1970 UTC; null where it does not state. */
  readonly since: number | null
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/**
 * A moment as ctime(3) or `%a %b %e %H:%M:%S %z %Y` writes it, in milliseconds since 1970 UTC. Without a zone it is taken as UTC, at
 * most 14 hours off, which days do not feel. Null for anything else.
 */
export function readMoment(text: string): number | null {
  const [, name = '', day, hour, minute, second, zone = '+0000', year] =
    /^(?:[A-Z][a-z]{2} )?([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d{2}):(\d{2}):(\d{2})(?: ([+-]\d{4}))? (\d{4})$/.exec(
      text.trim(),
    ) ?? []
  const month = MONTHS.indexOf(name)
  if (month < 0 || year === undefined) return null
  const away = (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3))) * (zone.startsWith('-') ? -1 : 1)
  return Date.UTC(Number(year), month, Number(day), Number(hour), Number(minute), Number(second)) - away * 60_000
}

/** A moment in ISO 8601, with or without a time and a zone, in milliseconds since 1970 UTC; null for anything else. */
export function readIsoMoment(text: string): number | null {
  const [, date, time = '00:00:00', zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}:\d{2})(?:[.,]\d{1,9})?(Z|[+-]\d{2}:?\d{2})?)?$/.exec(text) ?? []
  if (date === undefined) return null
  const moment = Date.parse(`${date}T${time}${zone.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')}`)
  return Number.isNaN(moment) ? null : moment
}

/** The day of a moment, UTC: 2026-11-20. Moments outside what a date can hold have none. */
export const dayOf = (moment: number): string => {
  const date = new Date(moment)
  return Number.isNaN(date.getTime()) ? 'an impossible day' : date.toISOString().slice(0, 10)
}

export const DAY = 86_400_000

/** Whether the last day of a declared account has passed at a moment (ISO 8601, UTC); false where none is declared. */
export const isPast = (until: string | undefined, at: string): boolean =>
  until !== undefined && until.slice(0, 10) < at.slice(0, 10)

/** The declaration of an account in the fleet file; undefined without one. The last of several applies. */
export const declaredAs = (
  { accounts }: Pick<DeclaredNode, 'accounts'>,
  name: string,
): NonNullable<DeclaredNode['accounts']>[number] | undefined => accounts?.findLast(({ account }) => account === name)

/** Names that the fleet file allows on a node, by roster or by account; null where it declares neither. */
export function declaredNames({
  roster,
  accounts,
}: Pick<DeclaredNode, 'roster' | 'accounts'>): ReadonlySet<string> | null {
  if (roster === undefined && accounts === undefined) return null
  return new Set([...(roster ?? []), ...(accounts ?? []).map(({ account }) => account)])
}
