import { TEAM_ROLES, type TeamRole } from '../../schemas/ipc-team.ts'
import type { TeamConfig, TeamEngagement } from '../../schemas/types.ts'
import { fail, type Outcome, ok } from '../core/base/failure.ts'
import { plain } from '../core/base/plain-text.ts'

/** A person whom the identity provider signed in. */
export interface Person {
  /** Subject of the ID token. Unlike a name, providers never reassign it. */
  readonly subject: string
  /** For display. */
  readonly name: string
  /** Role at the identity provider; null for a person who has access only through an invitation. */
  readonly role: TeamRole | null
  readonly groups: readonly string[]
}

export type Claims = Readonly<Record<string, unknown>>

const LONGEST_NAME = 200

/**
 * The person that the claims of a validated ID token describe. Fails with input.refused where they contain more than one role: it would be
 * unclear what the person may do, and whether an administrator could see evidence.
 */
export function personOf(claims: Claims, { oidc, roles }: Pick<TeamConfig, 'oidc' | 'roles'>): Outcome<Person> {
  const { sub } = claims
  if (typeof sub !== 'string' || sub === '') return fail('input.refused', 'the ID token has no subject')
  const known = TEAM_ROLES.filter((role) =>
    valuesOf(claims, oidc.rolesClaim).some((value) => Object.hasOwn(roles, value) && roles[value] === role),
  )
  if (known.length > 1) return fail('input.refused', `this account has ${known.length} roles here; it must have one`)
  const named = [claims.name, claims.preferred_username, claims.email, sub].find(
    (value): value is string => typeof value === 'string' && value.trim() !== '',
  )
  return ok({
    subject: sub,
    name: plain(named ?? sub, LONGEST_NAME),
    role: known[0] ?? null,
    groups: oidc.groupsClaim === undefined ? [] : valuesOf(claims, oidc.groupsClaim),
  })
}

/** A claim as a list of texts; values of other types are ignored. */
function valuesOf(claims: Claims, name: string): readonly string[] {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  return (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string')
}

/** Whether a person may enter an engagement with the role at the identity provider. Administrators enter none. */
export const mayEnter = ({ subject, role, groups }: Person, { enter }: Pick<TeamEngagement, 'enter'>): boolean =>
  role !== null &&
  role !== 'administrator' &&
  (enter.people?.includes(subject) === true || enter.groups?.some((group) => groups.includes(group)) === true)

/**
 * The role in which a person enters an engagement; null where requests are answered as if the engagement did not exist. The role at the identity
 * provider takes precedence over an invitation. `isInvited`: whether an invitation gives a subject access now. Administrators enter none.
 */
export function roleIn(
  person: Person,
  engagement: Pick<TeamEngagement, 'enter'>,
  isInvited: (subject: string) => boolean,
): TeamRole | null {
  if (mayEnter(person, engagement)) return person.role
  return person.role !== 'administrator' && isInvited(person.subject) ? 'auditor' : null
}
