import type { AiViews, HipaaViews, ViewSource } from '../../../core/recording/evidence-view.ts'
import { vocabularyEntry } from '../subjects.ts'
import aiData from './ai-views.json' with { type: 'json' }
import { REQUESTS } from './frameworks.ts'
import hipaaData from './hipaa-views.json' with { type: 'json' }

const REQUEST_IDS: ReadonlySet<string> = new Set(REQUESTS.map(({ id }) => id))

/** Views for readers of the HIPAA Security Rule. They are no part of the rules: no verdict depends on them. */
export const HIPAA_VIEWS: HipaaViews = loadViews(hipaaData as HipaaViews)

/** Carriers of AI workloads, and views of frameworks that no conclusion of ours uses. */
export const AI_VIEWS: AiViews = loadAiViews(aiData as AiViews)

/**
 * Views of the data. Throws where the data is wrong (an unknown check or request, a repeated row, no source): the data is part of the program,
 * so that is our bug and stops it at start.
 */
export function loadViews(views: HipaaViews): HipaaViews {
  const { riskAnalysis, agreement, protocol, practices } = views
  for (const view of [riskAnalysis, agreement, protocol, practices]) sourced(view)
  unique(
    'threats',
    riskAnalysis.threats.map(({ riskArea }) => riskArea),
  )
  unique(
    'elements',
    riskAnalysis.elements.map(({ id }) => id),
  )
  unique(
    'clauses',
    agreement.clauses.map(({ clause }) => clause),
  )
  unique(
    'practices',
    practices.practices.map(({ id }) => id),
  )
  for (const one of [...riskAnalysis.elements, ...agreement.relation, ...agreement.clauses, ...practices.practices])
    known(one.title, 'checks' in one ? one.checks : [], one.requests)
  return views
}

function known(title: string, checks: readonly string[], requests: readonly string[]): void {
  for (const id of checks)
    if (vocabularyEntry(id) === undefined) throw new Error(`${title} names ${id}, which is no check`)
  for (const id of requests) if (!REQUEST_IDS.has(id)) throw new Error(`${title} names ${id}, which is no request`)
}

function unique(what: string, ids: readonly string[]): void {
  const twice = ids.find((id, at) => ids.indexOf(id) !== at)
  if (twice !== undefined) throw new Error(`${what}: ${twice} is listed twice`)
}

/** The same for carriers and other frameworks. */
export function loadAiViews(views: AiViews): AiViews {
  const { carriers, frameworks } = views
  sourced(carriers)
  unique(
    'carriers',
    carriers.rows.map(({ id }) => id),
  )
  for (const { title, answers, requests } of carriers.rows) known(title, Object.values(answers).flat(), requests)
  unique(
    'views',
    frameworks.map(({ id }) => id),
  )
  for (const view of frameworks) {
    sourced(view)
    unique(
      view.id,
      view.rows.map(({ id }) => id),
    )
    for (const { id, checks, requests } of view.rows) known(`${view.id} ${id}`, checks, requests)
  }
  return views
}

function sourced({ title, sources, notShown }: ViewSource): void {
  if (sources.length === 0 || notShown === '') throw new Error(`${title}: no source or no limit`)
}
