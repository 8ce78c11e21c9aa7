import { sha256 } from './digest.ts'

/** Characters of an organization's name or of a run's in a file name. */
const LONGEST = 48

/** Letters that no decomposition takes apart. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'Ae',
  œ: 'oe',
  Œ: 'Oe',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
}

/**
 * A name as a part of a file name: ASCII letters, digits and hyphens only, which every file system keeps. A name of which
 * nothing or not everything remains ends in the start of its digest, so that two names stay apart.
 */
function partOf(name: string): string {
  const spelled = name
    .replaceAll(/[ßæÆœŒøØłŁđĐ]/g, (letter) => SPELLED[letter] ?? '')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
  const kept = spelled.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '')
  const isWhole = kept !== '' && kept.length <= LONGEST && !/\p{L}/u.test(spelled.replaceAll(/[A-Za-z]/g, ''))
  if (isWhole) return kept
  return [kept.slice(0, LONGEST - 9).replace(/-+$/, '') || 'organization', sha256(name).slice(0, 8)].join('-')
}

interface Named {
  /** The organization that the engagement names, otherwise the fleet. */
  readonly organization: string
  /** The evaluation date of a run, or the first and the last day of a period, as ISO 8601. */
  readonly dates: readonly string[]
}

/** What the names of all files of one export begin with, such as `Acme_2026-11-22`: for people who receive them. */
export const filePrefix = ({ organization, dates }: Named): string =>
  [partOf(organization), ...dates.map((date) => date.slice(0, 10))].join('_')

/** The same with the run, where another run of that day has its files in the folder. */
export const prefixWithRun = (prefix: string, run: string): string => `${prefix}_${partOf(run)}`

/** The name of a file for people; kinds are such as `report.pdf`. */
export const fileNamed = (prefix: string, kind: string): string => `${prefix}_${kind}`

/** The file whose presence shows that a prefix is taken. */
export const REPORT = 'report.pdf'
/** The report as one HTML file. */
export const HTML_REPORT = 'report.html'
