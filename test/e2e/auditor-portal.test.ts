import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtFiles } from '../../main/adapters/built-files.ts'
import { openAddress } from '../support/html-window.ts'
import { describeUnless } from '../support/needing.ts'
import { axeFindings, type TestWindow, whyNoWindow, windowShot } from '../support/open-window.ts'
import { type TeamKit, teamKit } from '../support/team-kit.ts'

const absent = whyNoWindow()
const PAGES = fileURLToPath(new URL('../../.cache/window-app/out/renderer', import.meta.url))

describeUnless(absent, 'the auditor portal in Chromium', () => {
  let kit: TeamKit
  let window: TestWindow
  let link = ''
  beforeAll(async () => {
    kit = await teamKit({ pages: builtFiles(PAGES) })
    window = await openAddress(`${kit.server.origin}/`)
  })
  afterAll(async () => {
    await window?.close()
    await kit?.close()
  })

  /** axe finds nothing, in light and dark; the picture is taken in both, at two widths and at 200 % of the first. */
  const seen = async (name: string): Promise<void> => {
    const { page } = window
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme })
      expect(await axeFindings(page), `${name} ${theme}`).toEqual([])
      for (const width of [1280, 1024, 640]) {
        await page.setViewportSize({ width, height: 900 })
        await windowShot(window, `portal-${name}-${theme}-${width}`)
      }
    }
    await page.emulateMedia({ colorScheme: 'light' })
    await page.setViewportSize({ width: 1280, height: 900 })
  }
  const enter = async (role: string): Promise<void> => {
    const { page } = window
    kit.provider.admit({ sub: role, name: `Sam ${role}`, roles: [role], groups: ['team'] })
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: 'alpha' }).click()
    await page.getByText(`${role}, alpha`).waitFor()
  }
  const leave = async (): Promise<void> => {
    await window.page.getByRole('button', { name: 'Sign out' }).click()
    await window.page.getByText('You are not signed in.').waitFor()
  }
  const open = async (place: string): Promise<void> => {
    await window.page.locator('.rail').getByRole('button', { name: place, exact: true }).click()
    await window.page.getByRole('heading', { level: 1, name: place }).waitFor()
  }

  test('an officer invites an auditor, seals an export and shares it', async () => {
    const { page } = window
    await enter('officer')
    await page.getByRole('button', { name: 'Open demo fleet' }).click()
    await page.getByRole('heading', { level: 1, name: 'Collection finished' }).waitFor()
    await open('Auditors')
    await page.getByText('No pack is shared').waitFor()
    await seen('auditors-empty')
    await page.getByRole('tab', { name: /^Access/ }).click()
    await page.getByRole('button', { name: 'Invite auditor' }).click()
    await page.getByLabel('Person and firm').fill('R. Lee, Example Audit')
    const last = new Date(Date.now() + 60 * 86_400_000).toISOString().slice(0, 10).split('-')
    for (const [at, part] of ['year', 'month', 'day'].entries()) {
      await page.getByRole('spinbutton', { name: new RegExp(`^${part}`) }).click()
      await page.keyboard.type(last[at] ?? '')
    }
    await seen('invite')
    await page.getByRole('button', { name: 'Create invitation link' }).click()
    link = (await page.getByText(/\/invitation\/[0-9a-f]{64}$/).textContent()) ?? ''
    await seen('invitation-link')
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    await page.getByText('Invited, link not used').waitFor()
    await seen('access')
    await page.getByRole('tab', { name: /^Shared packs/ }).click()
    await page.getByRole('button', { name: 'Export evidence pack' }).click()
    await page.getByRole('heading', { level: 1, name: 'Export evidence pack' }).waitFor()
    for (const next of ['Redacted copy', 'Seal']) {
      await page.getByRole('button', { name: 'Continue', exact: true }).click()
      await page.getByRole('heading', { level: 2, name: next, exact: true }).waitFor()
    }
    await page.getByRole('button', { name: 'Seal pack' }).click()
    await page.getByText('Draft not saved').waitFor()
    await page.getByRole('button', { name: 'Share with auditors…' }).click()
    await page.getByRole('radio', { name: /Selected invitations/ }).check({ force: true })
    await page.getByRole('checkbox', { name: /R. Lee/ }).check({ force: true })
    await page.getByLabel('Note to the auditors').fill('For the interim audit.')
    await seen('share')
    await page.getByRole('button', { name: 'Share pack' }).click()
    await page.getByRole('heading', { level: 1, name: 'Auditors' }).waitFor()
    await page.getByText('For the interim audit.').waitFor()
    await seen('auditors-shared')
    await leave()
  })

  test('the auditor enters by the link, verifies on the server, samples, and downloads', async () => {
    const { page } = window
    await page.goto(link)
    await page.getByRole('heading', { name: 'Invitation' }).waitFor()
    await seen('invitation')
    // The provider gives this person no role.
    kit.provider.admit({ sub: 'lee', name: 'R. Lee', roles: [], groups: [] })
    await page.getByRole('link', { name: 'Sign in and accept' }).click()
    await page.getByRole('link', { name: 'alpha (auditor)' }).click()
    await page.getByText('auditor, alpha').waitFor()
    await page.getByText('For the interim audit.').waitFor()
    await seen('shared')
    await page.getByRole('button', { name: 'Offline instructions' }).click()
    await page.getByRole('button', { name: /^Verify and open run/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Verification' }).waitFor()
    await page.getByText('This verification runs on the server of the audited organization.').waitFor()
    await seen('verification')
    for (const place of [
      'Findings',
      'Results',
      'Location',
      'Controls',
      'Engagement',
      'Provider claims',
      'Raw evidence',
    ]) {
      await page.getByRole('navigation', { name: 'Pack sections' }).getByRole('button', { name: place }).click()
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(await page.locator('.notice.failure[role="alert"]').allInnerTexts(), place).toEqual([])
    }
    await page.getByRole('button', { name: 'Sampling' }).click()
    await page.getByRole('button', { name: 'Select sample' }).click()
    await page
      .getByText(/^Sample 1 of|1 of \d/)
      .first()
      .waitFor()
    await seen('sampling')
    await page.getByRole('button', { name: 'Save worksheet…' }).click()
    await page.getByRole('menuitem', { name: 'Workbook (XLSX)' }).click()
    await page.locator('.review-top').getByRole('button', { name: 'Shared packs' }).click()
    await page.getByRole('heading', { level: 1, name: 'Shared packs' }).waitFor()
    while (kit.logged.filter(({ kind, status }) => kind === 'download' && status === 200).length < 2)
      await page.waitForTimeout(50)
    await leave()
  })

  test('the auditor requests evidence, an officer answers, and the auditor accepts', async () => {
    const { page } = window
    const sign = async (claims: Parameters<typeof kit.provider.admit>[0], name: string): Promise<void> => {
      kit.provider.admit(claims)
      await page.getByRole('link', { name: 'Sign in' }).click()
      await page.getByRole('link', { name }).click()
      await page.locator('.rail').getByRole('button', { name: 'Requests' }).click()
      await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor()
    }
    const lee = { sub: 'lee', name: 'R. Lee', roles: [], groups: [] }
    const act = async (verb: string, comment: string): Promise<void> => {
      await page.getByRole('button', { name: `${verb}…` }).click()
      if (comment !== '') await page.getByRole('textbox', { name: /^Comment/ }).fill(comment)
    }
    const send = async (verb: string): Promise<void> => {
      await page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await sign(lee, 'alpha (auditor)')
    await page.getByText('No requests').waitFor()
    await page.getByRole('button', { name: 'New request' }).click()
    await page.getByLabel('What is requested').fill('Access review of the fourth quarter')
    await page.getByLabel('Control').fill('164.312(a)(1)')
    const due = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10).split('-')
    for (const [at, part] of ['year', 'month', 'day'].entries()) {
      await page.getByRole('spinbutton', { name: new RegExp(`^${part}`) }).click()
      await page.keyboard.type(due[at] ?? '')
    }
    await seen('request-new')
    await page.getByRole('button', { name: 'Send request' }).click()
    await page.getByRole('button', { name: 'Access review of the fourth quarter' }).waitFor()
    await leave()
    await sign({ sub: 'officer', name: 'Sam officer', roles: ['officer'], groups: ['team'] }, 'alpha')
    await page.locator('.rail').getByRole('button', { name: 'Overview' }).click()
    await page.getByRole('button', { name: 'Answer 1 request' }).waitFor()
    await page.getByRole('list', { name: 'Requests, missed runs and changes' }).getByText('awaits an answer').waitFor()
    await seen('home-requests')
    await page.getByRole('button', { name: 'Show requests' }).click()
    await page.getByText('for you to answer').waitFor()
    await seen('requests-officer')
    // The first row of the list of findings, for a reference that the pack has, too.
    await page.locator('.rail').getByRole('button', { name: 'Overview' }).click()
    await page.locator('.leading th button').first().click()
    await page.getByRole('button', { name: /^Copy reference/ }).waitFor()
    const title = (await page.getByRole('heading', { level: 1 }).textContent()) ?? ''
    const finding = /F-[0-9A-F]{6}/.exec((await page.locator('main').textContent()) ?? '')?.[0] ?? ''
    await page.locator('.rail').getByRole('button', { name: 'Requests' }).click()
    await page.getByRole('button', { name: 'Access review of the fourth quarter' }).click()
    await act('Answer', `The review is in the pack; see ${finding} and demo-guest-03.`)
    await page.getByRole('button', { name: /^Findings: 0 of/ }).click()
    await page.getByRole('menuitemcheckbox', { name: new RegExp(`^${finding}`) }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Shared packs: 0 of 1/ }).click()
    await page.getByRole('menuitemcheckbox').first().click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Shared packs: 1 of 1/ }).waitFor()
    await seen('request-answer')
    await send('Answer')
    await page.getByText(/^The review is in the pack; see/).waitFor()
    await seen('request-references')
    for (const [name, heading] of [
      [finding, title],
      ['demo-guest-03', 'demo-guest-03'],
    ] as const) {
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      await page.getByRole('button', { name: 'Back' }).click()
      await page.getByText(/^The review is in the pack; see/).waitFor()
    }
    await leave()
    await sign(lee, 'alpha (auditor)')
    await page.getByText('for you to review').waitFor()
    await page.getByRole('button', { name: 'Access review of the fourth quarter' }).click()
    await page.getByRole('button', { name: new RegExp(`^${finding}: `) }).waitFor()
    await seen('request-answered')
    await page.getByRole('button', { name: new RegExp(`^${finding}: `) }).click()
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await page.getByText('Review of a sealed pack, read-only.').waitFor()
    await seen('request-finding-in-pack')
    const backToRequest = async (): Promise<void> => {
      await page.locator('.review-top').getByRole('button', { name: 'Shared packs' }).click()
      await page.locator('.rail').getByRole('button', { name: 'Requests' }).click()
      await page.getByRole('button', { name: 'Access review of the fourth quarter' }).click()
    }
    await backToRequest()
    // The same finding, where the comment of the answer names it.
    await page.getByRole('button', { name: finding, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await page.getByText('Review of a sealed pack, read-only.').waitFor()
    await backToRequest()
    await act('Accept answer', '')
    await send('Accept answer')
    await page.getByText(/^Accepted\. Requested by R\. Lee/).waitFor()
    await leave()
  })

  test('nothing was refused on the way', () => {
    expect(kit.auditText()).not.toContain('"outcome":"refused"')
  })
})
