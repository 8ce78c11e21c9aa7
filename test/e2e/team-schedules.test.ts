import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { builtFiles } from '../../main/adapters/built-files.ts'
import type { ScheduleStatus } from '../../schemas/ipc-schedules.ts'
import { createFakePorts } from '../support/fake-ports.ts'
import { openAddress } from '../support/html-window.ts'
import { describeUnless } from '../support/needing.ts'
import { axeFindings, whyNoWindow, windowShot } from '../support/open-window.ts'
import { newSigner, startSealer, withSealers } from '../support/sealer-kit.ts'
import { answerValue, fakeEngine, teamKit } from '../support/team-kit.ts'

const absent = whyNoWindow()
const PAGES = fileURLToPath(new URL('../../.cache/window-app/out/renderer', import.meta.url))

describeUnless(absent, 'schedules in Chromium', () => {
  test('an operator adds a schedule, its signer confirms it, and the run that is due waits for its seal', async () => {
    let now = '2026-11-18T09:15:00.000Z'
    const signer = newSigner('J. Chen')
    const kit = await teamKit({
      pages: builtFiles(PAGES),
      openEngine: fakeEngine(createFakePorts({ now: () => now })),
      startEveryMs: 50,
      config: (config) => withSealers(config, signer),
    })
    const window = await openAddress(`${kit.server.origin}/`)
    let sealer: ReturnType<typeof startSealer> | null = null
    try {
      const { page } = window
      kit.provider.admit({ sub: 'operator', name: 'Sam operator', roles: ['operator'], groups: ['team'] })
      await page.getByRole('link', { name: 'Sign in' }).click()
      await page.getByRole('link', { name: 'alpha' }).click()
      await page.getByRole('button', { name: 'Schedules', exact: true }).click()
      await page.getByText('No schedules in this engagement').waitFor()
      expect(await axeFindings(page)).toEqual([])
      await windowShot(window, 'team-schedules-none')

      await page.getByRole('button', { name: 'Add schedule…' }).click()
      await page.getByText('barewitness sealer --config sealer.yaml').waitFor()
      await windowShot(window, 'team-schedule-no-sealer')
      sealer = startSealer(kit.server.origin, signer)
      const check = page.getByRole('button', { name: 'Check again' })
      while ((await check.count()) > 0) {
        await check.click({ timeout: 1000 }).catch(() => undefined)
        await page.waitForTimeout(100)
      }
      await page.getByRole('textbox', { name: 'Random delay (maximum, minutes)' }).fill('0')
      await page.getByRole('textbox', { name: 'Retries for unreachable nodes' }).fill('0')
      for (const absentField of ['Passphrase file', 'Send packs to other systems', 'Notification address (optional)'])
        expect(await page.getByText(absentField, { exact: true }).count()).toBe(0)
      await page.getByText(/neither sealed nor time-stamped until an officer exports them/).scrollIntoViewIfNeeded()
      expect(await axeFindings(page)).toEqual([])
      await windowShot(window, 'team-schedule-form')
      await page.getByRole('dialog').getByRole('button', { name: 'Add schedule', exact: true }).click()
      await page.getByRole('heading', { level: 2, name: 'nightly' }).waitFor()
      await page.getByText(/^The next run is due on/).waitFor()
      expect(sealer.shown).toHaveLength(1)
      for (const control of ['Run now', 'Install'])
        expect(await page.getByRole('button', { name: control }).count()).toBe(0)
      expect(await axeFindings(page)).toEqual([])
      await windowShot(window, 'team-schedules')

      now = '2026-11-19T02:00:00.000Z'
      const operator = await kit.as('operator', 'looking')
      const status = async (): Promise<ScheduleStatus> =>
        answerValue(await operator.call('alpha', 'schedules.status', { name: 'nightly' }))
      while ((await status()).waiting.length === 0) await page.waitForTimeout(50)
      // The end of the run reaches the page as an event.
      await page.getByText('1 scheduled run collected and not sealed').waitFor()
      expect(await axeFindings(page)).toEqual([])
      await windowShot(window, 'team-schedules-waiting')
      expect(await page.getByRole('button', { name: /^Export run due on/ }).count()).toBe(0)
      now = '2026-11-20T02:00:00.000Z'
      while ((await status()).waiting.length === 1) await page.waitForTimeout(50)

      await page.getByRole('button', { name: 'Sign out' }).click()
      kit.provider.admit({ sub: 'officer', name: 'Sam officer', roles: ['officer'], groups: ['team'] })
      await page.getByRole('link', { name: 'Sign in' }).click()
      await page.getByRole('link', { name: 'alpha' }).click()
      await page.getByRole('button', { name: 'Schedules', exact: true }).click()
      await page.getByRole('button', { name: /^Export run due on 19 Nov/ }).click()
      await page.getByRole('heading', { level: 1, name: 'Export evidence pack' }).waitFor()
      await page.getByRole('heading', { level: 2, name: 'Before you export' }).waitFor()
      // Everyone sees the latest run, so the findings of this one are on this page alone.
      await page.getByRole('table', { name: 'The most severe first' }).waitFor()
      expect(await page.getByRole('button', { name: /^Show this run/ }).count()).toBe(0)
      await page.getByText('An item without a link concerns this run').waitFor()
      expect(await page.getByRole('button', { name: 'Open findings' }).count()).toBe(0)
      expect(await axeFindings(page)).toEqual([])
      await windowShot(window, 'team-schedules-export')
    } finally {
      await sealer?.stop()
      await window.close()
      await kit.close()
    }
  })
})
