import { type BrowserWindow, dialog, type OpenDialogOptions } from 'electron'
import type { GateParts } from './gate.ts'

const OPTIONS: Readonly<Record<Parameters<GateParts['choose']>[0], OpenDialogOptions>> = {
  'import-file': { title: 'Import nodes', buttonLabel: 'Read file', properties: ['openFile', 'showHiddenFiles'] },
  'export-folder': {
    title: 'Export report and pack',
    buttonLabel: 'Export here',
    properties: ['openDirectory', 'createDirectory'],
  },
  'pack-file': {
    title: 'Open a pack',
    buttonLabel: 'Open pack',
    properties: ['openFile'],
    filters: [
      { name: 'Evidence packs and reports', extensions: ['zip', 'barewitness', 'pdf'] },
      { name: 'All files', extensions: ['*'] },
    ],
  },
}

/** Asks the person in front of the window for one file or folder; null when they closed the dialog. */
export const chooser =
  (window: BrowserWindow): GateParts['choose'] =>
  async (what) => {
    const { canceled, filePaths } = await dialog.showOpenDialog(window, OPTIONS[what])
    return canceled ? null : (filePaths[0] ?? null)
  }
