import { contextBridge, ipcRenderer } from 'electron'
import type { Bridge, EngineEvent } from '../../schemas/ipc.ts'
import { BRIDGE_NAME, CALL_CHANNEL, EVENT_CHANNEL } from './channels.ts'

/** Everything the page can reach. Listeners are wrapped, so that no event object with a way back to Electron crosses over. */
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
