import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeUnless } from '../support/needing.ts'
import { buildTestApp, openWindow, shot, type TestWindow, whyNoWindow } from '../support/open-window.ts'
import { atHome, field, openMatrix, opens, openTab, press, rail, titled } from '../support/window-steps.ts'
import { watch } from '../support/window-watch.ts'

const missing = whyNoWindow()
const NODE = 'demo-hostile-99'
const AWAY = 'hostile-away-98'

/** Output of a hostile node that attacks its viewer: it is shown as text, at once, on every screen. */
describeUnless(missing, 'hostile evidence', () => {
  let opened: TestWindow
  let page: Page
  let seen: readonly string[]
  beforeAll(async () => {
    opened = await openWindow({
      folder: buildTestApp(),
      env: { BAREWITNESS_TEST_PACE: '0', BAREWITNESS_TEST_HOSTILE: '1' },
    })
    page = opened.page
    seen = watch(opened)
  })
  afterAll(() => opened?.close())

  /** No markup of theirs became elements, no title of theirs the window's, and nothing can be hidden by what is shown. */
  async function onlyText(at: Page): Promise<void> {
    const found = await at.evaluate(() => ({
      title: document.title,
      elements: document.querySelectorAll('main :is(script, img, iframe, object, embed, style, link)').length,
      scripts: document.querySelectorAll('script').length,
      // Pasted text stays unchanged in its field.
      hidden: [...document.querySelectorAll('body :not(textarea)')]
        .flatMap((element) => [...element.childNodes])
        .map((node) => (node.nodeType === Node.TEXT_NODE ? (node.textContent ?? '') : ''))
        .join('')
        .match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/)?.[0],
    }))
    expect(found).toMatchObject({ elements: 0, scripts: 1 })
    expect(found.hidden).toBeUndefined()
    expect(found.title).not.toContain('owned')
  }

  test('a run with it ends, and a line of 50 MB is kept up to the limit and supports nothing', async () => {
    await press(page, 'Open demo fleet')
    await titled(page, 'Collection finished')
    await page.getByRole('row', { name: AWAY }).getByText('<img src=x onerror=').waitFor()
    await onlyText(page)
    const kept = await page.evaluate(async (node) => {
      const list = await window.barewitness.call('evidence.list', { of: 'run', node })
      return list.ok ? list.value.captures.find(({ probe }) => probe === 'host.banner') : null
    }, NODE)
    expect(kept).toMatchObject({ status: 'truncated', stdout: { size: 4 * 1024 * 1024 } })
  })

  test('Overview and Node: a hostile failure is shown as text', async () => {
    await press(page, 'Show results')
    await atHome(page)
    await onlyText(page)
    await openMatrix(page)
    const row = page.getByRole('row', { name: AWAY })
    await row.getByText('<img src=x onerror=').waitFor()
    expect(await row.textContent()).toContain('\\u{1b}]0;owned\\u{7} \\u{202e}gnp.exe')
    await onlyText(page)
    await row.getByRole('rowheader').getByRole('button').click()
    await titled(page, AWAY)
    expect(await page.textContent('main')).toContain('\\u{202e}gnp.exe')
    await onlyText(page)
    await press(page, 'Back')
  })

  async function readReasons(at: Page): Promise<void> {
    for (const claim of await at.locator('.claims-list button').all()) {
      await claim.click()
      for (const reason of await at.locator('.account-entry .disclosure-button').all()) {
        await reason.click()
        await at.locator('.account-entry[data-expanded] .proof-lines').last().waitFor()
      }
      await onlyText(at)
    }
  }

  test('Why: reasons quote it, and their proof shows its lines', async () => {
    await page.getByRole('row', { name: NODE }).getByRole('gridcell').first().click()
    await titled(page, `${NODE} ▸ Isolation`)
    await page.getByText('“tenant-b<script>alert(1)</script>\\u{1b}[2J\\u{202e}”').first().waitFor()
    await readReasons(page)
    await shot(page, '50-hostile-why')
  })

  const SHOWN: readonly (readonly [answer: string, text: string])[] = [
    ['accounts.local', '��'],
    ['bmc.channel', `<img src=x onerror="document.title='owned'">⟦U+202E⟧gnp.exe`],
    ['host.banner', '⟦ESC⟧]0;owned⟦BEL⟧AAAA'],
    ['location.echo', '⟦ESC⟧[m0'],
    ['net.listeners', '⟦ESC⟧'.repeat(6)],
    ['tenancy.sessions', 'tenant-b<script>alert(1)</script>'],
    ['dmi.identity', '<script>document.title="owned"</script><img src=x onerror='],
  ]
  const rows = (at: Page) => at.getByLabel('Output text')

  async function readAnswers(at: Page): Promise<void> {
    for (const [answer, text] of SHOWN) {
      await at.getByRole('option', { name: answer }).click()
      await rows(at).getByText(text).first().waitFor()
      expect(await at.locator('.text-row').count(), answer).toBeLessThan(200)
      await onlyText(at)
    }
    // The last one has them all.
    const text = async () => (await rows(at).locator('code').allTextContents()).join('')
    for (const symbol of [
      '⟦ESC⟧]0;owned⟦BEL⟧',
      '⟦ESC⟧[31mred⟦ESC⟧[0m',
      'nul:⟦NUL⟧',
      'back:⟦BS⟧⟦BS⟧',
      'del:⟦DEL⟧',
      '⟦U+009B⟧',
      '⟦U+202E⟧gnp.exe⟦U+202C⟧',
      '⟦U+200B⟧',
      '⟦U+FEFF⟧',
      '⟦U+2066⟧',
    ])
      await expect.poll(text, { timeout: 30_000 }).toContain(symbol)
  }

  test('Evidence: each capture is drawn at once, with symbols for invisible characters', async () => {
    await press(page, 'Open raw evidence')
    await titled(page, `Raw evidence of ${NODE}`)
    await readAnswers(page)
    await shot(page, '51-hostile-evidence')
  })

  test('Evidence: 200,000 lines and one line of 1 MiB are scrolled, found in and opened at once', async () => {
    await page.getByRole('option', { name: 'location.echo' }).click()
    await rows(page).getByText('⟦ESC⟧[m0').first().waitFor()
    // Scrolled again where the list was measured anew meanwhile.
    const toTheLast = async (): Promise<number> => {
      await rows(page).evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
      return await page.locator('.text-row[aria-posinset="200000"]').count()
    }
    await expect.poll(toTheLast, { timeout: 60_000 }).toBe(1)
    await field(page, 'Find in this output').fill('ESC')
    await page.getByText('5000 or more found').waitFor()
    await page.getByRole('option', { name: 'net.listeners' }).click()
    await rows(page).getByText('⟦ESC⟧'.repeat(6)).first().waitFor()
    for (let shown = 4000; shown < 100_000; shown *= 2) {
      const more = page.getByText(`Show more of this line (${shown.toLocaleString('en')} of 5,242,880 characters)`)
      const toItsEnd = async (): Promise<number> => {
        await rows(page).evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
        return await more.count()
      }
      await expect.poll(toItsEnd, { timeout: 60_000 }).toBe(1)
      await more.click()
    }
    await page.getByRole('option', { name: 'host.banner' }).click()
    await page.getByRole('button', { name: 'Show more', exact: true }).click()
    await page.getByText('Shown up to byte 2,097,152').waitFor()
    await onlyText(page)
  })

  test('the review window: the same captures from a pack, and typed text in it', async () => {
    const accepted = await page.evaluate(
      (node) =>
        window.barewitness.call('acceptances.accept', {
          check: 'tenancy.container-census',
          nodes: [node],
          reason: `<script>document.title='owned'</script>`,
          compensatingControl: '<img src=x onerror="alert(1)">',
          owner: '<b>M. Ortiz</b>',
          requestedBy: 'J. Chen',
          approvedBy: 'M. Ortiz',
          approverRole: 'Security officer',
          until: '2027-01-31',
        }),
      NODE,
    )
    expect(accepted).toMatchObject({ ok: true })
    await rail(page, 'Evidence packs')
    await press(page, /^Export evidence pack/)
    await press(page, 'Continue')
    await press(page, 'Continue')
    await press(page, 'Seal pack')
    await page.getByRole('heading', { name: 'Review as auditor, then save' }).waitFor({ timeout: 60_000 })
    await onlyText(page)
    const review = await opens(opened, () => press(page, 'Review as auditor'))
    await titled(review, 'Verification')
    await onlyText(review)
    await press(review, 'Results')
    await review.getByRole('row', { name: AWAY }).getByText('\\u{202e}gnp.exe').waitFor()
    await review.getByRole('row', { name: NODE }).getByRole('gridcell').first().click()
    await titled(review, `${NODE} ▸ Isolation`)
    await review.getByText('<b>M. Ortiz</b>').first().waitFor()
    await readReasons(review)
    await press(review, 'Open raw evidence')
    await titled(review, `Raw evidence of ${NODE}`)
    await readAnswers(review)
    await shot(review, '52-hostile-review')
    await review.close()
  })

  test('importer: hostile names become plain ones, and their lines are shown with symbols', async () => {
    await rail(page, 'Nodes')
    await page.getByRole('tab', { name: 'Import' }).click()
    await page.getByText('CSV').first().click()
    await field(page, 'Content').fill(
      [
        'name,address,port,user',
        `<script>document.title='owned'</script>,192.0.2.1,22,audit`,
        `<img src=x onerror=alert(1)>,192.0.2.2,22,audit`,
        'gpu\u202Egnp.exe,192.0.2.3,22,audit',
        'esc\u001b]0;owned\u0007,192.0.2.4,22,audit',
        '-oProxyCommand=reboot,192.0.2.5,22,audit',
        `${'A'.repeat(200_000)},192.0.2.6,22,audit`,
        `${AWAY},192.0.2.7,22,audit`,
      ].join('\n'),
    )
    await press(page, 'Preview lines')
    await page.getByText('Add 7 nodes').waitFor()
    const lines = (await page.getByRole('grid', { name: 'Outcome by line' }).textContent()) ?? ''
    expect(lines).toContain('<img src=x onerror=alert(1)>')
    expect(lines).toContain('gpu⟦U+202E⟧gnp.exe')
    expect(lines).toContain('esc⟦ESC⟧]0;owned⟦BEL⟧')
    await onlyText(page)
    await shot(page, '53-hostile-import')
    await press(page, 'Add 7 nodes')
    await page.getByRole('row', { name: AWAY }).waitFor()
    for (const name of await page.locator('.node-name').allTextContents()) expect(name).toMatch(/^[a-z0-9][a-z0-9.-]*$/)
    await onlyText(page)
  })

  test('host keys: the reason for a failed request is text', async () => {
    await openTab(page, 'Host keys')
    await press(page, 'Request host keys')
    await page.getByRole('grid', { name: 'Host keys' }).getByText('⟦BEL⟧ ⟦U+202E⟧gnp.exe').waitFor()
    await onlyText(page)
  })

  test('no script ran, no dialog opened, no request was sent, nothing was thrown', () => {
    expect(seen).toEqual([])
  })
})
