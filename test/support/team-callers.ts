import { tokenDigest } from '../../main/core/team/jobs.ts'
import type { TeamConfig } from '../../schemas/types.ts'
import { newToken } from './collector-kit.ts'
import { answerValue, type TeamKit, type Visitor } from './team-kit.ts'

/** Who can send a request to a team server, besides the four roles in the engagement `alpha`. */
export const CALLERS = [
  ...(['officer', 'operator', 'auditor', 'administrator'] as const),
  /** Without a role at the identity provider, with an invitation to alpha. */
  'guest',
  /** An officer who enters `beta` alone, and one who enters no engagement. */
  'officer-of-beta',
  'officer-of-none',
  ...(['nobody', 'expired', 'ended', 'unknown-token'] as const),
  ...(['collector', 'collector-of-beta', 'sealer', 'sealer-of-beta'] as const),
] as const
export type CallerName = (typeof CALLERS)[number]

export interface Caller {
  readonly visitor: Visitor
  /** With every request: of a program its token. */
  readonly headers: Readonly<Record<string, string>>
  /** Token of the page; empty without a session. */
  readonly csrf: string
}

const PROGRAMS = ['collector', 'collector-of-beta', 'sealer', 'sealer-of-beta'] as const
type Program = (typeof PROGRAMS)[number]
const TOKENS = Object.fromEntries(PROGRAMS.map((name) => [name, newToken()])) as Readonly<Record<Program, string>>

/** A configuration with a collector of the zone frankfurt and a sealer for each of alpha and beta. */
export const withPrograms = (config: TeamConfig): TeamConfig => {
  const of = (name: Program) => ({
    ...{ name, engagement: name.endsWith('-of-beta') ? 'beta' : 'alpha' },
    tokenDigest: tokenDigest(TOKENS[name]),
  })
  const sealer = (name: Program) => ({ ...of(name), certificate: 'c'.repeat(64) })
  return {
    ...config,
    limits: { ...config.limits, signInsPerMinute: 100_000 },
    collectors: [
      { ...of('collector'), zone: 'frankfurt' },
      { ...of('collector-of-beta'), zone: 'frankfurt' },
    ],
    sealers: [sealer('sealer'), sealer('sealer-of-beta')],
  }
}

/** Longer than any session lasts. */
const PAST_MS = 9 * 3_600_000

/** Every kind of caller of a kit that was started withPrograms(). */
export async function allCallers(kit: TeamKit): Promise<Readonly<Record<CallerName, Caller>>> {
  const signedIn = async (claims: Readonly<Record<string, unknown>>): Promise<Visitor> => {
    const one = kit.visitor()
    await one.signIn({ groups: [], ...claims })
    return one
  }
  const expired = await signedIn({ sub: 'expired', roles: ['officer'], groups: ['team'] })
  const csrfOfExpired = (await expired.session('alpha')).csrf
  kit.pass(PAST_MS)
  const people = {
    officer: await kit.as('officer'),
    operator: await kit.as('operator'),
    auditor: await kit.as('auditor'),
    administrator: await kit.as('administrator'),
    'officer-of-beta': await signedIn({ sub: 'beta-only', roles: ['officer'] }),
    'officer-of-none': await signedIn({ sub: 'none', roles: ['officer'] }),
    ended: await kit.as('officer', 'ended'),
  }
  const until = new Date(Date.now() + PAST_MS + 86_400_000).toISOString().slice(0, 10)
  const { link } = answerValue<{ readonly link: string }>(
    await people.officer.call('alpha', 'portal.invite', { label: 'guest', until }),
  )
  const guest = kit.visitor()
  const begun = await guest.send('GET', `/auth/invitation/${link.slice(-64)}`)
  await guest.send('GET', kit.provider.approve(begun.headers.location ?? '', { sub: 'guest', roles: [], groups: [] }))
  const of = async (visitor: Visitor): Promise<Caller> => ({ visitor, headers: {}, csrf: await csrfFor(visitor) })
  const ended = await of(people.ended)
  const cookie = people.ended.cookies.get('barewitness') ?? ''
  await people.ended.send('POST', '/auth/sign-out', { 'x-barewitness-csrf': ended.csrf })
  people.ended.cookies.set('barewitness', cookie)
  const program = (token: string): Caller => ({
    ...{ visitor: kit.visitor(), csrf: '' },
    headers: { authorization: `Bearer ${token}` },
  })
  return {
    officer: await of(people.officer),
    operator: await of(people.operator),
    auditor: await of(people.auditor),
    administrator: await of(people.administrator),
    guest: await of(guest),
    'officer-of-beta': await of(people['officer-of-beta']),
    'officer-of-none': await of(people['officer-of-none']),
    nobody: { visitor: kit.visitor(), headers: {}, csrf: '' },
    expired: { visitor: expired, headers: {}, csrf: csrfOfExpired },
    ended,
    'unknown-token': program(newToken()),
    collector: program(TOKENS.collector),
    'collector-of-beta': program(TOKENS['collector-of-beta']),
    sealer: program(TOKENS.sealer),
    'sealer-of-beta': program(TOKENS['sealer-of-beta']),
  }
}

/** The token of the page, from the form for signing out on the first page: it is there without an engagement, too. */
async function csrfFor(visitor: Visitor): Promise<string> {
  const { text } = await visitor.send('GET', '/')
  const [, csrf = ''] = /name="csrf" value="([0-9a-f]{64})"/.exec(text) ?? []
  return csrf
}
