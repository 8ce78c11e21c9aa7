import { test, expect } from 'vitest'
import { openWindow, buildTestApp, shot, whyNoWindow } from '../support/open-window.ts'
test('try', async () => {
  expect(whyNoWindow()).toBeNull()
  const w = await openWindow({ folder: buildTestApp() })
  w.page.on('console', (m) => console.log('PAGE', m.text()))
  w.page.on('pageerror', (m) => console.log('PAGEERR', m))
  await shot(w.page, 'first-run')
  await w.page.click('text=Try the demo fleet >> nth=-1')
  await w.page.waitForTimeout(300)
  await shot(w.page, 'collecting')
  await w.page.click('text=Show results')
  await w.page.waitForSelector('.matrix')
  await shot(w.page, 'overview')
  await w.close()
})
