import type { Catalog } from '../../main/core/catalog.ts'

/** For small catalogs: nodes that say nothing of the machine that they are, so that none is taken for another. */
export const NAMELESS: Catalog['identity'] = {
  probes: [],
  read: () => ({ boot: null, marks: [], hostKey: null, uptimeSeconds: null }),
}
