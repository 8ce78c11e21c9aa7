import type { Engagement } from '../../../schemas/types.ts'
import { names, plural } from '../../core/phrases.ts'
import { plain } from '../../core/plain-text.ts'
import { type Block, heading, plainCell, quiet, type Section, text } from '../../core/report-document.ts'
import { declaredBy, factBlock, typed, typedList, whoseWord } from './declared.ts'
import { ephiBlocks } from './ephi.ts'
import type { Matter } from './input.ts'
import { chosenFrameworks } from './items.ts'
import { subserviceBlocks, userEntityBlocks } from './subservice.ts'
import { titles } from './titles.ts'

/** System boundary, exclusions, responsibilities and complementary controls of other organizations. */
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
      'The engagement is not defined. This report therefore does not describe the system, its services and sites, exclusions, responsibilities, controls required of other organizations, or ePHI flows. Readers need to obtain this information separately.',
    ),
    heading(3, 'Known scope'),
    factBlock([
      { label: 'Fleet', value: plainCell(plain(scope.fleet, 80)) },
      { label: 'Nodes', value: plainCell(plural(scope.population.length, 'declared node')) },
      frameworkRow(matter),
      {
        label: 'ePHI paths',
        value: plainCell(
          paths.size === 0 ? 'None in the fleet file.' : `In the fleet file: ${names([...paths].sort())}`,
        ),
      },
    ]),
  ]
}

const frameworkRow = (matter: Matter): { readonly label: string; readonly value: ReturnType<typeof plainCell> } => {
  const { current, overlays } = chosenFrameworks(matter)
  const titled = [...current, ...overlays].map(({ title }) => ({ text: plain(title) }))
  return { label: 'Frameworks', value: titled.length === 0 ? plainCell('No framework selected.') : titled }
}

function declared(matter: Matter, engagement: Engagement): readonly Block[] {
  const { boundary } = engagement
  return [
    text('As declared in the engagement. Nothing in this section was collected from a node unless stated.'),
    heading(3, 'System', true),
    factBlock([
      { label: 'System', value: typed(boundary.system) },
      { label: 'Services', value: typedList(boundary.services, 'None declared.') },
      { label: 'Sites', value: typedList(boundary.sites, 'None declared.') },
      frameworkRow(matter),
    ]),
    quiet(`${declaredBy(boundary)}.`),
    heading(3, 'Exclusions and rationale', true),
    outside(engagement),
    heading(3, 'Responsibilities', true),
    ...responsibilities(engagement),
    ...subserviceBlocks(matter, engagement),
    ...userEntityBlocks(matter, engagement),
    ...ephiBlocks(matter, engagement),
  ]
}

const outside = ({ boundary }: Engagement): Block =>
  boundary.outside.length === 0
    ? text('No exclusions declared.')
    : {
        kind: 'table',
        columns: [
          { title: 'Exclusion', width: 35 },
          { title: 'Rationale', width: 65 },
        ],
        rows: boundary.outside.map(({ what, why }) => [typed(what, 300), typed(why)]),
      }

function responsibilities({ responsibilities: areas }: Engagement): readonly Block[] {
  if (areas.length === 0) return [text('The responsibilities of provider and customer were not declared.')]
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
