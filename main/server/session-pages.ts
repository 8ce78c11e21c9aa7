import type { TeamRole } from '../../schemas/ipc-team.ts'
import { plural } from '../core/base/plain-text.ts'
import { compare } from '../core/recording/recording.ts'
import { type ServerRole, sessionRefusal } from './access.ts'
import type { ServerForm, ServerPage } from './html.ts'
import { SESSION_PATHS } from './routes.ts'
import type { SignInWay, TeamSessionRecord } from './sessions.ts'

/** Pages on which people see and end sessions. They contain no ids or hashes of sessions and no evidence. */

/** The links to the pages of sessions that a role may open. */
export const sessionLinks = (role: ServerRole): readonly (readonly [href: string, text: string])[] => [
  [SESSION_PATHS['sessions.own'], 'Your sessions'],
  ...(sessionRefusal(role, 'sessions.list') === null
    ? [[SESSION_PATHS['sessions.list'], 'Sessions of everyone'] as const]
    : []),
]

interface SessionPageInput {
  /** The session of the person who views the page. */
  readonly current: TeamSessionRecord
  readonly csrf: string
  readonly sessions: readonly TeamSessionRecord[]
}

const END_MEANS =
  'Ending a session signs its pages out at once, and withdraws what they asked signers to sign. Work that has begun is finished. The person can sign in again as long as the identity provider lets them.'

/** The page with the sessions of the person who views it. */
export function ownSessionsPage({ current, csrf, sessions }: SessionPageInput): ServerPage {
  const { person } = current
  return {
    title: 'Your sessions',
    lines: [`Signed in as ${person.name}${person.role === null ? '' : `, ${person.role}`}.`, END_MEANS],
    table: {
      caption: plural(sessions.length, 'session'),
      heads: ['Signed in (UTC)', 'Last used (UTC)', 'Signed in with', 'State'],
      rows: sessions.map((one) => ({
        cells: [utc(one.createdAt), utc(one.usedAt), WAYS[one.way], stateOf(one, current)],
        forms: [endForm('sessions.end-own', csrf, one, `End the session of ${utc(one.createdAt)}`)],
      })),
    },
    forms: [{ action: SESSION_PATHS['sessions.end-all-own'], fields: { csrf }, label: 'Sign out everywhere' }],
    links: [['/', 'Engagements'], ...sessionLinks(person.role).slice(1)],
  }
}

interface AllSessionsInput extends SessionPageInput {
  /** The engagements that a person may enter now, with the role there. */
  readonly enters: (session: TeamSessionRecord) => readonly { readonly name: string; readonly role: TeamRole }[]
}

/** Maximum number of sessions on the page. The least recently used ones are left out and counted. */
const MOST_SHOWN = 500

/** The page with the sessions of everyone, ordered by person, for administrators. */
export function allSessionsPage({ current, csrf, sessions, enters }: AllSessionsInput): ServerPage {
  const latest = sessions.toSorted((a, b) => b.usedAt - a.usedAt).slice(0, MOST_SHOWN)
  const shown = latest.toSorted((a, b) => compare(nameOf(a), nameOf(b)) || a.createdAt - b.createdAt)
  const left = sessions.length - shown.length
  const people = new Map<string, number>()
  for (const { person } of sessions) people.set(person.subject, (people.get(person.subject) ?? 0) + 1)
  return {
    title: 'Sessions of everyone',
    lines: [
      END_MEANS,
      ...(left === 0
        ? []
        : [`${plural(left, 'session')} with an earlier last use not shown; end some, or wait for their end.`]),
    ],
    table: {
      caption: `${plural(sessions.length, 'session')} of ${plural(people.size, 'person', 'people')}`,
      heads: ['Person', 'Role', 'Engagements', 'Signed in (UTC)', 'Last used (UTC)', 'Signed in with', 'State'],
      rows: shown.map((one) => {
        const { person } = one
        const own = people.get(person.subject) ?? 0
        const entered = enters(one).map(({ name, role }) => (role === person.role ? name : `${name} (${role})`))
        return {
          cells: [
            nameOf(one),
            person.role ?? 'none',
            entered.length === 0 ? 'none' : entered.join('\n'),
            utc(one.createdAt),
            utc(one.usedAt),
            WAYS[one.way],
            stateOf(one, current),
          ],
          forms: [
            endForm('sessions.end', csrf, one, `End the session of ${person.name} of ${utc(one.createdAt)}`),
            ...(own < 2
              ? []
              : [
                  {
                    ...endForm('sessions.end-person', csrf, one, `End all of ${person.name}`),
                    label: `End all ${own}`,
                  },
                ]),
          ],
        }
      }),
    },
    links: [
      ['/', 'Start'],
      [SESSION_PATHS['sessions.own'], 'Your sessions'],
    ],
  }
}

const WAYS: Readonly<Record<SignInWay, string>> = {
  provider: 'identity provider',
  invitation: 'identity provider, by an invitation',
}

/** Several people can have the same name; the subject distinguishes them. */
const nameOf = ({ person: { name, subject } }: TeamSessionRecord): string =>
  name === subject ? name : `${name}\n${subject}`

const stateOf = (session: TeamSessionRecord, current: TeamSessionRecord): string =>
  session.ended.aborted
    ? 'ended, but still in the database; end it again'
    : session.hash === current.hash
      ? 'this session'
      : 'open'

const endForm = (
  method: 'sessions.end-own' | 'sessions.end' | 'sessions.end-person',
  csrf: string,
  { publicId }: TeamSessionRecord,
  description: string,
): ServerForm => ({ action: SESSION_PATHS[method], fields: { csrf, session: publicId }, label: 'End', description })

const utc = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ')
