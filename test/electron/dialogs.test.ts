import { expect, test, vi } from 'vitest'

const opened = vi.hoisted(
  () => [] as { readonly options: Record<string, unknown>; readonly close: (path: string | null) => void }[],
)
vi.mock('electron', () => {
  const show = (_window: unknown, options: Record<string, unknown>) =>
    new Promise((resolve) =>
      opened.push({
        options,
        close: (path) =>
          resolve({ canceled: path === null, filePaths: path === null ? [] : [path], filePath: path ?? '' }),
      }),
    )
  return { dialog: { showOpenDialog: show, showSaveDialog: show } }
})
const { choose } = await import('../../main/electron/dialogs.ts')

test('8: a window has one dialog at a time, whatever its page asks for', async () => {
  const [one, other] = [{} as never, {} as never]
  const first = choose(one, 'pack-file', 'pack.choose-and-verify', '')
  for (let times = 0; times < 1000; times++) {
    expect(await choose(one, 'pack-file', 'pack.choose-and-verify', '')).toBe(null)
    expect(await choose(one, 'save-file', 'identities.backup', 'barewitness-identity.json')).toBe(null)
  }
  expect(opened.length).toBe(1)
  const second = choose(other, 'pack-file', 'pack.choose-and-verify', '')
  expect(opened.length).toBe(2)
  opened[0]?.close('/a.zip')
  opened[1]?.close(null)
  expect(await Promise.all([first, second])).toEqual(['/a.zip', null])
  const next = choose(one, 'save-file', 'identities.backup', 'barewitness-identity.json')
  expect(opened[2]?.options).toMatchObject({
    defaultPath: 'barewitness-identity.json',
    properties: ['showOverwriteConfirmation', 'createDirectory'],
  })
  opened[2]?.close('/b.json')
  expect(await next).toBe('/b.json')
})
