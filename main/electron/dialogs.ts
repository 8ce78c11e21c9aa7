import { type BrowserWindow, dialog, type FileFilter, type OpenDialogOptions } from 'electron'
import type { Method } from '../../schemas/ipc.ts'
import type { Dialog } from '../../schemas/ipc-views.ts'
import { PACK_ENDINGS } from './openings.ts'

const ANY: FileFilter = { name: 'All files', extensions: ['*'] }

const DECLARED: FileFilter = { name: 'YAML and JSON', extensions: ['yaml', 'yml', 'json'] }
const TABLE: FileFilter = { name: 'Comma-separated values', extensions: ['csv'] }
const TEXT: FileFilter = { name: 'Text', extensions: ['txt'] }
const BACKUP: FileFilter = { name: 'Identity backups', extensions: ['json'] }

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

const reading = (title: string, filter: FileFilter, buttonLabel = 'Read file'): OpenDialogOptions => ({
  title,
  buttonLabel,
  filters: [filter, ANY],
})

/** Dialog texts of methods that need a specific file. */
const TITLES: Readonly<Partial<Record<Method, OpenDialogOptions>>> = {
  'documents.add': { title: 'Add document', buttonLabel: 'Add document' },
  'fleet.open-choose': reading('Open fleet file', DECLARED),
  'engagement.import-choose': reading('Import engagement', DECLARED),
  'inventory.import-choose': reading('Import provider inventory', { ...TABLE, extensions: ['csv', 'txt', 'tsv'] }),
  'provider.import-choose': reading('Import provider profile', DECLARED),
  'mappings.import-choose': reading('Import custom framework', DECLARED),
  'pack.import-checkpoint': reading(
    'Import checkpoint',
    { name: 'Checkpoints', extensions: ['json'] },
    'Read checkpoint',
  ),
  'identities.restore': reading('Restore signing identity', BACKUP, 'Restore identity'),
}

/** File type for every method that saves one file. */
export const SAVED_AS: Readonly<Partial<Record<Method, FileFilter>>> = {
  'fleet.save-file': { name: 'Fleet files', extensions: ['yaml', 'yml', 'json'] },
  'run.preview-save': TABLE,
  'run.sudoers-save': ANY,
  'acceptances.save': TABLE,
  'table.save': TABLE,
  'documents.save-message': TEXT,
  'review.save-worksheet': TABLE,
  'identities.save-card': TEXT,
  'review.save-workbook': { name: 'Workbooks', extensions: ['xlsx'] },
  'review.save-worksheet-pdf': { name: 'PDF documents', extensions: ['pdf'] },
  'identities.backup': BACKUP,
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
