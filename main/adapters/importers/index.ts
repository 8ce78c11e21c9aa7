import type { Importers } from '../../core/all-ports.ts'
import { importAnsible } from './ansible.ts'
import { importCsv } from './csv.ts'
import { importSshConfig } from './ssh-config.ts'

/** Server lists from other tools, as nodes, with the result of every line. */
export const createImporters = (): Importers => ({
  preview: async (kind, text, existing, { follow = false, columns } = {}) => {
    if (kind === 'ssh-config') return await importSshConfig(text, existing, follow)
    return kind === 'csv' ? importCsv(text, existing, columns) : importAnsible(text, existing)
  },
})
