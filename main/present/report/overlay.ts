import type { Framework } from '../../core/framework.ts'
import { oneLine, plain } from '../../core/plain-text.ts'
import { plainCell, type Section } from '../../core/report-document.ts'
import { controlSection } from './controls.ts'
import { dayOf, factBlock } from './declared.ts'
import type { Matter } from './input.ts'
import { chosenFrameworks } from './items.ts'
import { statusOf } from './versions.ts'
import { when } from './wording.ts'

/** Proposed rules, if selected: each in its own section, after a banner and a dated statement of its status. */
export const overlaySections = (matter: Matter): readonly Section[] =>
  chosenFrameworks(matter).overlays.map((framework) => overlaySection(matter, framework))

function overlaySection(matter: Matter, framework: Framework): Section {
  const section = controlSection(matter, framework)
  const [banner, ...rest] = section.blocks
  const list = matter.catalog.references?.find(({ id }) => id === framework.id)
  const known = list === undefined ? 'as known at the catalog’s release' : `as known on ${dayOf(list.asOf)}`
  const status = factBlock([
    { label: 'Status', value: plainCell(`${statusOf(framework)}, ${known}`) },
    { label: 'Text', value: plainCell(plain(framework.version, 300)) },
    { label: 'Source', value: framework.source.map((source) => ({ text: oneLine(source, 500) })) },
    { label: 'Evaluated as of', value: plainCell(when(matter.assessment.asOf)) },
  ])
  return { ...section, blocks: banner === undefined ? [status] : [banner, status, ...rest] }
}
