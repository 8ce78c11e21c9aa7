import type { Engagement } from '../../../schemas/types.ts'
import { plain } from '../plain-text.ts'
import { declaredBy, factBlock, typed, typedList, whoseWord } from './declared.ts'
import { ephiBlocks } from './ephi.ts'
import type { Matter } from './input.ts'
import { chosenFrameworks } from './items.ts'
import { type Block, heading, plainCell, quiet, type Section, text } from './model.ts'
import { subserviceBlocks, userEntityBlocks } from './subservice.ts'
import { titles } from './titles.ts'
import { names, plural } from './wording.ts'

/** What is meant and what is left out, who does what, and whose controls are needed besides. */
export function boundarySection(matter: Matter): Section {
  const { engagement } = matter.assessment.scope
  return {
    id: 'boundary',
    title: titles.boundary,
    blocks: engagement === undefined ? undeclared(matter) : declared(matter, engagement),
  }
}

function undeclared(matter: Matter): readonly Block[] {
  const { scope } = matter.assessment
  const paths = new Set(matter.recordings.flatMap(({ recording }) => recording.node.ephiPaths ?? []))
  return [
    text(
      'No engagement was declared. So nothing is said here of the system, its services and sites, what is left out and why, who does what, which organizations’ controls are needed besides, or which ways ePHI takes. Whoever relies on this report has to learn that elsewhere.',
    ),
    heading(3, 'What is known'),
    factBlock([
      { label: 'Fleet', value: plainCell(plain(scope.fleet, 80)) },
      { label: 'Nodes', value: plainCell(plural(scope.population.length, 'declared node')) },
      frameworkRow(matter),
      {
        label: 'ePHI paths',
        value: plainCell(
          paths.size === 0 ? 'The fleet file names none.' : `Named in the fleet file: ${names([...paths].sort())}`,
        ),
      },
    ]),
  ]
}

const frameworkRow = (matter: Matter): { readonly label: string; readonly value: ReturnType<typeof plainCell> } => {
  const { current, overlays } = chosenFrameworks(matter)
  const titled = [...current, ...overlays].map(({ title }) => ({ text: plain(title) }))
  return { label: 'Read against', value: titled.length === 0 ? plainCell('No framework was chosen.') : titled }
}

function declared(matter: Matter, engagement: Engagement): readonly Block[] {
  const { boundary } = engagement
  return [
    text('As people declared it. Nothing in this part was read from a node, except where it says so.'),
    heading(3, 'The system', true),
    factBlock([
      { label: 'System', value: typed(boundary.system) },
      { label: 'Services', value: typedList(boundary.services, 'None was named.') },
      { label: 'Sites', value: typedList(boundary.sites, 'None was named.') },
      frameworkRow(matter),
    ]),
    quiet(`${declaredBy(boundary)}.`),
    heading(3, 'What is out, and why', true),
    outside(engagement),
    heading(3, 'Who does what', true),
    ...responsibilities(engagement),
    ...subserviceBlocks(matter, engagement),
    ...userEntityBlocks(matter, engagement),
    ...ephiBlocks(matter, engagement),
  ]
}

const outside = ({ boundary }: Engagement): Block =>
  boundary.outside.length === 0
    ? text('Nothing was declared as left out.')
    : {
        kind: 'table',
        columns: [
          { title: 'Left out', width: 35 },
          { title: 'Why', width: 65 },
        ],
        rows: boundary.outside.map(({ what, why }) => [typed(what, 300), typed(why)]),
      }

function responsibilities({ responsibilities: areas }: Engagement): readonly Block[] {
  if (areas.length === 0) return [text('The split between provider and customer was not declared.')]
  const whose = whoseWord(areas)
  return [
    {
      kind: 'table',
      rowHeaders: true,
      columns: [
        { title: 'Area', width: 24 },
        { title: 'Provider', width: 38 },
        { title: 'Customer', width: 38 },
      ],
      rows: areas.map((one) => [
        [...typed(one.area, 200), ...whose.inRow(one)],
        typed(one.provider),
        typed(one.customer),
      ]),
    },
    ...whose.beneath,
  ]
}
