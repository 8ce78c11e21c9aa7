import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtFiles } from '../../main/adapters/built-files.ts'
import type { EngagementForm, EngagementView } from '../../schemas/ipc-engagement.ts'
import { openAddress } from '../support/html-window.ts'
import { describeUnless } from '../support/needing.ts'
import { axeFindings, type TestWindow, whyNoWindow, windowShot } from '../support/open-window.ts'
import { answerValue, type TeamKit, teamKit, type Visitor } from '../support/team-kit.ts'
import { field, press, rail, titled } from '../support/window-steps.ts'

const PAGES = fileURLToPath(new URL('../../.cache/window-app/out/renderer', import.meta.url))

describeUnless(whyNoWindow(), 'two officers who edit the same engagement', () => {
  let kit: TeamKit
  let window: TestWindow
  let other: Visitor
  const stored = async (): Promise<EngagementForm> => {
    const { form } = answerValue<EngagementView>(await other.call('alpha', 'engagement.get', { of: 'run' }))
    if (form === null) throw new Error('there is no form')
    return form
  }
  /** The other officer saves a change, which their page sends as the whole form. */
  const otherSaves = async (part: Partial<EngagementForm>): Promise<void> => {
    answerValue(await other.call('alpha', 'engagement.set', { ...(await stored()), ...part }))
  }
  beforeAll(async () => {
    kit = await teamKit({ pages: builtFiles(PAGES) })
    other = await kit.as('officer', 'another')
    kit.provider.admit({ sub: 'officer', name: 'Sam officer', roles: ['officer'], groups: ['team'] })
    window = await openAddress(`${kit.server.origin}/`)
    const { page } = window
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: 'alpha' }).click()
    await page.getByRole('button', { name: 'Open demo fleet' }).click()
    await titled(page, 'Collection finished')
    await rail(page, 'Engagement')
    await page.locator('.engagement-section .disclosure-button').first().waitFor()
  })
  afterAll(async () => {
    await window?.close()
    await kit?.close()
  })

  test('lose nothing of each other in different sections', async () => {
    const { page } = window
    await page.locator('.engagement-section .disclosure-button').first().click()
    const { boundary } = await stored()
    await otherSaves({ boundary: { ...boundary, owner: 'Of the other' } })
    await field(page, 'Entity').fill('Typed here')
    await press(page, `Save ${await firstSection(page)}`)
    await expect.poll(async () => (await stored()).entity).toBe('Typed here')
    expect((await stored()).boundary.owner).toBe('Of the other')
  })

  test('are asked before what the other entered in the same section is replaced', async () => {
    const { page } = window
    await field(page, 'Entity').fill('Typed here again')
    const save = `Save ${await firstSection(page)}`
    // Their change arrives while this one is not saved yet.
    await otherSaves({ entity: 'Entered by the other' })
    await press(page, save)
    await page.getByText('Another person saved this section meanwhile.').waitFor()
    expect((await stored()).entity).toBe('Entered by the other')
    expect(await field(page, 'Entity').inputValue()).toBe('Typed here again')
    expect(await axeFindings(page)).toEqual([])
    await windowShot(window, 'team-two-officers')
    await press(page, 'Replace theirs with mine')
    await expect.poll(async () => (await stored()).entity).toBe('Typed here again')
    await page.getByText('Another person saved this section meanwhile.').waitFor({ state: 'detached' })
  })

  const firstSection = async (page: TestWindow['page']): Promise<string> => {
    const name = await page
      .getByRole('button', { name: /^Save / })
      .first()
      .getAttribute('aria-label')
    return (name ?? '').replace(/^Save /, '')
  }
})
