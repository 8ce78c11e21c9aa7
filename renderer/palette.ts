import { PROPERTIES } from '../schemas/words.ts'
import { CELL_STATES, type Filter, filterOf, NO_FILTER, sentenceOf } from './filters.ts'
import type { Route } from './routes.ts'

export type PaletteAction = 'collect' | 'collect-missing' | 'shortcuts' | 'print' | 'open-pack'
export interface PaletteEntry {
  readonly id: string
  readonly group: 'Screens' | 'Actions' | 'Nodes' | 'Findings' | 'Filters'
  readonly title: string
  readonly does: { readonly go: Route } | { readonly act: PaletteAction }
}
export interface PaletteState {
  readonly review: boolean
  readonly nodes: readonly string[]
  readonly findings: readonly { readonly reference: string; readonly condition: string }[]
  readonly places: readonly string[]
  readonly canCollect: boolean
  readonly canCollectMissing: boolean
}

const MOST = 40

/** Screens, nodes, findings and actions, best match first: titles that begin with the input, then titles that contain all its words. */
export function paletteEntries(typed: string, state: PaletteState): readonly PaletteEntry[] {
  const asked = typed.trim().toLowerCase()
  const words = asked.split(/\s+/).filter((word) => word !== '')
  const all = [
    ...screens(state),
    ...actions(state),
    ...(words.length === 0 ? [] : [...nodes(state), ...findings(state), ...filters(typed, state)]),
  ]
  const fits = all.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)))
  const rank = ({ title }: PaletteEntry): number => (title.toLowerCase().startsWith(asked) ? 0 : 1)
  return fits
    .map((entry, at) => ({ entry, at }))
    .sort((a, b) => rank(a.entry) - rank(b.entry) || a.at - b.at)
    .slice(0, MOST)
    .map(({ entry }) => entry)
}

const entry = (group: PaletteEntry['group'], title: string, does: PaletteEntry['does']): PaletteEntry => ({
  id: `${group} ${title}`,
  group,
  title,
  does,
})

function screens({ review }: PaletteState): readonly PaletteEntry[] {
  const of = review ? 'pack' : 'run'
  const shared: readonly (readonly [string, Route])[] = [
    ['Overview', { screen: 'overview', of }],
    ['Findings', { screen: 'findings', of }],
    ['Findings: nodes × properties', { screen: 'properties', of }],
    ['Location', { screen: 'location', of }],
    ['Controls', { screen: 'controls', of }],
    ['Risk acceptances', { screen: 'risk-acceptances', of }],
    ['Documents', { screen: 'documents', of }],
    ['Engagement', { screen: 'engagement', of }],
    ['Engagement: population', { screen: 'engagement', of, part: 'population' }],
    ['Provider claims', { screen: 'claims', of }],
  ]
  const own: readonly (readonly [string, Route])[] = review
    ? [['Verification', { screen: 'review' }]]
    : [
        ['Nodes', { screen: 'nodes' }],
        ['Nodes: import', { screen: 'nodes', part: 'import' }],
        ['Nodes: host keys', { screen: 'nodes', part: 'keys' }],
        ['Declarations', { screen: 'declarations' }],
        ['Declarations: nodes', { screen: 'declarations', part: 'nodes' }],
        ['Declarations: fleet file', { screen: 'declarations', part: 'file' }],
        ['Command preview', { screen: 'preview' }],
        ['Collection', { screen: 'collecting' }],
        ['Evidence packs', { screen: 'packs' }],
        ['Export evidence pack', { screen: 'export' }],
        ['History', { screen: 'history' }],
        ['History: compare runs', { screen: 'history', part: 'compare' }],
        ['Schedules', { screen: 'schedules' }],
        ['Settings', { screen: 'settings' }],
      ]
  return [...shared, ...own].map(([title, route]) => entry('Screens', title, { go: route }))
}

function actions({ review, canCollect, canCollectMissing }: PaletteState): readonly PaletteEntry[] {
  const all: readonly (readonly [string, PaletteAction, boolean])[] = [
    ['Collect evidence', 'collect', canCollect],
    ['Collect missing evidence', 'collect-missing', canCollectMissing],
    ['Open evidence pack', 'open-pack', !review],
    ['Print this screen', 'print', true],
    ['Show keyboard shortcuts', 'shortcuts', true],
  ]
  return all.filter(([, , can]) => can).map(([title, act]) => entry('Actions', title, { act }))
}

const nodes = ({ nodes: names, review }: PaletteState): readonly PaletteEntry[] =>
  names.map((node) => entry('Nodes', node, { go: { screen: 'node', of: review ? 'pack' : 'run', node } }))

/** Findings of the run by reference, which lasts over runs, and by condition. */
const findings = ({ findings: found, review }: PaletteState): readonly PaletteEntry[] =>
  found.map(({ reference, condition }) =>
    entry('Findings', `${reference} ${condition}`, {
      go: { screen: 'finding', of: review ? 'pack' : 'run', reference },
    }),
  )

/** Every filter of one property and state, and the one that was typed. */
function filters(typed: string, { review, places }: PaletteState): readonly PaletteEntry[] {
  const show = (filter: Filter): PaletteEntry =>
    entry('Filters', `Show nodes: ${sentenceOf(filter)}`, {
      go: { screen: 'properties', of: review ? 'pack' : 'run', filter },
    })
  const each = PROPERTIES.flatMap((property) => CELL_STATES.map((state) => show({ ...NO_FILTER, property, state })))
  const said = filterOf(typed.trim(), places)
  return said === null ? each : [show(said), ...each.filter(({ id }) => id !== show(said).id)]
}
