import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtFiles } from '../../main/adapters/built-files.ts'
import { openOutbox } from '../../main/adapters/outbox/index.ts'
import { itemDigest } from '../../main/core/outbox/journal.ts'
import { checkAudit } from '../../main/server/audit.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { openAddress } from '../support/html-window.ts'
import { describeUnless } from '../support/needing.ts'
import { axeFindings, type TestWindow, whyNoWindow, windowShot } from '../support/open-window.ts'
import { FINDING, PACK } from '../support/outbox-items.ts'
import { integrationsFile } from '../support/outbox-kit.ts'
import { must } from '../support/outcomes.ts'
import { newSigner, startSealer, withSealers } from '../support/sealer-kit.ts'
import { answerValue, fakeEngine, type TeamKit, teamKit } from '../support/team-kit.ts'

const absent = whyNoWindow()
const PAGES = fileURLToPath(new URL('../../.cache/window-app/out/renderer', import.meta.url))

describeUnless(absent, 'a team server in Chromium', () => {
  let kit: TeamKit
  let window: TestWindow
  const problems: string[] = []
  beforeAll(async () => {
    kit = await teamKit({ pages: builtFiles(PAGES) })
    window = await openAddress(`${kit.server.origin}/`)
    window.page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
    })
    window.page.on('pageerror', (error) => problems.push(error.message))
    window.page.on('request', (request) => {
      if (![kit.server.origin, kit.provider.issuer].includes(new URL(request.url()).origin))
        problems.push(`request: ${request.url()}`)
    })
  })
  afterAll(async () => {
    await window?.close()
    await kit?.close()
  })

  const enter = async (role: string): Promise<void> => {
    kit.provider.admit({ sub: role, name: `Sam ${role}`, roles: [role], groups: ['team'] })
    const { page } = window
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Engagements' }).waitFor()
  }

  test('an officer signs in, collects the demo fleet and reads the findings', async () => {
    const { page } = window
    expect(await axeFindings(page)).toEqual([])
    await enter('officer')
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('link', { name: 'alpha' }).click()
    await page.getByText('Sam officer').waitFor()
    await page.getByText('officer, alpha').waitFor()
    await page.getByRole('button', { name: 'Open demo fleet' }).click()
    // The end of the run arrives as an event.
    await page.getByRole('heading', { level: 1, name: 'Collection finished' }).waitFor()
    await page.getByRole('button', { name: 'Findings' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Findings' }).waitFor()
    await page
      .getByText(/F-[0-9A-F]{6}/)
      .first()
      .waitFor()
    expect(await axeFindings(page)).toEqual([])
    await windowShot(window, 'team-officer-findings')
    expect(await page.getByRole('button', { name: 'Evidence packs', exact: true }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Collect evidence' }).count()).toBe(1)
  })

  test('a page that is loaded again shows the same run', async () => {
    const { page } = window
    await page.reload()
    await page.getByText('Demo data.').waitFor()
    // Not the page that shows how the results are opened, which goes away under what looks at it.
    await page.locator('.home-steps').waitFor()
    expect(await axeFindings(page)).toEqual([])
  })

  test('signing out leads to the start, and an auditor finds nothing that is not shared', async () => {
    const { page } = window
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are not signed in.').waitFor()
    await enter('auditor')
    await page.getByRole('link', { name: 'alpha' }).click()
    await page.getByText('auditor, alpha').waitFor()
    await page.getByText('No shared packs').waitFor()
    for (const hidden of ['Collect evidence', 'Nodes', 'Findings', 'History', 'Auditors'])
      expect(await page.getByRole('button', { name: hidden, exact: true }).count()).toBe(0)
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Trusted signers', 'Privacy', 'Appearance', 'About'])
    expect(await axeFindings(page)).toEqual([])
  })

  test('an auditor sees their sessions and leaves them by keys alone', async () => {
    const { page } = window
    await kit.as('auditor')
    await page.getByRole('button', { name: 'Your sessions' }).click()
    await page.getByRole('heading', { level: 1, name: 'Your sessions' }).waitFor()
    expect(await page.getByRole('row').count()).toBe(3)
    expect(await axeFindings(page)).toEqual([])
    await windowShot(window, 'team-own-sessions')
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
    for (let tries = 0; tries < 20 && (await focused()) !== 'Sign out everywhere'; tries += 1)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('You are not signed in.').waitFor()
  })

  test('an administrator ends the sessions of an officer, whose page goes to the start', async () => {
    const { page } = window
    await enter('administrator')
    const officer = await openAddress(`${kit.server.origin}/`)
    try {
      kit.provider.admit({ sub: 'officer', name: 'Sam officer', roles: ['officer'], groups: ['team'] })
      await officer.page.getByRole('link', { name: 'Sign in' }).click()
      await officer.page.getByRole('link', { name: 'alpha' }).click()
      await officer.page.getByText('officer, alpha').waitFor()
      expect(await axeFindings(page)).toEqual([])
      await page.getByRole('link', { name: 'Sessions of everyone' }).click()
      await page.getByRole('heading', { level: 1, name: 'Sessions of everyone' }).waitFor()
      expect(await axeFindings(page)).toEqual([])
      await windowShot(window, 'team-sessions')
      await page.getByRole('row').filter({ hasText: 'Sam officer' }).getByRole('button').first().focus()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Sessions of everyone' }).waitFor()
      // Without a step in that page: its stream of events is closed.
      await officer.page.getByText('You are not signed in.').waitFor()
    } finally {
      await officer.close()
    }
    await page.getByRole('link', { name: 'Start', exact: true }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('You are not signed in.').waitFor()
  })

  test('the browser reported nothing, and the audit log has the calls of both', () => {
    expect(problems).toEqual([])
    const text = kit.auditText()
    expect(checkAudit(text).intact).toBe(true)
    for (const [subject, method] of [
      ['officer', 'fleet.get'],
      ['auditor', 'portal.packs'],
    ])
      expect(text).toMatch(new RegExp(`"kind":"call","method":"${method}".*"subject":"${subject}"`))
    expect(text).not.toContain('"outcome":"refused"')
  })
})

describeUnless(absent, 'an export in Chromium', () => {
  test('waits for a signer, is signed by the sealer and downloaded', async () => {
    const signer = newSigner('J. Chen')
    const kit = await teamKit({ pages: builtFiles(PAGES), config: (config) => withSealers(config, signer) })
    const window = await openAddress(`${kit.server.origin}/`)
    let sealer: ReturnType<typeof startSealer> | null = null
    try {
      const { page } = window
      const officer = await kit.as('officer', 'collecting')
      await officer.call('alpha', 'run.start', { nodes: [], only: 'all' })
      kit.provider.admit({ sub: 'officer', name: 'Sam officer', roles: ['officer'], groups: ['team'] })
      await page.getByRole('link', { name: 'Sign in' }).click()
      await page.getByRole('link', { name: 'alpha' }).click()
      await page.locator('.home-steps').waitFor()
      await page.getByText('No sealer connected').waitFor()
      await page.getByRole('button', { name: 'Findings' }).first().click()
      await page.locator('.findings tbody .check').first().click()
      await page.getByRole('button', { name: 'Respond…' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('barewitness sealer --config').waitFor()
      expect(await dialog.getByText('Set up signing identity').count()).toBe(0)
      expect(await axeFindings(page)).toEqual([])
      await windowShot(window, 'team-response-without-sealer')
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Overview' }).first().click()
      await page.getByRole('button', { name: 'Export…' }).click()
      await page.getByRole('heading', { level: 1, name: 'Export evidence pack' }).waitFor()
      for (const next of ['Redacted copy', 'Seal']) {
        await page.getByRole('button', { name: 'Continue', exact: true }).click()
        await page.getByRole('heading', { level: 2, name: next, exact: true }).waitFor()
      }
      await page.getByText('No signer is connected').waitFor()
      expect(await page.getByRole('button', { name: 'Seal pack' }).isDisabled()).toBe(true)
      expect(await axeFindings(page)).toEqual([])
      await windowShot(window, 'team-export-without-signer')
      sealer = startSealer(kit.server.origin, signer)
      // Asked once it is there: the button goes away with the answer.
      while (answerValue<readonly unknown[]>(await officer.call('alpha', 'identities.list', null)).length === 0)
        await page.waitForTimeout(20)
      await page.getByRole('button', { name: 'Check again' }).click()
      await page.getByText('No signer is connected').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Seal pack' }).waitFor()
      expect(await axeFindings(page)).toEqual([])
      await windowShot(window, 'team-export-signer')
      await page.getByRole('button', { name: 'Seal pack' }).click()
      await page.getByText('Draft not saved').waitFor()
      expect(sealer.asked).toHaveLength(1)
      expect(await page.getByRole('button', { name: 'Review as auditor' }).count()).toBe(0)
      expect(await axeFindings(page)).toEqual([])
      await windowShot(window, 'team-export-sealed')
      await page.getByRole('button', { name: 'Save pack' }).click()
      await page.getByRole('heading', { level: 1, name: 'Pack exported' }).waitFor()
      while (!kit.logged.some(({ kind, status }) => kind === 'download' && status === 200))
        await page.waitForTimeout(50)
      expect(await axeFindings(page)).toEqual([])
      await windowShot(window, 'team-export-done')
    } finally {
      await sealer?.stop()
      await window.close()
      await kit.close()
    }
  })
})

describeUnless(absent, 'a period report in Chromium', () => {
  test('is chosen on the page of the history, signed by the sealer and downloaded', async () => {
    const signer = newSigner('J. Chen')
    let now = '2026-11-18T09:15:00.000Z'
    const kit = await teamKit({
      pages: builtFiles(PAGES),
      openEngine: fakeEngine(createFakePorts({ now: () => now })),
      config: (config) => withSealers(config, signer),
    })
    const window = await openAddress(`${kit.server.origin}/`)
    const left = new AbortController()
    const looked = new Promise<boolean>((resolve) => left.signal.addEventListener('abort', () => resolve(true)))
    let waits = false
    const sealer = startSealer(kit.server.origin, signer, { confirms: async () => !waits || (await looked) })
    try {
      const { page } = window
      const officer = await kit.as('officer', 'collecting')
      const asked = async <T>(method: string, input: unknown): Promise<T> =>
        answerValue<T>(await officer.call('alpha', method, input))
      while ((await asked<readonly unknown[]>('identities.list', null)).length === 0) await page.waitForTimeout(20)
      await asked('run.start', { nodes: [], only: 'all' })
      while ((await asked<{ going: boolean }>('run.status', null)).going) await page.waitForTimeout(20)
      const wanted = { frameworks: ['hipaa'], identity: 'chen', timestamp: false, also: [], redact: null }
      await asked('export.build', wanted)
      now = '2026-11-20T10:00:00.000Z'
      waits = true
      kit.provider.admit({ sub: 'officer', name: 'Sam officer', roles: ['officer'], groups: ['team'] })
      await page.getByRole('link', { name: 'Sign in' }).click()
      await page.getByRole('link', { name: 'alpha' }).click()
      await page.locator('.home-steps').waitFor()
      await page.getByRole('button', { name: 'History', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: 'History' }).waitFor()
      await page.getByRole('button', { name: 'Period report…' }).click()
      await page.getByRole('heading', { level: 1, name: 'Export period report' }).waitFor()
      await page.getByRole('button', { name: 'Add sample' }).click()
      expect(await page.getByRole('button', { name: 'Seal pack' }).isDisabled()).toBe(true)
      await windowShot(window, 'team-period-incomplete')
      await page.getByLabel('Seed').fill('20261120')
      expect(await axeFindings(page)).toEqual([])
      await windowShot(window, 'team-period-ready')
      await page.getByRole('button', { name: 'Seal pack' }).click()
      await page.getByRole('progressbar').waitFor()
      expect(await axeFindings(page)).toEqual([])
      await windowShot(window, 'team-period-waiting')
      left.abort()
      await page.getByText('Draft not saved').waitFor()
      expect(await axeFindings(page)).toEqual([])
      await windowShot(window, 'team-period-sealed')
      await page.getByRole('button', { name: 'Save pack' }).click()
      await page.getByRole('heading', { level: 1, name: 'Period report exported' }).waitFor()
      while (!kit.logged.some(({ kind, status }) => kind === 'download' && status === 200))
        await page.waitForTimeout(50)
      await windowShot(window, 'team-period-done')
    } finally {
      left.abort()
      await sealer.stop()
      await window.close()
      await kit.close()
    }
  })
})

describeUnless(absent, 'what was sent, in Chromium', () => {
  test('an officer sees what became of each run at each receiver, and an operator does not', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'barewitness-sent-'))
    const integrations = integrationsFile(folder, { url: () => 'http://127.0.0.1:1' }, { only: ['webhook', 'jira'] })
    const outbox = must(await openOutbox(join(folder, 'outbox')))
    const at = '2026-11-28T06:00:00.000Z'
    for (const [target, item, isSent] of [
      ['own', PACK, true],
      ['tickets', FINDING, false],
    ] as const) {
      const about = { target, key: item.key, digest: itemDigest(item), at }
      must(await outbox.record({ kind: 'planned', ...about, item }))
      must(await outbox.record({ kind: 'attempted', ...about }))
      const why = 'example.atlassian.net: HTTP status 403'
      must(
        await outbox.record(
          isSent ? { kind: 'delivered', ...about, remote: null } : { kind: 'deferred', ...about, until: at, why },
        ),
      )
    }
    await outbox.close()
    const refused = {
      at,
      code: 'pack.unverified',
      detail: 'run.barewitness.zip does not verify: signature indeterminate',
    }
    const pack = 'exports/a/20261127t0525z-aaaa.barewitness.zip'
    writeFileSync(join(folder, 'outbox', 'packs.jsonl'), `${JSON.stringify({ pack, refused })}\n`)
    const kit = await teamKit({
      pages: builtFiles(PAGES),
      config: (one) => {
        const [alpha, ...others] = one.engagements
        return { ...one, engagements: [{ ...alpha, integrations }, ...others] }
      },
    })
    const window = await openAddress(`${kit.server.origin}/`)
    try {
      const { page } = window
      const history = async (role: string): Promise<void> => {
        kit.provider.admit({ sub: role, name: `Sam ${role}`, roles: [role], groups: ['team'] })
        await page.getByRole('link', { name: 'Sign in' }).click()
        await page.getByRole('link', { name: 'alpha', exact: true }).click()
        if (role === 'officer') {
          await page.getByRole('button', { name: 'Open demo fleet' }).click()
          await page.getByRole('heading', { level: 1, name: 'Collection finished' }).waitFor()
        }
        await page.getByRole('button', { name: 'History', exact: true }).click()
        await page.getByRole('heading', { level: 2, name: 'Runs', exact: true }).waitFor()
      }
      await history('officer')
      const section = page.getByRole('region', { name: 'Other systems' })
      await section.getByRole('row').nth(3).waitFor()
      const rows = await section.getByRole('row').allInnerTexts()
      expect(rows.slice(1).map((row) => row.split('\t').map((cell) => cell.trim()))).toMatchObject([
        [PACK.run, 'own', 'Sent', '1 sent', expect.any(String), ''],
        [PACK.run, 'tickets', 'Waiting', '1 waiting', expect.any(String), expect.stringContaining('status 403')],
        [
          '20261127t0525z-aaaa',
          'All',
          'Pack refused',
          '',
          expect.any(String),
          expect.stringContaining('does not verify'),
        ],
      ])
      await section.scrollIntoViewIfNeeded()
      expect(await axeFindings(page)).toEqual([])
      await windowShot(window, 'team-history-sent')
      await page.getByRole('button', { name: 'Sign out' }).click()
      await history('operator')
      expect(await page.getByRole('region', { name: 'Other systems' }).count()).toBe(0)
    } finally {
      await window.close()
      await kit.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
