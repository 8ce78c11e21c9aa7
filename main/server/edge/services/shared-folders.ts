import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { folderIn } from '../../../core/base/layout.ts'

/** Changes folders on the disk; tests make single steps fail. */
export interface FolderDisk {
  readonly mkdir: (path: string) => Promise<unknown>
  readonly rename: (from: string, to: string) => Promise<void>
  readonly remove: (path: string) => Promise<void>
  /** Names in a folder; none where it does not exist. */
  readonly names: (path: string) => Promise<readonly string[]>
}

export const folderDisk: FolderDisk = {
  mkdir: async (path) => await mkdir(path, { recursive: true, mode: 0o700 }),
  rename,
  remove: async (path) => await rm(path, { recursive: true, force: true }),
  names: async (path) =>
    await readdir(path).catch((problem: NodeJS.ErrnoException) => {
      if (problem.code === 'ENOENT') return []
      throw problem
    }),
}

/**
 * The folders of shared packs. A folder without an ending has all files of one pack. DRAFT: its files are being placed. UNLISTED: no entry of
 * the portal names it.
 */
export interface SharedFolders {
  readonly placeOf: (id: string, file: string) => string
  /** Creates the draft folder of a pack and returns its path. */
  readonly begin: (id: string) => Promise<string>
  /** Turns these files of the draft into the folder of the pack, in one step. */
  readonly finish: (id: string, files: readonly string[]) => Promise<void>
  /** Removes the draft with all files that were not moved. */
  readonly giveUp: (id: string) => Promise<void>
  /** Removes the folder of a pack that no entry names. */
  readonly remove: (id: string) => Promise<void>
  /**
   * Removes drafts of an earlier process, and sets aside complete folders that no entry names. These are not removed, because the portal file
   * can be a restored earlier one. Folders that were set aside and are named again are put back.
   */
  readonly resolve: (listed: ReadonlySet<string>) => Promise<void>
}

const DRAFT = '.draft'
const UNLISTED = '.unlisted'
/** Folder in a draft; no export has a file of this name. */
const READY = '.ready'
const FOLDER_NAME = /^([0-9a-f]{32})(\.draft|\.unlisted)?$/

export function sharedFolders(folder: string, disk: FolderDisk): SharedFolders {
  const root = folderIn(folder, 'sharedPacks')
  const at = (id: string, ending = ''): string => join(root, `${id}${ending}`)
  return {
    placeOf: (id, file) => join(at(id), file),
    begin: async (id) => {
      await disk.mkdir(at(id, DRAFT))
      return at(id, DRAFT)
    },
    finish: async (id, files) => {
      const ready = join(at(id, DRAFT), READY)
      await disk.mkdir(ready)
      for (const file of files) await disk.rename(join(at(id, DRAFT), file), join(ready, basename(file)))
      await disk.rename(ready, at(id))
    },
    giveUp: async (id) => await disk.remove(at(id, DRAFT)),
    remove: async (id) => await disk.remove(at(id)),
    resolve: async (listed) => {
      const names = await disk.names(root)
      for (const name of names) {
        const [, id = '', ending] = FOLDER_NAME.exec(name) ?? []
        if (ending === DRAFT) await disk.remove(at(id, DRAFT))
        else if (id !== '' && ending === undefined && !listed.has(id)) await disk.rename(at(id), at(id, UNLISTED))
        else if (ending === UNLISTED && listed.has(id) && !names.includes(id))
          await disk.rename(at(id, UNLISTED), at(id))
      }
    },
  }
}
