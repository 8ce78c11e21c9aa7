import { BrowserWindow, Menu, type MenuItemConstructorOptions } from 'electron'
import type { RecentPack } from '../../schemas/ipc-packs.ts'
import type { EngineEvent } from '../../schemas/ipc-views.ts'

interface MenuParts {
  readonly packaged: boolean
  readonly platform: NodeJS.Platform
  readonly recent: readonly RecentPack[]
  readonly openPack: () => void
  readonly openRecent: (handle: string) => void
  readonly go: (to: Extract<EngineEvent, { kind: 'go' }>['to']) => void
}

/** The menu: packs, export, editing, zoom, printing and help. No item opens anything outside the app. */
export function menuTemplate(parts: MenuParts): MenuItemConstructorOptions[] {
  const { packaged, platform, go } = parts
  const mac = platform === 'darwin'
  const settings: MenuItemConstructorOptions = {
    label: 'Settings…',
    accelerator: 'CmdOrCtrl+,',
    click: () => go('settings'),
  }
  const apart: MenuItemConstructorOptions = { type: 'separator' }
  const appMenu: MenuItemConstructorOptions = {
    role: 'appMenu',
    submenu: [
      { role: 'about' },
      apart,
      settings,
      apart,
      { role: 'hide' },
      { role: 'hideOthers' },
      { role: 'unhide' },
      apart,
      { role: 'quit' },
    ],
  }
  const view: MenuItemConstructorOptions = {
    label: 'View',
    submenu: [
      { role: 'resetZoom' },
      { role: 'zoomIn' },
      { role: 'zoomOut' },
      apart,
      { role: 'togglefullscreen' },
      ...(packaged ? [] : [{ role: 'toggleDevTools' } as const]),
    ],
  }
  return [
    ...(mac ? [appMenu] : []),
    { label: 'File', submenu: fileItems(parts, mac ? [] : [apart, settings], mac ? 'close' : 'quit') },
    { role: 'editMenu' },
    view,
    { role: 'windowMenu' },
    {
      role: 'help',
      label: 'Help',
      submenu: [
        { label: 'Tour of the demo fleet', click: () => go('tour') },
        { label: 'Keyboard shortcuts', click: () => go('shortcuts') },
        { label: 'Network connections', click: () => go('settings') },
      ],
    },
  ]
}

function fileItems(
  { recent, openPack, openRecent, go }: MenuParts,
  settings: readonly MenuItemConstructorOptions[],
  last: 'close' | 'quit',
): MenuItemConstructorOptions[] {
  const packs = recent.filter(({ here }) => here)
  return [
    { label: 'Open evidence pack…', accelerator: 'CmdOrCtrl+O', click: openPack },
    {
      label: 'Open recent',
      enabled: packs.length > 0,
      // An ampersand in a label would mark an access key.
      submenu: packs.map(({ handle, file }) => ({
        label: file.replaceAll('&', '&&'),
        click: () => openRecent(handle),
      })),
    },
    { type: 'separator' },
    { label: 'Export evidence pack…', accelerator: 'CmdOrCtrl+E', click: () => go('export') },
    {
      label: 'Print…',
      accelerator: 'CmdOrCtrl+P',
      click: () => BrowserWindow.getFocusedWindow()?.webContents.print(),
    },
    ...settings,
    { type: 'separator' },
    { role: last },
  ]
}

export const setMenu = (parts: MenuParts): void => Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(parts)))
