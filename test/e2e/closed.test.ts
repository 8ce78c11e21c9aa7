import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeUnless } from '../support/needing.ts'
import { builtProduct, openWindow, type TestWindow, whyNoProduct } from '../support/open-window.ts'
import { type Sshd, startSshd, whyNoSshd } from '../support/sshd.ts'
import { atHome, openMatrix, press, titled } from '../support/window-steps.ts'

const missing = whyNoProduct() ?? whyNoSshd

/** Three names of one server. */
const ADDRESSES = ['127.0.0.1', 'localhost', '127.1']
const NAMES = ADDRESSES.map((_, index) => `ward-${index + 1}`)

describeUnless(missing, 'a window closed during a run', () => {
  let sshd: Sshd
  let opened: TestWindow
  let page: Page
  const profile = mkdtempSync(join(tmpdir(), 'barewitness-closed-'))
  beforeAll(async () => {
    sshd = await startSshd()
    opened = await openWindow({ folder: builtProduct() ?? '', profile })
    page = opened.page
  })
  afterAll(async () => {
    await opened?.close()
    await sshd?.stop()
    rmSync(profile, { recursive: true, force: true })
  })

  /** Declares the nodes, collected one at a time, with confirmed host keys. */
  async function declare(): Promise<void> {
    const lines = ADDRESSES.map(
      (address, index) => `${NAMES[index]},${address},${sshd.port},${userInfo().username},${sshd.clientKey}`,
    )
    const said = await page.evaluate(
      async ({ csv, keys, nodes }) => {
        const { call } = window.barewitness
        await call('settings.set', { concurrency: 1, authority: null, singleKeys: true, theme: 'system' })
        const preview = await call('fleet.import-text', { kind: 'csv', text: csv })
        if (!preview.ok) return preview
        await call('fleet.accept', { handle: preview.value.handle })
        await call('hostkeys.scan', { nodes })
        await call('hostkeys.match-text', { text: keys })
        return await call('hostkeys.confirm-matched', { howVerified: 'Read on the console' })
      },
      {
        csv: ['name,address,port,user,identityFile', ...lines].join('\n'),
        keys: NAMES.map((name) => `256 ${sshd.hostKey.fingerprint} ${name} (ED25519)`).join('\n'),
        nodes: NAMES,
      },
    )
    expect(said).toMatchObject({ ok: true, value: NAMES.map((node) => ({ node, state: 'confirmed' })) })
    await page.reload()
    await titled(page, 'Nodes')
  }

  const status = (node: string): Promise<string | null> => page.getByRole('row', { name: node }).textContent()

  test('collected evidence is kept, and nodes without evidence are marked', async () => {
    await declare()
    await press(page, 'Collect evidence')
    await page.getByText('1 of 3 nodes', { exact: true }).first().waitFor({ timeout: 60_000 })
    const gone = opened.app.waitForEvent('close', { timeout: 30_000 })
    await opened.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close())
    await gone

    opened = await openWindow({ folder: builtProduct() ?? '', profile })
    page = opened.page
    await atHome(page)
    await openMatrix(page)
    // The active node may have left some captures: then it is marked as partially collected, and is the same machine.
    expect(await page.textContent('main')).toMatch(/1 of 3 declared nodes collected\./)
    expect(await status('ward-1')).not.toMatch(/Not collected:|partially collected/)
    expect(await status('ward-2')).toMatch(/Not collected:|partially collected/)
    expect(await status('ward-3')).toContain('Not collected:')
    const runs = await page.evaluate(() => window.barewitness.call('runs.list', null))
    expect(runs).toMatchObject({ ok: true, value: [{ nodes: 3, complete: 1, open: true }] })
  })

  test('the same run goes on with one of them', async () => {
    await press(page, 'Try again: ward-3')
    await titled(page, 'Collection finished')
    await press(page, 'Show results')
    await atHome(page)
    await openMatrix(page)
    // The three names are of one machine, which counts once however many of them answer.
    await page.getByText('1 machine collected under several names').waitFor()
    await page.getByText(/1 of 3 declared nodes collected\./).waitFor()
    expect(await status('ward-1')).not.toContain('Not collected:')
    expect(await status('ward-2')).toMatch(/Not collected:|partially collected/)
    expect(await status('ward-3')).not.toMatch(/Not collected:|partially collected/)
  })
})
