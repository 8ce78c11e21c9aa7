import '@fontsource/ibm-plex-sans/latin-400.css'
import '@fontsource/ibm-plex-sans/latin-ext-400.css'
import '@fontsource/ibm-plex-sans/latin-500.css'
import '@fontsource/ibm-plex-sans/latin-600.css'
import '@fontsource/ibm-plex-mono/latin-400.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/frame.css'
import './styles/parts.css'
import './styles/screens.css'
import './styles/print.css'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { startStore } from './store.ts'

const root = document.getElementById('root')
if (root !== null) {
  startStore()
  createRoot(root).render(<App />)
}
