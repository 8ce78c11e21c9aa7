import { defineProbe, known, runAsRoot, unknown } from '../../core/probe.ts'
import { listedFolders, listingIsComplete } from '../isolation/listing.ts'

export interface KeyFiles {
  /** Paths of files in the folders where systemd looks for the key of a volume that crypttab gives none for. */
  readonly paths: readonly string[]
}

const FOLDERS = ['/etc/cryptsetup-keys.d', '/run/cryptsetup-keys.d'] as const

/** crypttab(5), "key-file": without one, `<name>.key` in these folders is taken. The names of the files are listed; they are not opened. */
export const storageKeyFiles = defineProbe({
  id: 'storage.key-files',
  title: 'Key file names of encrypted volumes',
  why: 'A volume whose key is in these folders can open without a person. Only the names are listed; no key is read.',
  commands: { names: runAsRoot(['ls', '-1', ...FOLDERS], { needsPath: FOLDERS }) },
  parse({ names }) {
    if (!listingIsComplete(names)) return unknown('the folders of key files could not be listed')
    const folders = listedFolders(names.text)
    if (names.exitCode === 0 && folders.size !== FOLDERS.length)
      return unknown('the list of key files has an unexpected format')
    return known<KeyFiles>({
      paths: [...folders].flatMap(([folder, files]) => files.map((file) => `${folder}/${file}`)).sort(),
    })
  },
})
