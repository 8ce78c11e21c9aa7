import { fileURLToPath } from 'node:url'
import { app, BrowserWindow, ipcMain, session, utilityProcess } from 'electron'
import { ipcValidator } from '../adapters/ipc-validator.ts'
import { CALL_CHANNEL, EVENT_CHANNEL } from './channels.ts'
import { chooser } from './dialogs.ts'
import { connectEngine, type RemoteEngine } from './engine-port.ts'
import { handleCall } from './gate.ts'
import { setMenu } from './menu.ts'
import { lockNavigation } from './navigation.ts'
import { lockSession } from './permissions.ts'
import { builtFiles, registerScheme, serveWindow } from './protocol.ts'
import { openWindow } from './window.ts'

const beside = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The engine runs in a process of its own: hostile answers are parsed, and SSH is spoken, away from the window and from here. */
function startEngine(): RemoteEngine {
  const { NODE_OPTIONS: _options, ELECTRON_RUN_AS_NODE: _asNode, ...env } = process.env
  const worker = utilityProcess.fork(beside('./worker.js'), [app.getPath('userData')], {
    serviceName: 'Barewitness engine',
    stdio: 'inherit',
    env: env as Record<string, string>,
  })
  const engine = connectEngine({
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => worker.on('message', listener),
  })
  worker.once('exit', (code) => engine.lost(`the engine process ended (${code}); start Barewitness again`))
  return engine
}

function open(engine: RemoteEngine): void {
  // Not a persistent session: nothing of the window is kept on disk.
  const own = session.fromPartition('barewitness-window')
  lockSession(own)
  serveWindow(own, builtFiles(beside('../renderer')))
  const window = openWindow(beside('../preload/preload.cjs'), own)
  const parts = { engine, problems: ipcValidator(), choose: chooser(window) }
  ipcMain.handle(CALL_CHANNEL, (event, message: unknown) => handleCall(parts, event.senderFrame, message))
  engine.onEvent((event) => {
    if (!window.isDestroyed()) window.webContents.send(EVENT_CHANNEL, event)
  })
}

function start(): void {
  // The system's sandbox does not exist for root, where Chromium refuses to start with it; pages keep `sandbox: true` either way.
  if (process.getuid?.() !== 0) app.enableSandbox()
  registerScheme()
  lockNavigation(app)
  app.on('second-instance', () => {
    const window = BrowserWindow.getAllWindows()[0]
    if (window?.isMinimized() === true) window.restore()
    window?.focus()
  })
  app.on('window-all-closed', () => app.quit())
  // Not a top-level await: waiting for `ready` while this module is still loading would never end.
  void app.whenReady().then(() => {
    setMenu(app)
    const engine = startEngine()
    open(engine)
    let closed = false
    app.on('before-quit', (event) => {
      if (closed) return
      event.preventDefault()
      const patience = new Promise((resolve) => setTimeout(resolve, 5000))
      void Promise.race([engine.close(), patience]).then(() => {
        closed = true
        app.quit()
      })
    })
  })
}

if (app.requestSingleInstanceLock()) start()
else app.quit()
