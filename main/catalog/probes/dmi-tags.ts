import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { grepIsComplete, oneLineFiles } from '../read-text.ts'

export interface DmiTags {
  /** Tag of the board; on current EC2 machines the id of the instance. null where the firmware has none. */
  readonly board: string | null
  readonly sku: string | null
}

const FOLDER = '/sys/class/dmi/id/'

/** drivers/firmware/dmi-id.c: SMBIOS type 2, asset tag, and type 1, SKU number. Open to any user. */
export const dmiTags = defineProbe({
  id: 'dmi.tags',
  title: 'Asset tags in the firmware',
  why: 'Operators and providers store here the inventory number of a machine.',
  commands: { tags: run(['grep', '-H', '', `${FOLDER}board_asset_tag`, `${FOLDER}product_sku`]) },
  parse({ tags }) {
    if (!grepIsComplete(tags)) return unknown('the firmware’s tags could not be read')
    const values = oneLineFiles(tags.text)
    const tag = (name: string): string | null => values.get(FOLDER + name)?.slice(0, 200) || null
    return known<DmiTags>({ board: tag('board_asset_tag'), sku: tag('product_sku') })
  },
})
