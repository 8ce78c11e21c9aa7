import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

const made = (name: string): string => mkdtempSync(join(tmpdir(), `bw-${name}-`))
const remove = (folder: string) => (): void => rmSync(folder, { recursive: true, force: true })

/** A new folder for the tests of a file or of a `describe`, which is removed after them. */
export function folderOfTests(name: string): string {
  const folder = made(name)
  afterAll(remove(folder))
  return folder
}

/** A new folder for one test, called in it or in `beforeEach`; it is removed after the test. */
export function folderOfTest(name: string): string {
  const folder = made(name)
  onTestFinished(remove(folder))
  return folder
}
