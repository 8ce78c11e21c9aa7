import { type App, BrowserWindow, Menu, type MenuItemConstructorOptions } from 'electron'

/** The menu: editing, zoom and printing. Nothing in it leads outside the app. */
export function menuTemplate(app: Pick<App, 'isPackaged'>, platform: NodeJS.Platform): MenuItemConstructorOptions[] {
  const print: MenuItemConstructorOptions = {
    label: 'Print…',
    accelerator: 'CmdOrCtrl+P',
    click: () => BrowserWindow.getFocusedWindow()?.webContents.print(),
  }
  return [
    ...(platform === 'darwin' ? [{ role: 'appMenu' } as const] : []),
    { label: 'File', submenu: [print, { type: 'separator' }, { role: platform === 'darwin' ? 'close' : 'quit' }] },
    { role: 'editMenu' },
    {
      label: 'View',
      submenu: [
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { type: 'separator' },
        { role: 'togglefullscreen' },
        ...(app.isPackaged ? [] : [{ role: 'toggleDevTools' } as const]),
      ],
    },
    { role: 'windowMenu' },
  ]
}

export const setMenu = (app: App): void =>
  Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate(app, process.platform)))
