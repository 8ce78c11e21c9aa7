import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAddress } from '../support/html-window.ts'
import { describeUnless } from '../support/needing.ts'
import { axeFindings, type TestWindow, whyNoWindow, windowShot } from '../support/open-window.ts'
import { whyNoRadosgw } from '../support/radosgw-kit.ts'
import { startTeamDemo } from '../support/team-demo.ts'

const absent = whyNoWindow()

describeUnless(absent, 'the team demo in Chromium', () => {
  let demo: Awaited<ReturnType<typeof startTeamDemo>>
  let window: TestWindow
  const printed: string[] = []
  beforeAll(async () => {
    demo = await startTeamDemo((line) => printed.push(line))
    window = await openAddress(demo.origin)
  })
  afterAll(async () => {
    await window?.close()
    await demo?.stop()
  })

  test('what it prints names the address, the persons, and what is not locked', () => {
    expect(printed.join('\n')).toContain(demo.origin)
    expect(printed.join('\n')).toContain(whyNoRadosgw() === null ? 'with Object Lock' : 'has no lock')
  })

  test('its officer signs in and collects through both collectors', async () => {
    const { page } = window
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('link', { name: 'Demo officer' }).click()
    await page.getByRole('link', { name: 'demo', exact: true }).click()
    await page.getByText('officer, demo').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await windowShot(window, 'team-demo-start')
    await page.getByRole('button', { name: 'Collect evidence' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Collection finished' }).waitFor({ timeout: 120_000 })
    await page.getByText('6 of 8 nodes collected, 2 not collected').first().waitFor()
    await windowShot(window, 'team-demo-collected')
  })

  test('what they export is signed by the sealer of the second terminal', async () => {
    const { page } = window
    const [program = '', ...argv] = demo.sealer
    const sealer = spawn(program, argv, { stdio: ['pipe', 'ignore', 'pipe'] })
    try {
      let asked = ''
      sealer.stderr.on('data', (chunk) => (asked += String(chunk)))
      while (!asked.includes('Waiting for exports')) await sleep(20)
      await page.getByRole('button', { name: 'Show results' }).click()
      await page.locator('.home-steps').waitFor()
      await windowShot(window, 'team-demo-overview')
      await page.getByRole('button', { name: 'Export…' }).click()
      await page.getByRole('heading', { level: 1, name: 'Export evidence pack' }).waitFor()
      while ((await page.getByRole('button', { name: 'Seal pack' }).count()) === 0)
        await page.getByRole('button', { name: 'Continue', exact: true }).click()
      await page.getByRole('button', { name: 'Seal pack' }).click()
      while (!asked.includes('Type yes to confirm')) await sleep(20)
      sealer.stdin.write('yes\n')
      await page.getByText('Draft not saved').waitFor({ timeout: 60_000 })
      await windowShot(window, 'team-demo-sealed')
    } finally {
      sealer.kill('SIGKILL')
    }
  })
})
