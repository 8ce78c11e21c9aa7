import type { SearchEntry, SearchPlace, Source } from '../../schemas/ipc-views.ts'
import { TERMS } from '../../schemas/terms.ts'
import { PROPERTIES } from '../../schemas/words.ts'
import { CELL_STATES, type Filter, filterOf, NO_FILTER, sentenceOf } from '../models/filters.ts'
import { isOffered, type Route } from '../models/routes.ts'
import { may } from '../models/team.ts'

export type PaletteAction = 'collect' | 'collect-missing' | 'shortcuts' | 'tour' | 'print' | 'open-pack'
export interface PaletteEntry {
  readonly id: string
  readonly group: 'Screens' | 'Actions' | 'Nodes' | 'Filters' | 'Glossary' | SearchEntry['group']
  readonly title: string
  /** Second line; the group where it is absent. */
  readonly note?: string
  readonly does: { readonly go: Route } | { readonly act: PaletteAction }
}

export interface PaletteState {
  readonly review: boolean
  readonly nodes: readonly string[]
  readonly places: readonly string[]
  readonly canCollect: boolean
  readonly canCollectMissing: boolean
  /** Findings, checks, controls and documents of the run or pack that is shown. */
  readonly found: readonly SearchEntry[]
}

const MOST = 40

/** Screens, nodes, actions and everything with a reference, best match first: titles that begin with the input, then titles that contain all its words. */
export function paletteEntries(typed: string, state: PaletteState): readonly PaletteEntry[] {
  const asked = typed.trim().toLowerCase()
  const words = asked.split(/\s+/).filter((word) => word !== '')
  const all = [
    ...screens(state),
    ...actions(state),
    ...(words.length === 0
      ? []
      : [...parts(state), ...nodes(state), ...references(state), ...filters(typed, state), ...glossary(state)]),
  ]
  const fits = all.filter(({ title, group, note = '' }) => {
    const text = `${title} ${group === 'Glossary' ? '' : note}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
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
        ['Export period report', { screen: 'period-export' }],
        ['History', { screen: 'history' }],
        ['History: compare runs', { screen: 'history', part: 'compare' }],
        ['Schedules', { screen: 'schedules' }],
        ['Settings', { screen: 'settings' }],
      ]
  return [...shared, ...own]
    .filter(([, route]) => isOffered(route))
    .map(([title, route]) => entry('Screens', title, { go: route }))
}

/** Parts of screens: offered once something is typed, so that the first list stays short. */
const parts = ({ review }: PaletteState): readonly PaletteEntry[] =>
  (review ? [] : PARTS.filter(([, route]) => isOffered(route))).map(([title, route]) =>
    entry('Screens', title, { go: route }),
  )

const PARTS: readonly (readonly [string, Route])[] = [
  ['Settings: signing identities', { screen: 'settings', part: 'identity' }],
  ['Settings: time-stamping', { screen: 'settings', part: 'time-stamping' }],
  ['Settings: trusted signers', { screen: 'settings', part: 'trust' }],
  ['Settings: SSH', { screen: 'settings', part: 'ssh' }],
  ['Settings: privacy', { screen: 'settings', part: 'privacy' }],
  ['Settings: appearance', { screen: 'settings', part: 'appearance' }],
  ['Help and about: version, rules, license, glossary', { screen: 'settings', part: 'about' }],
]

function actions({ review, canCollect, canCollectMissing }: PaletteState): readonly PaletteEntry[] {
  const all: readonly (readonly [string, PaletteAction, boolean])[] = [
    ['Collect evidence', 'collect', canCollect],
    ['Collect missing evidence', 'collect-missing', canCollectMissing],
    ['Open evidence pack', 'open-pack', !review && may('pack.choose-and-verify')],
    ['Print this screen', 'print', true],
    ['Show keyboard shortcuts', 'shortcuts', true],
    ['Tour of the demo fleet', 'tour', !review && may('demo.open')],
  ]
  return all.filter(([, , can]) => can).map(([title, act]) => entry('Actions', title, { act }))
}

/** The screen of an entry of the search. */
export function placeOf(to: SearchPlace, of: Source): Route {
  switch (to.is) {
    case 'result':
      return { screen: 'why', of, node: to.node, property: to.property, check: to.check }
    case 'finding':
      return { screen: 'finding', of, reference: to.reference }
    case 'population':
      return { screen: 'engagement', of, part: 'population' }
    case 'control':
      return { screen: 'control', of, framework: to.framework, key: to.key }
    case 'documents':
      return { screen: 'documents', of, find: to.find }
  }
}

/** Everything that has a reference, found by its reference or its words. */
const references = ({ found, review }: PaletteState): readonly PaletteEntry[] =>
  found.map(({ group, reference, title, to }, at) => ({
    id: `${group} ${at} ${reference}`,
    group,
    title: reference,
    note: `${group}: ${title}`,
    does: { go: placeOf(to, review ? 'pack' : 'run') },
  }))

/** Terms with their definitions; they are listed in the settings, which the review window does not have. */
const glossary = ({ review }: PaletteState): readonly PaletteEntry[] =>
  review
    ? []
    : TERMS.map(({ term, definition }) => ({
        ...entry('Glossary', `Glossary: ${term}`, { go: { screen: 'settings', part: 'about' } }),
        note: definition,
      }))

const nodes = ({ nodes: names, review }: PaletteState): readonly PaletteEntry[] =>
  names.map((node) => entry('Nodes', node, { go: { screen: 'node', of: review ? 'pack' : 'run', node } }))

/** Every filter by one property and state, and the filter that was typed. */
function filters(typed: string, { review, places }: PaletteState): readonly PaletteEntry[] {
  const show = (filter: Filter): PaletteEntry =>
    entry('Filters', `Show nodes: ${sentenceOf(filter)}`, {
      go: { screen: 'properties', of: review ? 'pack' : 'run', filter },
    })
  const each = PROPERTIES.flatMap((property) => CELL_STATES.map((state) => show({ ...NO_FILTER, property, state })))
  const typedFilter = filterOf(typed.trim(), places)
  return typedFilter === null ? each : [show(typedFilter), ...each.filter(({ id }) => id !== show(typedFilter).id)]
}
