import './styles/fonts.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/buttons.css'
import './styles/fields.css'
import './styles/overlays.css'
import './styles/notices.css'
import './styles/frame.css'
import './styles/parts.css'
import './styles/matrix.css'
import './styles/filters.css'
import './styles/screens.css'
import './styles/findings.css'
import './styles/evidence.css'
import './styles/why.css'
import './styles/ledger.css'
import './styles/control-pages.css'
import './styles/engagement.css'
import './styles/declarations.css'
import './styles/location.css'
import './styles/history.css'
import './styles/output.css'
import './styles/figure.css'
import './styles/wizard.css'
import './styles/seal.css'
import './styles/settings.css'
import './styles/print.css'
import { I18nProvider } from 'react-aria-components'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { startStore } from './store.ts'

const root = document.getElementById('root')
if (root !== null) {
  allowClearing()
  startStore()
  // One language and number format, independent of the system’s locale: texts of the window are quoted in reports.
  createRoot(root).render(
    <I18nProvider locale="en-GB">
      <App />
    </I18nProvider>,
  )
}

/**
 * Lets code empty an element by `innerHTML = ''` where Trusted Types are required (CSP `require-trusted-types-for`, `trusted-types 'none'`).
 * react-aria clears its live announcer this way when a second digit is typed into a date or number field, and the exception left the window
 * blank. Only the empty string is accepted; the browser still refuses any other.
 */
export function allowClearing(prototype: Element = Element.prototype): void {
  const found = Object.getOwnPropertyDescriptor(prototype, 'innerHTML')
  const set = found?.set
  if (found === undefined || set === undefined) return
  Object.defineProperty(prototype, 'innerHTML', {
    ...found,
    set(this: Element, value: unknown) {
      if (value === '') this.replaceChildren()
      else set.call(this, value)
    },
  })
}
