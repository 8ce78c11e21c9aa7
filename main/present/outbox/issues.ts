import type { Json } from '../../core/base/canonical-json.ts'
import { ok } from '../../core/base/failure.ts'
import { type Exchange, json, listIn, memberOf, nameIn } from '../../core/outbox/exchange.ts'
import type { FindingItem } from '../../core/outbox/item.ts'
import { SERVICE_NOW_PRIORITY } from '../formats/grids/tickets.ts'
import { factsOf, headline, LIMITATION, linesOf } from './text.ts'

interface JiraProject {
  readonly project: string
  readonly issueType: string
}

/** Fields of an issue of Jira Cloud (REST API, version 3) that follow the finding. */
const jiraFields = (item: FindingItem): { readonly [name: string]: Json } => ({
  summary: headline(item),
  description: documentOf(item),
})

/** A document in the Atlassian Document Format, version 1. */
const documentOf = (item: FindingItem): Json => ({
  type: 'doc',
  version: 1,
  content: [
    {
      type: 'bulletList',
      content: factsOf(item).map(([label, value]) => ({
        type: 'listItem',
        content: [
          {
            type: 'paragraph',
            content: [
              { type: 'text', text: `${label}: `, marks: [{ type: 'strong' }] },
              // A text node must not be empty.
              { type: 'text', text: value === '' ? '–' : value },
            ],
          },
        ],
      })),
    },
    { type: 'paragraph', content: [{ type: 'text', text: LIMITATION }] },
  ],
})

/** A new issue. Its label is the key of the item, by which it is found again. */
export const jiraIssue = (item: FindingItem, { project, issueType }: JiraProject): Json => ({
  fields: {
    project: { key: project },
    issuetype: { name: issueType },
    labels: ['barewitness', item.key],
    ...jiraFields(item),
  },
})

/**
 * Creates or updates an issue. `known` is the issue that an earlier delivery made. Without it, the label is searched for, so that an issue
 * whose answer was lost is not made twice. Several issues with the label: the first is updated.
 */
export function* jiraExchange(item: FindingItem, to: JiraProject, known: string | null): Exchange {
  let issue = known
  if (issue === null) {
    const jql = `project = "${to.project}" AND labels = "${item.key}" ORDER BY created ASC`
    const found = yield {
      method: 'POST',
      path: '/rest/api/3/search/jql',
      body: json({ jql, maxResults: 2, fields: ['labels'] }),
      assumed: { issues: [] },
    }
    const issues = listIn(found.value, 'issues')
    if (!issues.ok) return issues
    const [first] = issues.value
    if (first !== undefined) {
      const key = nameIn(memberOf(first, 'key'), 'issues.key')
      if (!key.ok) return key
      issue = key.value
    }
  }
  if (issue === null) {
    const made = yield {
      method: 'POST',
      path: '/rest/api/3/issue',
      body: json(jiraIssue(item, to)),
      assumed: { key: `${to.project}-1` },
    }
    return nameIn(memberOf(made.value, 'key'), 'key')
  }
  yield { method: 'PUT', path: `/rest/api/3/issue/${issue}`, body: json({ fields: jiraFields(item) }), assumed: null }
  return ok(issue)
}

/** A record of ServiceNow (Table API). It is found again by its correlation ID. */
export function serviceNowRecord(item: FindingItem): { readonly [name: string]: Json } {
  const [, urgency, impact] = SERVICE_NOW_PRIORITY[item.severity]
  return {
    short_description: headline(item),
    description: linesOf(item).join('\n'),
    urgency: String(urgency),
    impact: String(impact),
    correlation_id: item.key,
    correlation_display: 'Barewitness',
  }
}

/** Creates or updates a record of a table, as jiraExchange() does an issue. */
export function* serviceNowExchange(item: FindingItem, table: string, known: string | null): Exchange {
  const path = `/api/now/table/${table}`
  const headers = { accept: 'application/json' }
  let record = known
  if (record === null) {
    const query = new URLSearchParams({
      sysparm_query: `correlation_id=${item.key}^ORDERBYsys_created_on`,
      sysparm_fields: 'sys_id',
      sysparm_limit: '1',
    })
    const found = yield { method: 'GET', path: `${path}?${query}`, headers, body: null, assumed: { result: [] } }
    const records = listIn(found.value, 'result')
    if (!records.ok) return records
    const [first] = records.value
    if (first !== undefined) {
      const id = nameIn(memberOf(first, 'sys_id'), 'result.sys_id')
      if (!id.ok) return id
      record = id.value
    }
  }
  if (record === null) {
    const body = json(serviceNowRecord(item))
    const made = yield { method: 'POST', path, headers, body, assumed: { result: { sys_id: '0' } } }
    return nameIn(memberOf(made.value, 'result', 'sys_id'), 'result.sys_id')
  }
  // The state and the priority of a record that people work on are left to them.
  const { short_description = '', description = '' } = serviceNowRecord(item)
  const body = json({ short_description, description })
  yield { method: 'PATCH', path: `${path}/${record}`, headers, body, assumed: null }
  return ok(record)
}
