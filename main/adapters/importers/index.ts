import type { Importers } from '../../core/world.ts'
import { importAnsible } from './ansible.ts'
import { importCsv } from './csv.ts'
import { importSshConfig } from './ssh-config.ts'

/** Lists of servers that others keep, as nodes of ours, with the fate of every line. */
export const createImporters = (): Importers => ({
  preview: async (kind, text, existing) => {
    if (kind === 'ssh-config') return await importSshConfig(text, existing)
    return kind === 'csv' ? importCsv(text, existing) : importAnsible(text, existing)
  },
})
