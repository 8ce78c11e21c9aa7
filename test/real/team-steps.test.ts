import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chainsBelow } from '../../main/app/history/rebuild-history.ts'
import { PACK_EXTENSION } from '../../main/core/base/layout.ts'
import { PATHS } from '../../main/core/pack/pack.ts'
import { checkAudit } from '../../main/server/audit.ts'
import type { ExportDraft } from '../../schemas/ipc-packs.ts'
import type { InvitationView, PortalRequest } from '../../schemas/ipc-portal.ts'
import type { TeamConfig } from '../../schemas/types.ts'
import { bundled } from '../support/bundled.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { type SteppedTeam, startStepped } from '../support/killed-team.ts'
import { startTestProvider, type TestProvider } from '../support/oidc-test-provider.ts'
import { must } from '../support/outcomes.ts'
import { newSigner, type SealerInTest, startSealer, withSealers } from '../support/sealer-kit.ts'
import { type Answered, answerValue, replyIn, type Visitor } from '../support/team-kit.ts'

/**
 * A team server is killed right before each kind of change of its files, while an export is signed and while officers and auditors exchange
 * something. How packs are shared is in share-faults.test.ts.
 */

const signer = newSigner('J. Chen')
const configured = (config: TeamConfig): TeamConfig => withSealers(config, signer)
const OFFICER = { sub: 'officer', name: 'officer', roles: ['officer'] }
const AUDITOR = { sub: 'lee', name: 'lee', roles: ['auditor'] }

let made: Awaited<ReturnType<typeof bundled>>
let provider: TestProvider
let folder: string
let team: SteppedTeam
let sealer: SealerInTest | null = null
beforeAll(async () => {
  made = await bundled('team-in-steps.ts')
  provider = await startTestProvider()
  folder = mkdtempSync(join(tmpdir(), 'bw-stepped-'))
  team = await startStepped(made.program, folder, provider, configured)
})
afterAll(async () => {
  await sealer?.stop()
  await team?.kill()
  await provider?.close()
  for (const one of [folder, made?.folder]) if (one !== undefined) rmSync(one, { recursive: true, force: true })
})

const alpha = (): string => join(folder, 'alpha')
const ask = async <T>(who: Visitor, method: string, input: unknown): Promise<T> =>
  answerValue<T>(await who.call('alpha', method, input))

/** Starts the server again after its end, and gives someone who signed in again. */
async function restarted(): Promise<void> {
  await team.kill()
  team = await startStepped(made.program, folder, provider, configured)
}

/** The answer to what is asked of a server that ends meanwhile; null where it ended first. */
const orEnded = async (asked: Promise<Answered>): Promise<Answered | null> => await asked.catch(() => null)

/** What changes, without what differs from one time to the next: the steps before which the server is killed. */
const kindOf = (step: string): string =>
  step
    .replace(folder, '')
    .replaceAll(/[0-9a-f]{16,}/g, 'ID')
    .replaceAll(/\d+/g, 'N')

/** The first step of each kind. */
function firstOfKinds(steps: readonly string[]): readonly (readonly [step: number, kind: string])[] {
  const kinds = steps.map(kindOf)
  return kinds.flatMap((kind, at) => (kinds.indexOf(kind) === at ? [[at, kind] as const] : []))
}

describe('while an export is signed by a sealer', () => {
  const build = (officer: Visitor): Promise<Answered> =>
    officer.call('alpha', 'export.build', {
      ...{ frameworks: ['hipaa', 'soc2'], identity: 'chen', timestamp: false, also: [], redact: null },
    })

  /** An officer, and a sealer that confirms everything. */
  async function connected(): Promise<Visitor> {
    await sealer?.stop()
    sealer = startSealer(team.origin, signer)
    const officer = await team.as(OFFICER)
    while ((await ask<readonly unknown[]>(officer, 'identities.list', null)).length === 0) await sleep(20)
    return officer
  }

  /** Each entry of the chain has its pack, and each pack its entry. */
  async function expectNothingLostOrTwice(): Promise<number> {
    const ports = createFakePorts()
    const [chain] = must(await chainsBelow(ports, alpha()))
    const entered = (chain?.chain.entries ?? []).flatMap(({ entry }) =>
      entry.kind === 'run' ? [entry.tagManifest] : [],
    )
    const paths = readdirSync(join(alpha(), 'exports'), { recursive: true, encoding: 'utf8' })
    expect(paths.filter((path) => path.endsWith('.prepared'))).toEqual([])
    const seals = await Promise.all(
      paths
        .filter((path) => path.endsWith(PACK_EXTENSION))
        .map(async (path) => {
          const pack = must(await ports.packs.open(join(alpha(), 'exports', path)))
          const seal = await pack.sha256(PATHS.tagManifest)
          await pack.close()
          return seal
        }),
    )
    expect([...seals].sort()).toEqual([...entered].sort())
    expect(new Set(seals).size).toBe(seals.length)
    expect(checkAudit(readFileSync(join(folder, 'audit.jsonl'), 'utf8')).intact).toBe(true)
    return seals.length
  }

  /** Right before which change of its files the server ends, and which of several. */
  const POINTS: readonly (readonly [what: string, step: RegExp, which: number])[] = [
    ['a signature was sent, and is not in the audit log', /^appendFile .*audit\.jsonl$/, 1],
    ['all signatures were accepted, and nothing was written', /^mkdir .*\/exports\/[0-9a-f]+$/, 0],
    ['the pack is half-written', /^sync .*\.prepared\./, 0],
    ['the pack is complete, and the chain has no entry', /^appendFile .*entries\.jsonl$/, 0],
    ['the head does not count the entry', /^rename .*head\.json/, -1],
    ['the chain names a pack without its name', /^link .*\.prepared$/, 0],
    ['the pack has both names', /^unlink .*\.prepared$/, 0],
    ['nothing is beside the pack', /^open .*report\.pdf\./, 0],
  ]

  test('every entry of the chain has its pack, every pack its entry, and the export can be repeated', async () => {
    const first = await connected()
    await ask(first, 'run.start', { nodes: [], only: 'all' })
    while ((await ask<{ readonly going: boolean }>(first, 'run.status', null)).going) await sleep(20)
    // The second one changes what each later one does.
    for (const _ of ['begins the chain', 'continues it']) {
      await team.endAfter()
      answerValue<ExportDraft>(await build(first))
    }
    const steps = await team.steps()
    let sealed = await expectNothingLostOrTwice()
    expect(sealed).toBe(2)
    for (const [what, wanted, which] of POINTS) {
      const step = steps.flatMap((one, at) => (wanted.test(one) ? [at] : [])).at(which)
      expect([what, step === undefined]).toEqual([what, false])
      const officer = await connected()
      await team.endAfter(step)
      expect([what, await orEnded(build(officer))]).toEqual([what, null])
      await team.ended
      await restarted()
      const again = await connected()
      const now = await expectNothingLostOrTwice()
      expect([what, [0, 1].includes(now - sealed)]).toEqual([what, true])
      expect([what, replyIn(await build(again)).ok]).toEqual([what, true])
      sealed = await expectNothingLostOrTwice()
      expect([what, sealed]).toEqual([what, now + 1])
    }
  })
})

describe('while officers and auditors exchange something', () => {
  const until = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10)
  const about = { control: '', node: '', check: '', period: '' }
  const comment = { to: null, comment: 'See the pack.', packs: [], documents: [], findings: [] }

  /** The steps of one call, and how many of what it records there are. */
  interface Exchange {
    readonly who: Readonly<Record<string, unknown>>
    readonly send: (by: Visitor) => Promise<Answered>
    readonly count: (by: Visitor) => Promise<number>
  }
  const requests = (by: Visitor): Promise<readonly PortalRequest[]> => ask(by, 'portal.requests', null)
  const EXCHANGES: Readonly<Record<string, Exchange>> = {
    'an invitation': {
      who: OFFICER,
      send: (by) => by.call('alpha', 'portal.invite', { label: 'R. Lee', until }),
      count: async (by) => (await ask<readonly InvitationView[]>(by, 'portal.invitations', null)).length,
    },
    'a request': {
      who: AUDITOR,
      send: (by) => by.call('alpha', 'portal.ask', { title: 'Access review', text: '', about, due: until }),
      count: async (by) => (await requests(by)).length,
    },
    'a comment on a request': {
      who: AUDITOR,
      send: async (by) => by.call('alpha', 'portal.act', { id: (await requests(by))[0]?.id ?? '', ...comment }),
      count: async (by) => (await requests(by))[0]?.entries.length ?? 0,
    },
  }

  test.each(Object.entries(EXCHANGES))('%s is recorded once or not at all, and can be sent again', async (_, one) => {
    let by = await team.as(one.who)
    let before = await one.count(by)
    await team.endAfter()
    expect(replyIn(await one.send(by)).ok).toBe(true)
    const kinds = firstOfKinds(await team.steps()).filter(([, kind]) => kind.endsWith('portal.jsonl'))
    expect(kinds.map(([, kind]) => kind)).toEqual(['appendFile /alpha/portal.jsonl', 'datasync /alpha/portal.jsonl'])
    before += 1
    for (const [step, kind] of kinds) {
      await team.endAfter(step)
      expect([kind, await orEnded(one.send(by))]).toEqual([kind, null])
      await team.ended
      await restarted()
      by = await team.as(one.who)
      const now = await one.count(by)
      expect([kind, now === before || now === before + 1]).toEqual([kind, true])
      expect([kind, replyIn(await one.send(by)).ok]).toEqual([kind, true])
      before = await one.count(by)
      expect([kind, before]).toEqual([kind, now + 1])
    }
    expect(checkAudit(readFileSync(join(folder, 'audit.jsonl'), 'utf8')).intact).toBe(true)
  })

  test('an invitation that is used gives access, or can be used again', async () => {
    const use = async (link: string, sub: string, endsAfter?: number): Promise<Answered | null> => {
      const guest = team.visitor()
      const begun = await guest.send('GET', `/auth/invitation/${link.slice(-64)}`)
      await team.endAfter(endsAfter)
      const to = provider.approve(begun.headers.location ?? '', { sub, roles: [], groups: [] })
      return await orEnded(guest.send('GET', to))
    }
    const invited = async (): Promise<string> =>
      (await ask<{ readonly link: string }>(await team.as(OFFICER), 'portal.invite', { label: 'guest', until })).link
    expect((await use(await invited(), 'first'))?.status).toBe(200)
    for (const [step, kind] of firstOfKinds(await team.steps()).filter(([, one]) => one.endsWith('.jsonl'))) {
      const link = (await invited()).slice(-64)
      expect([kind, await use(link, `guest-${step}`, step)]).toEqual([kind, null])
      await team.ended
      await restarted()
      const page = await team.visitor().send('GET', `/invitation/${link}`)
      const again = team.visitor()
      await again.signIn({ sub: `guest-${step}`, roles: [], groups: [] })
      const entered = (await again.send('GET', '/e/alpha/')).status === 200
      // The link is open where no one has the access, and used where someone has.
      expect([kind, page.status]).toEqual([kind, entered ? 404 : 200])
      if (!entered) expect([kind, (await use(link, `guest-${step}`))?.status]).toEqual([kind, 200])
    }
  })
})
