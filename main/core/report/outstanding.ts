import type { Attachment, ControlAssessment, RecordRequest, Register } from '../../../schemas/types.ts'
import { oneLine } from '../plain-text.ts'
import { attachedTo, bears, isOverdue } from '../register/requests.ts'
import { byRow, type RowRegister } from '../register/rows.ts'
import { standingOf } from '../register.ts'
import type { Matter } from './input.ts'
import { chosenFrameworks } from './items.ts'
import { day, names } from './wording.ts'

export const NOTHING = 'Nothing is attached'

/** A record that an item needs and that nothing bears. */
export interface Outstanding {
  readonly framework: string
  readonly control: string
  readonly need: string
  readonly request: RecordRequest | null
  readonly overdue: boolean
  /** Why it is outstanding, though something may be attached. */
  readonly why: string
}

/** How one need of one row stands, which the result model counts as outstanding. */
function outstandingAt(
  register: Register,
  { framework, control, need }: { readonly framework: string; readonly control: string; readonly need: string },
  asOf: string,
): Outstanding {
  const request =
    register.requests.find((one) => one.framework === framework && one.control === control && one.need === need) ?? null
  const own = attachedTo(register, framework, control).filter((one) => one.need === need)
  return {
    framework,
    control,
    need,
    request,
    overdue: request !== null && isOverdue(request, asOf),
    why: whyOutstanding(own, asOf),
  }
}

function whyOutstanding(attached: readonly Attachment[], asOf: string): string {
  const named = (some: readonly Attachment[]): string =>
    names(
      some.map(({ name }) => oneLine(name, 80)),
      3,
    )
  const standing = attached.filter((one) => standingOf(one, asOf) === 'in-force')
  const received = standing.filter(({ method }) => method === 'received')
  if (received.length > 0) return `Received, and nobody examined it: ${named(received)}`
  if (standing.length > 0) return `Attached without an end, more than a year ago: ${named(standing)}`
  const ended = attached.filter((one) => standingOf(one, asOf) === 'expired')
  if (ended.length > 0) return `What was attached has ended: ${named(ended)}`
  const later = attached.filter((one) => standingOf(one, asOf) === 'not-begun')
  if (later.length > 0) return `Attached only after the moment of this report: ${named(later)}`
  return attached.length > 0 ? `What was attached was withdrawn: ${named(attached)}` : NOTHING
}

/** The outstanding records of one item, in its order. */
export const outstandingOfItem = (
  ofRow: RowRegister,
  { framework, control, outstanding }: Pick<ControlAssessment, 'framework' | 'control' | 'outstanding'>,
  asOf: string,
): readonly Outstanding[] =>
  outstanding.map((need) => outstandingAt(ofRow({ framework, control }), { framework, control, need }, asOf))

/**
 * Requests that are still open, whatever asked for them: a need that the result model counts, or a record in place of what nodes cannot
 * bear. A need that a decision settled is not open.
 */
function openRequests(
  register: Register,
  controls: readonly ControlAssessment[],
  needsOf: (framework: string, control: string) => readonly string[],
  asOf: string,
): readonly Outstanding[] {
  const ofRow = byRow(register)
  const byKey = new Map(controls.map((one) => [`${one.framework}\n${one.control}`, one]))
  return register.requests.flatMap((request) => {
    const { framework, control, need } = request
    const assessed = byKey.get(`${framework}\n${control}`)
    if (assessed === undefined) return []
    const own = ofRow(request)
    const isHeld = needsOf(framework, control).includes(need)
      ? !assessed.outstanding.includes(need)
      : attachedTo(own, framework, control).some((one) => one.need === need && bears(one, asOf))
    return isHeld ? [] : [outstandingAt(own, request, asOf)]
  })
}

/** Who is asked for it by when, in brackets behind the need. */
export function askedWords({ request, overdue, why }: Outstanding): string {
  const asked =
    request === null
      ? ''
      : `; ${overdue ? 'overdue: ' : ''}asked of ${oneLine(request.owner, 200)}, due ${day(request.due)}`
  return `${why.charAt(0).toLowerCase()}${why.slice(1)}${asked}`
}

/**
 * How many records items of frameworks in force need, how many of them are held, and which requests are open. A proposed rule asks for
 * nothing yet, so what it would need is not counted.
 */
export function recordCounts(matter: Pick<Matter, 'register' | 'assessment' | 'catalog'>) {
  const { register, assessment, catalog } = matter
  const { current } = chosenFrameworks(matter)
  const ids = new Set(current.map(({ id }) => id))
  const items = assessment.controls.filter(({ framework }) => ids.has(framework))
  const needs = new Map(
    catalog.frameworks.flatMap(({ id, controls }) =>
      controls.map(({ key, needsAlso }) => [`${id}\n${key}`, needsAlso] as const),
    ),
  )
  const needsOf = (id: string, key: string): readonly string[] => needs.get(`${id}\n${key}`) ?? []
  const asked = openRequests(register, assessment.controls, needsOf, assessment.asOf)
  return {
    items,
    asked,
    needed: items.reduce((sum, { records }) => sum + records.needed, 0),
    held: items.reduce((sum, { records }) => sum + records.held, 0),
    overdue: asked.filter((one) => one.overdue).length,
  }
}
