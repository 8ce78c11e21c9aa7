import { openObjectFolder } from '../../main/adapters/objects/folder.ts'
import { folderOfTests } from '../support/folders.ts'
import { objectsContract } from '../support/objects-contract.ts'

const root = folderOfTests('objects')

objectsContract('a folder', () => openObjectFolder(root))
