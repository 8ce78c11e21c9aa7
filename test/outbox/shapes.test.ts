import { describe, expect, test } from 'vitest'
import type { Json } from '../../main/core/base/canonical-json.ts'
import type { Exchange, Request } from '../../main/core/outbox/exchange.ts'
import type { FindingItem } from '../../main/core/outbox/item.ts'
import {
  cisoAssistantEvidence,
  cisoAssistantExchange,
  drataEvidence,
  drataExchange,
  statementFile,
  vantaExchange,
} from '../../main/present/outbox/evidence.ts'
import { jiraExchange, jiraIssue, serviceNowExchange, serviceNowRecord } from '../../main/present/outbox/issues.ts'
import { slackBody, teamsBody, webhookBody } from '../../main/present/outbox/messages.ts'
import { otelExchange, otelLogs } from '../../main/present/outbox/otel.ts'
import { headline, LIMITATION, linesOf } from '../../main/present/outbox/text.ts'
import { FINDING, FINDING_KEY, PACK, PACK_KEY } from '../support/outbox-items.ts'

/** Answers the requests of an exchange in order; the answers of a dry run where none are given. */
function walk(exchange: Exchange, answers: readonly unknown[] = []) {
  const requests: Request[] = []
  for (let step = exchange.next(); ; ) {
    if (step.done === true) return { requests, outcome: step.value }
    requests.push(step.value)
    const given = answers[requests.length - 1]
    step = exchange.next({ status: 200, value: given === undefined ? step.value.assumed : given })
  }
}
const wordsOf = ({ requests }: ReturnType<typeof walk>): readonly string[] =>
  requests.map(({ method, path }) => `${method} ${path}`)

const SHA = 'ab'.repeat(32)
const COLLECTED = '2026-11-28T05:25:54.977Z to 2026-11-28T05:26:10.000Z'
const SOURCE_FACTS: readonly (readonly [string, string])[] = [
  ['Evidence collected', COLLECTED],
  ['Evaluation date', '2026-11-28T06:00:00.000Z'],
  ['Run', '20261128t0525z-cbff'],
  ['Evidence pack', '20261128t0525z-cbff.barewitness.zip'],
  ['SHA-256 of the pack', SHA],
]
const FINDING_FACTS: readonly (readonly [string, string])[] = [
  ['Condition found', 'Accounts <!channel> & others are active'],
  ['Severity', 'Critical'],
  ['Status', 'Open'],
  ['Due', '2026-12-15'],
  ['Deviations', '2 of 5 nodes tested: gpu-01, gpu-02'],
  ['Inconclusive', 'gpu-03'],
  ['Not tested', 'gpu-04'],
  ['Expected condition', 'Every account is on the roster.'],
  ['Controls', 'HIPAA 164.312(a)(1), SOC 2 CC6.1'],
  ['Check', 'tenancy.user-census'],
  ...SOURCE_FACTS,
  ['Key', FINDING_KEY],
]
const PACK_FACTS: readonly (readonly [string, string])[] = [
  ['Fleet', 'clinic-prod'],
  ['Nodes tested', '5 of 6'],
  ['Findings', '3 findings (1 critical and 2 moderate)'],
  ['F-20BF8C Critical', 'Accounts that are not on the roster'],
  [
    'Check results',
    '200 satisfied, 12 not satisfied, 7 inconclusive, 40 not tested, 9 not applicable or informational',
  ],
  ['Documents', '12 of 41 outstanding, 3 overdue'],
  ...SOURCE_FACTS,
  ['Key', PACK_KEY],
]
const asLines = (facts: readonly (readonly [string, string])[]): readonly string[] => [
  ...facts.map(([label, value]) => `${label}: ${value}`),
  LIMITATION,
]
const TITLE = 'F-20BF8C Critical: Accounts <!channel> & others are active'
const PACK_TITLE = 'clinic-prod: 3 findings (1 critical and 2 moderate) in the evidence pack of 2026-11-28'

describe('text', () => {
  test('facts of a finding and of a pack', () => {
    expect(linesOf(FINDING)).toEqual(asLines(FINDING_FACTS))
    expect(linesOf(PACK)).toEqual(asLines(PACK_FACTS))
  })

  test('demo data is named first, and in the title', () => {
    const demo = { ...FINDING, demo: true }
    expect(headline(demo)).toBe(`[Demo data] ${TITLE}`)
    expect(linesOf(demo)[0]).toMatch(/^Demo data: Not evidence/)
  })

  test('a title keeps to its limit, and evidence without a date is named so', () => {
    expect(headline({ ...FINDING, title: 'x'.repeat(500) }, 100)).toHaveLength(100)
    expect(linesOf({ ...PACK, evidence: null })).toContain('Evidence collected: date not known')
  })

  test('a finding that this pack does not have is reported, with what is missing', () => {
    const undetermined = { ...FINDING, outcome: 'undetermined', nodes: [], deviations: 0, tested: 3 } as const
    expect(headline(undetermined)).toBe('F-20BF8C Undetermined: Accounts <!channel> & others are active')
    const lines = linesOf(undetermined)
    expect(lines).toContain('Condition in an earlier pack: Accounts <!channel> & others are active')
    expect(lines).toContain('Missing evidence: This pack does not show whether the condition is remedied.')
    expect(lines).toContain('Deviations: 0 of 3 nodes tested')
    expect(headline({ ...undetermined, outcome: 'none' })).toMatch(/^F-20BF8C No deviation: /)
  })

  test('rows of an inventory are counted', () => {
    expect(linesOf({ ...FINDING, what: 'inventory', nodes: [] })).toContain(
      'Deviations: 2 of 5 rows of the provider inventory',
    )
  })
})

describe('bodies', () => {
  test('a webhook gets the item', () => {
    expect(webhookBody(FINDING)).toEqual(FINDING)
  })

  test('Slack', () => {
    const text = (value: string): Json => ({ type: 'plain_text', text: value, emoji: false })
    expect(slackBody(FINDING)).toEqual({
      text: 'F-20BF8C Critical: Accounts &lt;!channel&gt; &amp; others are active',
      blocks: [
        { type: 'header', text: text(TITLE) },
        { type: 'section', text: text(FINDING_FACTS.map(([label, value]) => `${label}: ${value}`).join('\n')) },
        { type: 'context', elements: [text(LIMITATION)] },
      ],
    })
  })

  test('blocks of Slack keep to their limits', () => {
    const long = {
      ...FINDING,
      title: 'x'.repeat(200),
      expected: 'y'.repeat(1000),
      controls: Array(80).fill('z'.repeat(90)),
    }
    const nodes = Array.from({ length: 100 }, (_, at) => `${at}`.padStart(120, 'n'))
    const { blocks } = slackBody({ ...long, nodes, inconclusive: nodes, notTested: nodes }) as unknown as {
      blocks: readonly { readonly type: string; readonly text?: { readonly text: string } }[]
    }
    expect(blocks.length).toBeLessThanOrEqual(50)
    for (const { type, text } of blocks)
      expect(text?.text.length ?? 0, type).toBeLessThanOrEqual(type === 'header' ? 150 : 3000)
  })

  test('Teams', () => {
    expect(teamsBody(PACK)).toEqual({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.2',
            body: [
              { type: 'TextBlock', text: PACK_TITLE, weight: 'Bolder', wrap: true },
              { type: 'FactSet', facts: PACK_FACTS.map(([title, value]) => ({ title, value })) },
              { type: 'TextBlock', text: LIMITATION, isSubtle: true, wrap: true },
            ],
          },
        },
      ],
    })
  })

  test('Jira', () => {
    expect(jiraIssue(FINDING, { project: 'SEC', issueType: 'Task' })).toEqual({
      fields: {
        project: { key: 'SEC' },
        issuetype: { name: 'Task' },
        labels: ['barewitness', FINDING_KEY],
        summary: TITLE,
        description: {
          type: 'doc',
          version: 1,
          content: [
            {
              type: 'bulletList',
              content: FINDING_FACTS.map(([label, value]) => ({
                type: 'listItem',
                content: [
                  {
                    type: 'paragraph',
                    content: [
                      { type: 'text', text: `${label}: `, marks: [{ type: 'strong' }] },
                      { type: 'text', text: value },
                    ],
                  },
                ],
              })),
            },
            { type: 'paragraph', content: [{ type: 'text', text: LIMITATION }] },
          ],
        },
      },
    })
  })

  test('ServiceNow', () => {
    expect(serviceNowRecord(FINDING)).toEqual({
      short_description: TITLE,
      description: asLines(FINDING_FACTS).join('\n'),
      urgency: '1',
      impact: '1',
      correlation_id: FINDING_KEY,
      correlation_display: 'Barewitness',
    })
  })

  test('CISO Assistant', () => {
    const domain = '0b6c5d7e-0000-4000-8000-000000000001'
    expect(cisoAssistantEvidence(PACK, { domain, appliedControls: [] })).toEqual({
      name: `${PACK_TITLE} (${PACK_KEY})`,
      description: asLines(PACK_FACTS).join('\n'),
      folder: domain,
      applied_controls: [],
      requirement_assessments: [],
    })
    const long = { ...PACK, fleet: 'f'.repeat(300) }
    expect(String(cisoAssistantEvidence(long, { domain, appliedControls: [] }).name).length).toBeLessThanOrEqual(200)
  })

  test('Drata, with the day of the evidence', () => {
    expect(drataEvidence(PACK, { workspace: 1, controls: [7] }, '123/evidence-library/file.txt')).toEqual({
      name: `${PACK_KEY} ${PACK_TITLE}`,
      description: asLines(PACK_FACTS).join('\n'),
      artifacts: [
        {
          type: 'S3_FILE',
          artifactName: `barewitness-${PACK_KEY}.txt`,
          fileKey: '123/evidence-library/file.txt',
          filedAt: '2026-11-28',
        },
      ],
      controlIds: [7],
    })
  })

  test('the uploaded statement', () => {
    expect(statementFile(PACK)).toEqual({
      field: 'file',
      fileName: `barewitness-${PACK_KEY}.txt`,
      type: 'text/plain',
      text: `${PACK_TITLE}\n\n${asLines(PACK_FACTS).join('\n')}\n`,
    })
  })

  test('OpenTelemetry logs: 64-bit numbers are strings', () => {
    const text = (key: string, stringValue: string): Json => ({ key, value: { stringValue } })
    const list = (key: string, all: readonly string[]): Json => ({
      key,
      value: { arrayValue: { values: all.map((stringValue) => ({ stringValue })) } },
    })
    expect(otelLogs(FINDING, '1.2.3')).toEqual({
      resourceLogs: [
        {
          resource: { attributes: [text('service.name', 'barewitness'), text('service.version', '1.2.3')] },
          scopeLogs: [
            {
              scope: { name: 'barewitness.outbox', version: '1.2.3' },
              logRecords: [
                {
                  timeUnixNano: '1795843570000000000',
                  observedTimeUnixNano: '1795845600000000000',
                  severityNumber: 17,
                  severityText: 'ERROR',
                  body: { stringValue: [TITLE, ...asLines(FINDING_FACTS)].join('\n') },
                  attributes: [
                    text('barewitness.key', FINDING_KEY),
                    text('barewitness.kind', 'finding'),
                    text('barewitness.fleet', 'clinic-prod'),
                    text('barewitness.run', '20261128t0525z-cbff'),
                    text('barewitness.pack.name', '20261128t0525z-cbff.barewitness.zip'),
                    text('barewitness.pack.sha256', SHA),
                    text('barewitness.evidence.from', '2026-11-28T05:25:54.977Z'),
                    text('barewitness.evidence.to', '2026-11-28T05:26:10.000Z'),
                    { key: 'barewitness.demo', value: { boolValue: false } },
                    text('barewitness.finding', 'F-20BF8C'),
                    text('barewitness.check', 'tenancy.user-census'),
                    text('barewitness.severity', 'critical'),
                    text('barewitness.outcome', 'deviations'),
                    list('barewitness.nodes', ['gpu-01', 'gpu-02']),
                    { key: 'barewitness.deviations', value: { intValue: '2' } },
                    { key: 'barewitness.tested', value: { intValue: '5' } },
                    list('barewitness.inconclusive', ['gpu-03']),
                    list('barewitness.not_tested', ['gpu-04']),
                  ],
                },
              ],
            },
          ],
        },
      ],
    })
  })
})

test.each<[FindingItem['outcome'], FindingItem['severity'], number]>([
  ['deviations', 'low', 9],
  ['deviations', 'medium', 13],
  ['deviations', 'critical', 17],
  ['undetermined', 'critical', 13],
  ['none', 'critical', 9],
])('the log record of a finding with %s, severity %s: number %i', (outcome, severity, number) => {
  expect(JSON.stringify(otelLogs({ ...FINDING, outcome, severity }, '1'))).toContain(`"severityNumber":${number},`)
})

describe('exchanges', () => {
  const JIRA = { project: 'SEC', issueType: 'Task' }

  test('Jira: searches by the label, then creates', () => {
    const walked = walk(jiraExchange(FINDING, JIRA, null))
    expect(wordsOf(walked)).toEqual(['POST /rest/api/3/search/jql', 'POST /rest/api/3/issue'])
    expect(walked.requests[0]?.body).toEqual({
      is: 'json',
      value: {
        jql: `project = "SEC" AND labels = "${FINDING_KEY}" ORDER BY created ASC`,
        maxResults: 2,
        fields: ['labels'],
      },
    })
    expect(walked.outcome).toEqual({ ok: true, value: 'SEC-1' })
  })

  test('Jira: updates one that is there, and one that is known without a search', () => {
    const there = walk(jiraExchange(FINDING, JIRA, null), [{ issues: [{ key: 'SEC-7' }] }])
    expect(wordsOf(there)).toEqual(['POST /rest/api/3/search/jql', 'PUT /rest/api/3/issue/SEC-7'])
    expect(wordsOf(walk(jiraExchange(FINDING, JIRA, 'SEC-8')))).toEqual(['PUT /rest/api/3/issue/SEC-8'])
  })

  test('ServiceNow: looks up the correlation ID, creates, then updates texts only', () => {
    const made = walk(serviceNowExchange(FINDING, 'incident', null), [undefined, { result: { sys_id: 'a1' } }])
    expect(wordsOf(made)).toEqual([
      `GET /api/now/table/incident?sysparm_query=correlation_id%3D${FINDING_KEY}%5EORDERBYsys_created_on&sysparm_fields=sys_id&sysparm_limit=1`,
      'POST /api/now/table/incident',
    ])
    expect(made.outcome).toEqual({ ok: true, value: 'a1' })
    const updated = walk(serviceNowExchange(FINDING, 'incident', 'a1'))
    expect(wordsOf(updated)).toEqual(['PATCH /api/now/table/incident/a1'])
    expect(updated.requests[0]?.body).toEqual({
      is: 'json',
      value: { short_description: TITLE, description: asLines(FINDING_FACTS).join('\n') },
    })
  })

  test.each<[string, Exchange, readonly string[], readonly string[], unknown]>([
    [
      'CISO Assistant',
      cisoAssistantExchange(PACK, { domain: 'f', appliedControls: [] }),
      [`GET /api/evidences/?search=${PACK_KEY}`, 'POST /api/evidences/'],
      [],
      undefined,
    ],
    [
      'Vanta',
      vantaExchange(PACK, 'access-reviews'),
      ['GET /v1/documents/access-reviews/uploads?pageSize=100', 'POST /v1/documents/access-reviews/uploads'],
      [],
      undefined,
    ],
    [
      'Drata',
      drataExchange(PACK, { workspace: 3, controls: [] }),
      [
        `GET /public/v2/workspaces/3/evidence?name=${PACK_KEY}`,
        'POST /public/v2/workspaces/3/evidence-files',
        'POST /public/v2/workspaces/3/evidence',
      ],
      [],
      undefined,
    ],
  ])('%s: creates what is not there', (_, exchange, expected) => {
    const walked = walk(exchange)
    expect(wordsOf(walked)).toEqual(expected)
    expect(walked.outcome.ok).toBe(true)
  })

  test.each<[string, Exchange, unknown, string]>([
    [
      'CISO Assistant',
      cisoAssistantExchange(PACK, { domain: 'f', appliedControls: [] }),
      {
        results: [
          { id: 'other', name: 'x' },
          { id: 'e-1', name: `x (${PACK_KEY})` },
        ],
      },
      'e-1',
    ],
    [
      'Vanta',
      vantaExchange(PACK, 'd'),
      { results: { data: [{ id: '5', fileName: `barewitness-${PACK_KEY}.txt` }] } },
      '5',
    ],
    [
      'Drata',
      drataExchange(PACK, { workspace: 3, controls: [] }),
      { data: [{ id: 9, name: `${PACK_KEY} x` }], pagination: { cursor: null } },
      '9',
    ],
  ])('%s: does nothing where the pack is there', (_, exchange, found, name) => {
    const walked = walk(exchange, [found])
    expect(walked.requests).toHaveLength(1)
    expect(walked.outcome).toEqual({ ok: true, value: name })
  })

  test('Vanta: reads further pages before it uploads', () => {
    const page = (endCursor: string | null, hasNextPage: boolean, data: readonly object[] = []): object => ({
      results: { data, pageInfo: { endCursor, hasNextPage } },
    })
    const walked = walk(vantaExchange(PACK, 'd'), [page('a b', true), page('c/d', true)])
    expect(walked.outcome).toMatchObject({ error: { code: 'delivery.failed' } })
    const paged = walk(vantaExchange(PACK, 'd'), [
      page('c/d', true),
      page(null, false, [{ id: '5', fileName: `barewitness-${PACK_KEY}.txt` }]),
    ])
    expect(wordsOf(paged)[1]).toBe('GET /v1/documents/d/uploads?pageSize=100&pageCursor=c%2Fd')
    expect(paged.outcome).toEqual({ ok: true, value: '5' })
  })

  test.each<[string, Exchange, readonly unknown[]]>([
    ['Jira, no list', jiraExchange(FINDING, JIRA, null), [{ issues: 'many' }]],
    ['Jira, a key with a path', jiraExchange(FINDING, JIRA, null), [{ issues: [{ key: '../../x' }] }]],
    ['Jira, no key', jiraExchange(FINDING, JIRA, null), [undefined, { id: {} }]],
    ['ServiceNow, no list', serviceNowExchange(FINDING, 'incident', null), [null]],
    ['ServiceNow, no id', serviceNowExchange(FINDING, 'incident', null), [undefined, { result: null }]],
    ['CISO Assistant, no list', cisoAssistantExchange(PACK, { domain: 'f', appliedControls: [] }), ['<html>']],
    ['Vanta, no list', vantaExchange(PACK, 'd'), [{ results: [] }]],
    ['Drata, no file key', drataExchange(PACK, { workspace: 3, controls: [] }), [undefined, {}]],
    [
      'Drata, a file key in two lines',
      drataExchange(PACK, { workspace: 3, controls: [] }),
      [undefined, { fileKey: 'a\nb' }],
    ],
    ['OpenTelemetry, rejected', otelExchange(FINDING, '1'), [{ partialSuccess: { rejectedLogRecords: '1' } }]],
    [
      'OpenTelemetry, a count that is none',
      otelExchange(FINDING, '1'),
      [{ partialSuccess: { rejectedLogRecords: 'x' } }],
    ],
  ])('%s: delivery.failed', (_, exchange, answers) => {
    expect(walk(exchange, answers).outcome).toMatchObject({ ok: false, error: { code: 'delivery.failed' } })
  })

  test('OpenTelemetry: an empty answer and one without rejections are deliveries', () => {
    for (const answer of [null, {}, { partialSuccess: {} }, { partialSuccess: { rejectedLogRecords: '0' } }])
      expect(walk(otelExchange(PACK, '1'), [answer]).outcome.ok).toBe(true)
  })
})
