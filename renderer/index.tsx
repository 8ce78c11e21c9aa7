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
import './styles/home.css'
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
import { allowClearing } from './clearing.ts'
import { setBridge } from './state/bridge.ts'
import { startStore } from './state/store.ts'

const root = document.getElementById('root')

function show(into: HTMLElement): void {
  allowClearing()
  startStore()
  // One language and number format, independent of the system’s locale: texts of the window are quoted in reports.
  createRoot(into).render(
    <I18nProvider locale="en-GB">
      <App />
    </I18nProvider>,
  )
}

if (root !== null) {
  if ('barewitness' in window) show(root)
  else
    void import('./state/team-bridge.ts').then(async ({ keepSignedIn, openTeamBridge }) => {
      const bridge = await openTeamBridge()
      if (bridge === null) return
      setBridge(bridge)
      keepSignedIn()
      show(root)
    })
}
