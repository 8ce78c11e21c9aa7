import { contextBridge, ipcRenderer, webUtils } from 'electron'
import type { Bridge } from '../../schemas/ipc.ts'
import type { EngineEvent } from '../../schemas/ipc-views.ts'
import { BRIDGE_NAME, CALL_CHANNEL, DRAWN_CHANNEL, EVENT_CHANNEL } from './channels.ts'

/** The whole API of the page. Listeners are wrapped, so that no event object with a reference to Electron reaches it. */
const bridge: Bridge = {
  call: (method, input) => ipcRenderer.invoke(CALL_CHANNEL, { method, input }),
  onEvent: (listener) => {
    const forward = (_event: unknown, happening: EngineEvent): void => listener(happening)
    ipcRenderer.on(EVENT_CHANNEL, forward)
    return () => {
      ipcRenderer.removeListener(EVENT_CHANNEL, forward)
    }
  },
}

contextBridge.exposeInMainWorld(BRIDGE_NAME, Object.freeze(bridge))

/* Sent once, when the page has drawn content and is idle. Electron’s `ready-to-show` is emitted at the first frame, which is empty. */
const paints = new PerformanceObserver((list) => {
  if (list.getEntriesByName('first-contentful-paint').length === 0) return
  paints.disconnect()
  requestIdleCallback(() => ipcRenderer.send(DRAWN_CHANNEL))
})
paints.observe({ type: 'paint', buffered: true })

/*
 * A file dropped on the window. This runs in the isolated world, not in the page: the page neither learns the path nor can send one. Only
 * trusted events count, because a page can create events, but not trusted ones.
 */
const holdsFiles = (event: DragEvent): boolean =>
  event.isTrusted && event.dataTransfer?.types.includes('Files') === true
window.addEventListener(
  'dragover',
  (event) => {
    if (holdsFiles(event)) event.preventDefault()
  },
  true,
)
window.addEventListener(
  'drop',
  (event) => {
    if (!holdsFiles(event)) return
    event.preventDefault()
    const files = [...(event.dataTransfer?.files ?? [])]
    const [file] = files
    const path = files.length === 1 && file !== undefined ? webUtils.getPathForFile(file) : null
    void ipcRenderer.invoke(CALL_CHANNEL, { dropped: path })
  },
  true,
)
