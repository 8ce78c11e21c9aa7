import { type BrowserWindow, dialog, type FileFilter, type OpenDialogOptions } from 'electron'
import type { Method } from '../../schemas/ipc.ts'
import type { Dialog } from '../../schemas/ipc-views.ts'
import type { Desktop, Vault } from '../app/engine/context.ts'
import { fail, type Outcome } from '../core/failure.ts'
import type { Port } from './engine-process.ts'
import { PACK_ENDINGS } from './openings.ts'

const ANY: FileFilter = { name: 'All files', extensions: ['*'] }

const DECLARED: FileFilter = { name: 'YAML and JSON', extensions: ['yaml', 'yml', 'json'] }

const OPEN: Readonly<Record<Exclude<Dialog, 'save-file'>, OpenDialogOptions>> = {
  'import-file': { title: 'Import nodes', buttonLabel: 'Read file', properties: ['openFile', 'showHiddenFiles'] },
  'export-folder': {
    title: 'Save report and pack',
    buttonLabel: 'Save here',
    properties: ['openDirectory', 'createDirectory'],
  },
  'pack-file': {
    title: 'Open evidence pack',
    buttonLabel: 'Open pack',
    properties: ['openFile'],
    filters: [{ name: 'Evidence packs and reports', extensions: [...PACK_ENDINGS] }, ANY],
  },
  'certificate-file': {
    title: 'Choose a certificate',
    buttonLabel: 'Read certificate',
    properties: ['openFile'],
    filters: [{ name: 'Certificates', extensions: ['pem', 'crt', 'cer', 'der'] }, ANY],
  },
  'any-file': { title: 'Choose a file', buttonLabel: 'Choose file', properties: ['openFile'] },
}

/** Dialog texts of methods that need a specific file. */
const TITLES: Readonly<Partial<Record<Method, Pick<OpenDialogOptions, 'title' | 'buttonLabel' | 'filters'>>>> = {
  'documents.add': { title: 'Add document', buttonLabel: 'Add document' },
  'fleet.open-choose': { title: 'Open fleet file', buttonLabel: 'Read file', filters: [DECLARED, ANY] },
  'engagement.import-choose': {
    title: 'Import engagement',
    buttonLabel: 'Read file',
    filters: [DECLARED, ANY],
  },
  'inventory.import-choose': {
    title: 'Import provider inventory',
    buttonLabel: 'Read file',
    filters: [{ name: 'Comma-separated values', extensions: ['csv', 'txt', 'tsv'] }, ANY],
  },
  'provider.import-choose': {
    title: 'Import provider profile',
    buttonLabel: 'Read file',
    filters: [DECLARED, ANY],
  },
  'mappings.import-choose': {
    title: 'Import custom framework',
    buttonLabel: 'Read file',
    filters: [DECLARED, ANY],
  },
  'pack.import-checkpoint': {
    title: 'Import checkpoint',
    buttonLabel: 'Read checkpoint',
    filters: [{ name: 'Checkpoints', extensions: ['json'] }, ANY],
  },
  'identities.restore': {
    title: 'Restore signing identity',
    buttonLabel: 'Restore identity',
    filters: [{ name: 'Identity backups', extensions: ['json'] }, ANY],
  },
}

/** File type for every method that saves one file. */
export const SAVED_AS: Readonly<Partial<Record<Method, FileFilter>>> = {
  'fleet.save-file': { name: 'Fleet files', extensions: ['yaml', 'yml', 'json'] },
  'run.preview-save': { name: 'Comma-separated values', extensions: ['csv'] },
  'run.sudoers-save': ANY,
  'acceptances.save': { name: 'Comma-separated values', extensions: ['csv'] },
  'table.save': { name: 'Comma-separated values', extensions: ['csv'] },
  'documents.save-message': { name: 'Text', extensions: ['txt'] },
  'review.save-worksheet': { name: 'Comma-separated values', extensions: ['csv'] },
  'identities.save-card': { name: 'Text', extensions: ['txt'] },
  'review.save-workbook': { name: 'Workbooks', extensions: ['xlsx'] },
  'review.save-worksheet-pdf': { name: 'PDF documents', extensions: ['pdf'] },
  'identities.backup': { name: 'Identity backups', extensions: ['json'] },
}

const asking = new WeakSet<BrowserWindow>()

/**
 * Asks the user for one file or folder, with `name` offered for a file that is saved; null when the dialog is closed. A window has one dialog at a time, so that no page can cover the
 * screen with dialogs: further calls return null at once.
 */
export async function choose(
  window: BrowserWindow,
  what: Dialog,
  method: Method,
  name: string,
): Promise<string | null> {
  if (asking.has(window)) return null
  asking.add(window)
  try {
    return what === 'save-file' ? await chooseName(window, method, name) : await chooseFile(window, what, method)
  } finally {
    asking.delete(window)
  }
}

async function chooseFile(
  window: BrowserWindow,
  what: Exclude<Dialog, 'save-file'>,
  method: Method,
): Promise<string | null> {
  const { canceled, filePaths } = await dialog.showOpenDialog(window, { ...OPEN[what], ...TITLES[method] })
  return canceled ? null : (filePaths[0] ?? null)
}

async function chooseName(window: BrowserWindow, method: Method, name: string): Promise<string | null> {
  const { canceled, filePath } = await dialog.showSaveDialog(window, {
    title: 'Save file',
    buttonLabel: 'Save file',
    defaultPath: name,
    filters: [SAVED_AS[method] ?? ANY, ANY],
    properties: ['showOverwriteConfirmation', 'createDirectory'],
  })
  return canceled || filePath === '' ? null : filePath
}

/** Requests from the worker to the main process. Secrets use this port and never a window’s bridge. */
type Want =
  | { readonly kind: 'ask'; readonly question: string }
  | { readonly kind: 'show'; readonly path: string }
  | { readonly kind: 'vault' }
  | { readonly kind: 'read'; readonly name: string }
  | { readonly kind: 'write'; readonly name: string; readonly secret: string }
interface Wanted {
  readonly want: { readonly id: number } & Want
}

interface Given {
  readonly gave: { readonly id: number; readonly value: unknown }
}

/** The main process side of a desktop: like Desktop, except that finding a vault may take a moment. */
export interface DesktopParts extends Pick<Desktop, 'ask' | 'show'> {
  readonly vault: Promise<Vault | null>
}

const NOT_WANTED = 'unknown request from the engine'
const LONGEST = 64 * 1024

const holds = (message: unknown, key: string): message is Readonly<Record<string, unknown>> =>
  typeof message === 'object' && message !== null && Object.hasOwn(message, key)

/** The main process side: answers requests of the worker. The worker parses output of hostile servers, so every request is validated. */
export function serveDesktop(port: Port, desktop: DesktopParts): void {
  const answer = async (want: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const text = (key: string): string | null => {
      const value = want[key]
      return typeof value === 'string' && value.length <= LONGEST ? value : null
    }
    const [question, path, name, secret] = [text('question'), text('path'), text('name'), text('secret')]
    const vault = await desktop.vault
    if (want.kind === 'vault') return vault?.described ?? null
    if (want.kind === 'ask' && question !== null) return await desktop.ask(question)
    if (want.kind === 'show' && path !== null) return await desktop.show(path)
    if (want.kind === 'read' && name !== null) return (await vault?.read(name)) ?? null
    if (want.kind === 'write' && name !== null && secret !== null)
      return (await vault?.write(name, secret)) ?? fail('store.failed', 'this computer has no usable vault')
    return want.kind === 'show' || want.kind === 'write' ? fail('bug', NOT_WANTED) : null
  }
  const reply = async (want: Readonly<Record<string, unknown>>): Promise<void> => {
    const failed = fail('bug', 'the main process could not answer the engine')
    const value = await answer(want).catch(() => (want.kind === 'show' || want.kind === 'write' ? failed : null))
    port.post({ gave: { id: Number(want.id), value } } satisfies Given)
  }
  port.onMessage((message) => {
    if (holds(message, 'want') && holds(message.want, 'kind')) void reply(message.want)
  })
}

/** The worker side: the desktop of the main process. */
export async function remoteDesktop(port: Port): Promise<Desktop> {
  const waiting = new Map<number, (value: unknown) => void>()
  let next = 1
  port.onMessage((message) => {
    if (!holds(message, 'gave')) return
    const { id, value } = (message as unknown as Given).gave
    waiting.get(id)?.(value)
    waiting.delete(id)
  })
  const get = (want: Want): Promise<unknown> =>
    new Promise((resolve) => {
      const id = next++
      waiting.set(id, resolve)
      port.post({ want: { id, ...want } } satisfies Wanted)
    })
  const described = (await get({ kind: 'vault' })) as string | null
  return {
    ask: (question) => get({ kind: 'ask', question }) as Promise<string | null>,
    show: (path) => get({ kind: 'show', path }) as Promise<Outcome<null>>,
    vault:
      described === null
        ? null
        : {
            described,
            read: (name) => get({ kind: 'read', name }) as Promise<string | null>,
            write: (name, secret) => get({ kind: 'write', name, secret }) as Promise<Outcome<null>>,
          },
  }
}
