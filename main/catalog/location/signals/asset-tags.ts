import { quote } from '../../../core/plain-text.ts'
import type { Parsed } from '../../../core/probe.ts'
import { type Bmc, bmc } from '../../probes/bmc.ts'
import { type DmiIdentity, dmiIdentity } from '../../probes/dmi-identity.ts'
import { type DmiTags, dmiTags } from '../../probes/dmi-tags.ts'
import { asserted, type Found } from '../found.ts'

/** What factories and hypervisors leave in place of a tag. */
const NOBODYS =
  /^(|default string|to be filled.*|not (specified|available|applicable|provided|settable)|no asset (tag|information)|none|n\/?a|null|unknown|empty|asset[ -]?tag.*|(chassis|board|base board|system|product).{0,20}asset.*|x+|0+|[-. ]+|0?123456789.*|1234567890.*|amazon ec2|oraclecloud\.com|7783-7084-3265-9085-8269-3286-77)$/i

const isTag = (text: string | null | undefined): text is string => !NOBODYS.test((text ?? '').trim())

/**
 * Numbers that the party that runs the machine gave it: what a record of racks can be matched with. They name no country, and so count for
 * no place by themselves.
 */
export function assetTagSignals(
  identity: Parsed<DmiIdentity>,
  tags: Parsed<DmiTags>,
  controller: Parsed<Bmc>,
): readonly Found[] {
  const chassis = identity.ok ? identity.fact.chassisAssetTag : null
  const board = tags.ok ? tags.fact.board : null
  const written = controller.ok ? (controller.fact.inventory?.written ?? []).filter(({ text }) => isTag(text)) : []
  const said = (where: string, text: string): string =>
    `${where} carries the tag ${quote(text)}, which a rack record may list.`
  return [
    ...(isTag(chassis)
      ? [asserted('asset-tag.chassis', null, said('The firmware’s entry of the chassis', chassis), dmiIdentity)]
      : []),
    ...(isTag(board)
      ? [asserted('asset-tag.board', null, said('The firmware’s entry of the board', board), dmiTags)]
      : []),
    ...(written.length === 0
      ? []
      : [
          asserted(
            'asset-tag.controller',
            null,
            `The inventory of the management controller carries ${written.map(({ field, text }) => `${field} ${quote(text, 60)}`).join(', ')}.`,
            bmc,
            'inventory',
          ),
        ]),
  ]
}
