import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app, ipcMain, nativeTheme, type Session, safeStorage, session, utilityProcess } from 'electron'
import type { Engine } from '../../schemas/ipc.ts'
import type { EngineEvent, Settings } from '../../schemas/ipc-views.ts'
import { builtFiles } from '../adapters/built-files.ts'
import type { Vault } from '../app/engine/context/context.ts'
import { CALL_CHANNEL, DRAWN_CHANNEL, type PAGES, SECRET_CHANNEL } from './channels.ts'
import { type DesktopParts, serveDesktop } from './desktop-port.ts'
import { choose } from './dialogs.ts'
import { keepEngine, type WorkerProcess } from './engine-process.ts'
import { type GateParts, handleCall, opensPack } from './gate.ts'
import { setMenu } from './menu.ts'
import { createOpenings, type Openings, packIn } from './openings.ts'
import { createPrompt, type Prompt } from './prompt.ts'
import { lockNavigation, lockNetwork, lockSession, registerScheme, serveWindow } from './protocol.ts'
import { systemVault } from './vault.ts'
import { type WindowState, windowState } from './window-state.ts'
import { createWindows, openWindow, showFile, type Windows } from './windows.ts'

const beside = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const PATIENCE_MS = 5000
const later = (milliseconds: number): Promise<null> =>
  new Promise((resolve) => setTimeout(() => resolve(null), milliseconds))

/**
 * The engine runs in a separate process: hostile output is parsed and SSH is handled outside the windows and the main process. It is started
 * after `drawn`; messages to it wait until then.
 */
function launchWorker(desktop: DesktopParts, prompt: Prompt, drawn: Promise<unknown>): WorkerProcess {
  const { NODE_OPTIONS: _options, ELECTRON_RUN_AS_NODE: _asNode, ...env } = process.env
  let gone = false
  const launched = drawn.then(() => {
    const worker = utilityProcess.fork(beside('./worker.js'), [app.getPath('userData')], {
      serviceName: 'Barewitness engine',
      stdio: 'inherit',
      env: env as Record<string, string>,
    })
    worker.once('exit', () => {
      gone = true
      prompt.dismiss()
    })
    return worker
  })
  const port: WorkerProcess['port'] = {
    post: (message) =>
      void launched.then((worker) => {
        if (!gone) worker.postMessage(message)
      }),
    onMessage: (listener) => void launched.then((worker) => worker.on('message', listener)),
  }
  serveDesktop(port, desktop)
  return { port, onExit: (listener) => void launched.then((worker) => worker.once('exit', listener)) }
}

/**
 * The first content of the window does not depend on the user. A computer with few processors draws it sooner if engine and schemas are loaded
 * afterwards. They are loaded after this time, in ms, even if the page is not drawn yet.
 */
const DRAWN_MS = 2000
const firstContent = (): Promise<void> => new Promise((resolve) => ipcMain.once(DRAWN_CHANNEL, () => resolve()))

/** A vault that does not report its backend within this time counts as missing. */
const vault = (): Promise<Vault | null> =>
  Promise.race([
    systemVault(safeStorage, process.platform, join(app.getPath('userData'), 'secrets.json')),
    later(PATIENCE_MS),
  ])

/** The state of the running app for system events. */
interface Running {
  readonly windows: Windows
  readonly openings: Openings
}

function run(state: WindowState): Running {
  const files = builtFiles(beside('../renderer'))
  // One session per kind of window, so that they share no storage and no process. Not persistent: no window data is kept on disk.
  // Each is made for its first window: three of them at once would delay the first frame.
  const sessions = new Map<keyof typeof PAGES, Session>()
  const sessionOf = (page: keyof typeof PAGES): Session => {
    const made = sessions.get(page)
    if (made !== undefined) return made
    const own = session.fromPartition(`barewitness-${page}`)
    lockSession(own)
    serveWindow(own, files)
    sessions.set(page, own)
    return own
  }
  const windows = createWindows(beside('../preload/preload.cjs'), sessionOf, state)
  const drawn = Promise.race([firstContent(), later(DRAWN_MS)])
  void windows.show('main')
  // No window uses the default session, but it exists, with spell checking on. Made after the window, in the same turn of the event loop.
  lockSession(session.defaultSession)
  const prompt = createPrompt(() => {
    const above = windows.front()
    const place = { width: 480, height: 280, maximized: false }
    const preload = beside('../preload/prompt-preload.cjs')
    return above === undefined
      ? null
      : openWindow({ page: 'prompt', preload, session: sessionOf('prompt'), place, above })
  })
  const folder = app.getPath('userData')
  const desktop: DesktopParts = { ask: prompt.ask, show: (path) => showFile(folder, path), vault: vault() }
  const engine = keepEngine(() => launchWorker(desktop, prompt, drawn))
  const openings = createOpenings({
    engine,
    showReview: () => windows.show('review'),
    showAny: async () => windows.front() ?? (await windows.show('main')),
    notify: windows.notify,
    changed: () => void refreshMenu(),
  })
  const refreshMenu = async (): Promise<void> => {
    const recent = await engine.call('pack.recent', null)
    setMenu({
      packaged: app.isPackaged,
      platform: process.platform,
      recent: recent.ok ? recent.value : [],
      openPack: () => void openChosen(),
      openRecent: (handle) => void openings.openRecent(handle),
      go: (to) => void windows.show('main').then(() => windows.notify({ kind: 'go', to }, 'main')),
    })
  }
  const openChosen = async (): Promise<void> => {
    const path = await choose(
      windows.front() ?? (await windows.show('main')),
      'pack-file',
      'pack.choose-and-verify',
      '',
    )
    if (path !== null) await openings.open(path)
  }
  // Read while the engine starts: no call is answered before that.
  const validator = drawn.then(async () => (await import('../adapters/ipc-validator.ts')).ipcProblems)
  const answered: GateParts['answered'] = (method, reply) => {
    if (opensPack(method, reply)) void openings.opened()
    if (method === 'settings.set' && reply.ok) follow(reply.value as Settings, state)
  }
  ipcMain.handle(CALL_CHANNEL, async (event, message: unknown) => {
    const caller = windows.find(event.sender)
    const { senderFrame } = event
    const problems = await validator
    const parts: GateParts = {
      engine,
      problems,
      answered,
      choose: async (what, method, name) => (caller === null ? null : await choose(caller.window, what, method, name)),
      dropped: openings.open,
    }
    return handleCall(parts, { frame: senderFrame, window: caller?.kind ?? null }, message)
  })
  ipcMain.handle(SECRET_CHANNEL, (event, message: unknown) => prompt.handle(event.sender, event.senderFrame, message))
  // Both windows show the progress of a verification. All other events concern this computer’s runs: none go to the review window.
  engine.onEvent((event) => windows.notify(event, isOfVerification(event) ? undefined : 'main'))
  closeBeforeQuitting(engine, prompt)
  void engine.call('settings.get', null).then((settings) => {
    if (settings.ok) follow(settings.value, state)
  })
  void refreshMenu()
  return { windows, openings }
}

const isOfVerification = ({ kind }: EngineEvent): boolean =>
  kind === 'verifying' || kind === 'check-concluded' || kind === 'verified'

/** The theme of the windows follows the settings; the last one is stored for the first frame of the next start. */
function follow({ theme }: Settings, state: WindowState): void {
  nativeTheme.themeSource = theme
  state.keepTheme(theme)
}

function closeBeforeQuitting(engine: Engine, prompt: Prompt): void {
  let closed = false
  app.on('before-quit', (event) => {
    if (closed) return
    event.preventDefault()
    prompt.dismiss()
    void Promise.race([engine.close(), later(PATIENCE_MS)]).then(() => {
      closed = true
      app.quit()
    })
  })
}

function start(): void {
  // Chromium refuses to start with the system sandbox as root; pages keep `sandbox: true` in any case.
  if (process.getuid?.() !== 0) app.enableSandbox()
  registerScheme()
  lockNavigation(app)
  lockNetwork(app)
  // Not a top-level await: waiting for `ready` while this module is loading would never resolve.
  const running = app.whenReady().then(() => {
    const state = windowState(join(app.getPath('userData'), 'window.json'))
    nativeTheme.themeSource = state.theme()
    return run(state)
  })
  const openIn = async (argv: readonly string[], folder: string): Promise<void> => {
    const path = await packIn(argv, folder)
    if (path !== null) await (await running).openings.open(path)
  }
  const comeBack = (): Promise<unknown> => running.then(({ windows }) => windows.show('main'))
  app.on('second-instance', (_event, argv, folder) => void comeBack().then(() => openIn(argv.slice(1), folder)))
  app.on('open-file', (event, path) => {
    event.preventDefault()
    void comeBack().then(() => openIn([path], '/'))
  })
  app.on('activate', () => void comeBack())
  app.on('window-all-closed', () => app.quit())
  void comeBack().then(() => openIn(process.argv.slice(1), process.cwd()))
}

if (app.requestSingleInstanceLock()) start()
else app.quit()
