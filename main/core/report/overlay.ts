import type { Framework } from '../framework.ts'
import { oneLine, plain } from '../plain-text.ts'
import { controlSection } from './controls.ts'
import { dayOf, factBlock } from './declared.ts'
import type { Matter } from './input.ts'
import { chosenFrameworks } from './items.ts'
import { plainCell, type Section } from './model.ts'
import { statusOf } from './versions.ts'
import { when } from './wording.ts'

/** Proposed rules, where somebody chose one: each in a section of its own, behind its banner and a dated statement of how it stands. */
export const overlaySections = (matter: Matter): readonly Section[] =>
  chosenFrameworks(matter).overlays.map((framework) => overlaySection(matter, framework))

function overlaySection(matter: Matter, framework: Framework): Section {
  const section = controlSection(matter, framework)
  const [banner, ...rest] = section.blocks
  const list = matter.catalog.references?.find(({ id }) => id === framework.id)
  const known = list === undefined ? 'as known when this catalog was made' : `as known on ${dayOf(list.asOf)}`
  const status = factBlock([
    { label: 'Status', value: plainCell(`${statusOf(framework)}, ${known}`) },
    { label: 'Text', value: plainCell(plain(framework.version, 300)) },
    { label: 'Read from', value: framework.source.map((source) => ({ text: oneLine(source, 500) })) },
    { label: 'Judged as of', value: plainCell(when(matter.assessment.asOf)) },
  ])
  return { ...section, blocks: banner === undefined ? [status] : [banner, status, ...rest] }
}
