import type { BrowserContext, ConsoleMessage } from 'playwright-core'
import type { TestWindow } from './open-window.ts'

/** What no window of ours ever does, whatever it is shown: one line for each time that one did. */
export function watch({ app }: TestWindow): readonly string[] {
  const seen: string[] = []
  const context: BrowserContext = app.context()
  context.on('weberror', (error) => void seen.push(`thrown: ${error.error().stack ?? error.error().message}`))
  context.on('console', (message: ConsoleMessage) => {
    if (message.type() === 'error' || message.type() === 'warning') seen.push(`console: ${message.text()}`)
  })
  context.on('dialog', (dialog) => {
    seen.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  context.on('request', (request) => {
    if (!/^(barewitness|devtools):/.test(request.url())) seen.push(`request: ${request.url()}`)
  })
  return seen
}
