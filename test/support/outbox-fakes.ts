import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as a fake received it. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** What a fault does to a request: an answer in place of the real one, no answer, or the work done and its answer lost. */
export type Fault =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | 'dropped'
  | 'lost'

interface Reply {
  readonly status: number
  readonly value?: unknown
  readonly text?: string
}

type Fake = (request: Received, query: URLSearchParams) => Reply | Promise<Reply>

export const TOKENS = {
  jira: 'jira-canary-5f1d',
  serviceNow: 'servicenow-canary-88aa',
  cisoAssistant: 'ciso-canary-19bc',
  vanta: 'vanta-canary-77de',
  drata: 'drata-canary-0e42',
  openTelemetry: 'otel-canary-3c3c',
  slack: 'slack-canary-T0B0',
  teams: 'teams-canary-9d9d',
  webhook: 'webhook-canary-4b4b',
} as const
export const USER = 'audit@example.com'
export const DOMAIN = '0b6c5d7e-0000-4000-8000-000000000001'

const basic = (token: string): string => `Basic ${Buffer.from(`${USER}:${token}`).toString('base64')}`
const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= most
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function jsonIn({ headers, body }: Received): Readonly<Record<string, unknown>> | null {
  if (headers['content-type'] !== 'application/json') return null
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** Fields and file of a form (RFC 7578); null where it is none. */
async function formIn({ headers, body }: Received): Promise<FormData | null> {
  const type = headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data; boundary=')) return null
  return await new Response(body, { headers: { 'content-type': type } }).formData().catch(() => null)
}

const BAD: Reply = { status: 400, value: { message: 'refused by the fake' } }
const UNAUTHORIZED: Reply = { status: 401, value: {} }

export interface JiraIssue {
  readonly key: string
  labels: readonly string[]
  summary: string
  description: unknown
  isVisible: boolean
}

/** An Atlassian document: nodes have a type, and texts are not empty. */
const isAdf = (value: unknown): boolean => {
  if (!isObject(value) || value.type !== 'doc' || value.version !== 1) return false
  const isNode = (node: unknown): boolean => {
    if (!isObject(node) || typeof node.type !== 'string') return false
    if (node.type === 'text') return isText(node.text, 32_767)
    return Array.isArray(node.content) && node.content.length > 0 && node.content.every(isNode)
  }
  return Array.isArray(value.content) && value.content.every(isNode)
}

/** Jira Cloud, REST API version 3: search by JQL, create and edit of issues. */
function jira(issues: JiraIssue[]): Fake {
  return (request) => {
    if (request.headers.authorization !== basic(TOKENS.jira)) return UNAUTHORIZED
    const body = jsonIn(request)
    if (body === null) return BAD
    const { method, path } = request
    if (method === 'POST' && path === '/rest/api/3/search/jql') {
      const label = /^project = "SEC" AND labels = "([^"\s]+)" ORDER BY created ASC$/.exec(String(body.jql))?.[1]
      if (label === undefined || !Array.isArray(body.fields)) return BAD
      const found = issues.filter(({ labels, isVisible }) => isVisible && labels.includes(label))
      return {
        status: 200,
        value: { issues: found.map(({ key, labels }) => ({ id: '1', key, fields: { labels } })), isLast: true },
      }
    }
    const fields = isObject(body.fields) ? body.fields : {}
    if (!isText(fields.summary, 255) || fields.summary.includes('\n') || !isAdf(fields.description)) return BAD
    if (method === 'POST' && path === '/rest/api/3/issue') {
      const { project, issuetype, labels } = fields
      const areLabels = Array.isArray(labels) && labels.every((one) => isText(one, 255) && !/\s/.test(one))
      if (
        !isObject(project) ||
        project.key !== 'SEC' ||
        !isObject(issuetype) ||
        issuetype.name !== 'Task' ||
        !areLabels
      )
        return BAD
      const key = `SEC-${issues.length + 1}`
      issues.push({
        key,
        labels: labels as string[],
        summary: fields.summary,
        description: fields.description,
        isVisible: true,
      })
      return { status: 201, value: { id: `${10_000 + issues.length}`, key, self: `https://example.invalid/${key}` } }
    }
    const key = /^\/rest\/api\/3\/issue\/(SEC-\d+)$/.exec(path)?.[1]
    const issue = issues.find((one) => one.key === key && one.isVisible)
    if (method !== 'PUT' || issue === undefined) return { status: 404, value: {} }
    Object.assign(issue, { summary: fields.summary, description: fields.description })
    return { status: 204 }
  }
}

export interface ServiceNowRecord {
  readonly sys_id: string
  readonly correlation_id: string
  short_description: string
  description: string
}

/** ServiceNow Table API over the table incident. Unknown fields are ignored there; the fake refuses them. */
function serviceNow(records: ServiceNowRecord[]): Fake {
  const TABLE = '/api/now/table/incident'
  const FIELDS = ['short_description', 'description', 'urgency', 'impact', 'correlation_id', 'correlation_display']
  return (request, query) => {
    if (request.headers.authorization !== basic(TOKENS.serviceNow)) return UNAUTHORIZED
    if (request.headers.accept !== 'application/json') return { status: 406, value: {} }
    const { method, path } = request
    if (method === 'GET' && path === TABLE) {
      const id = /^correlation_id=([^^]+)\^ORDERBYsys_created_on$/.exec(query.get('sysparm_query') ?? '')?.[1]
      if (id === undefined) return BAD
      const found = records.filter(({ correlation_id }) => correlation_id === id)
      return { status: 200, value: { result: found.map(({ sys_id }) => ({ sys_id })).slice(0, 1) } }
    }
    const body = jsonIn(request)
    if (body === null || Object.keys(body).some((name) => !FIELDS.includes(name))) return BAD
    const { short_description, description, correlation_id } = body
    if (!isText(short_description, 160) || !isText(description, 4000)) return BAD
    if (method === 'POST' && path === TABLE) {
      if (!isText(correlation_id, 100) || !/^[1-3]$/.test(String(body.urgency)) || !/^[1-3]$/.test(String(body.impact)))
        return BAD
      const sys_id = randomUUID().replaceAll('-', '')
      records.push({ sys_id, correlation_id, short_description, description })
      return { status: 201, value: { result: { sys_id } } }
    }
    const record = records.find(({ sys_id }) => path === `${TABLE}/${sys_id}`)
    if (method !== 'PATCH' || record === undefined) return { status: 404, value: {} }
    Object.assign(record, { short_description, description })
    return { status: 200, value: { result: { sys_id: record.sys_id } } }
  }
}

/** CISO Assistant: list with a search in names, and create, of evidences. */
function cisoAssistant(evidences: { readonly id: string; readonly name: string }[]): Fake {
  return (request, query) => {
    if (request.headers.authorization !== `Token ${TOKENS.cisoAssistant}`) return UNAUTHORIZED
    if (request.path !== '/api/evidences/') return { status: 404, value: {} }
    if (request.method === 'GET') {
      const results = evidences.filter(({ name }) => name.includes(query.get('search') ?? ''))
      return { status: 200, value: { count: results.length, next: null, previous: null, results } }
    }
    const { name, description, folder, applied_controls, requirement_assessments } = jsonIn(request) ?? {}
    if (!isText(name, 200) || !isText(description, 100_000) || folder !== DOMAIN) return BAD
    if (!Array.isArray(applied_controls) || !Array.isArray(requirement_assessments)) return BAD
    const made = { id: randomUUID(), name }
    evidences.push(made)
    return { status: 201, value: made }
  }
}

export interface VantaUpload {
  readonly id: string
  readonly fileName: string
  readonly effectiveDate: string
  readonly text: string
}

/** Vanta: list and upload of the files of one document. */
function vanta(uploads: VantaUpload[]): Fake {
  return async (request) => {
    if (request.headers.authorization !== `Bearer ${TOKENS.vanta}`) return UNAUTHORIZED
    if (request.path !== '/v1/documents/access-reviews/uploads') return { status: 404, value: {} }
    if (request.method === 'GET') {
      const pageInfo = { startCursor: null, endCursor: null, hasNextPage: false, hasPreviousPage: false }
      return { status: 200, value: { results: { pageInfo, data: uploads } } }
    }
    const form = await formIn(request)
    const file = form?.get('file')
    const effectiveDate = form?.get('effectiveAtDate')
    if (!(file instanceof File) || typeof effectiveDate !== 'string' || Number.isNaN(Date.parse(effectiveDate)))
      return BAD
    const made = { id: `${uploads.length + 1}`, fileName: file.name, effectiveDate, text: await file.text() }
    uploads.push(made)
    return { status: 201, value: made }
  }
}

export interface DrataEvidence {
  readonly id: number
  readonly name: string
  readonly artifacts: readonly unknown[]
}

/** Drata, public API version 2: list with a beginning of the name, upload of a file, create of an evidence item. */
function drata(items: DrataEvidence[], files: Set<string>): Fake {
  const PATH = '/public/v2/workspaces/3'
  return async (request, query) => {
    if (request.headers.authorization !== `Bearer ${TOKENS.drata}`) return UNAUTHORIZED
    const { method, path } = request
    if (method === 'GET' && path === `${PATH}/evidence`) {
      const data = items.filter(({ name }) => name.startsWith(query.get('name') ?? ''))
      return { status: 200, value: { data, pagination: { cursor: null } } }
    }
    if (method === 'POST' && path === `${PATH}/evidence-files`) {
      const file = (await formIn(request))?.get('file')
      if (!(file instanceof File) || !/\.(pdf|txt|csv|json|md)$/.test(file.name)) return BAD
      const fileKey = `7/evidence-library/${randomUUID()}/${file.name}`
      files.add(fileKey)
      return { status: 201, value: { fileKey, originalFilename: file.name, mimeType: file.type, fileSize: file.size } }
    }
    if (method !== 'POST' || path !== `${PATH}/evidence`) return { status: 404, value: {} }
    const { name, description, artifacts } = jsonIn(request) ?? {}
    if (!isText(name, 191) || !isText(description, 30_000) || !Array.isArray(artifacts)) return BAD
    const isArtifact = (one: unknown): boolean =>
      isObject(one) &&
      one.type === 'S3_FILE' &&
      files.has(String(one.fileKey)) &&
      isText(one.artifactName, 191) &&
      /^\d{4}-\d\d-\d\d$/.test(String(one.filedAt))
    if (!artifacts.every(isArtifact)) return BAD
    const made = { id: items.length + 1, name, artifacts }
    items.push(made)
    return { status: 201, value: made }
  }
}

/** OTLP over HTTP: a request is counted by its log records. */
function openTelemetry(records: unknown[]): Fake {
  return (request) => {
    if (request.headers.authorization !== `Bearer ${TOKENS.openTelemetry}`) return UNAUTHORIZED
    if (request.method !== 'POST' || request.path !== '/v1/logs') return { status: 404, value: {} }
    const { resourceLogs } = jsonIn(request) ?? {}
    if (!Array.isArray(resourceLogs)) return BAD
    for (const { scopeLogs = [] } of resourceLogs as { scopeLogs?: { logRecords?: Record<string, unknown>[] }[] }[])
      for (const { logRecords = [] } of scopeLogs)
        for (const record of logRecords) {
          if (!/^\d{19}$/.test(String(record.timeUnixNano)) || typeof record.timeUnixNano !== 'string') return BAD
          if (typeof record.severityNumber !== 'number') return BAD
          records.push(record)
        }
    return { status: 200, value: {} }
  }
}

/** An incoming webhook of Slack. */
function slack(messages: unknown[]): Fake {
  return (request) => {
    if (request.path !== `/services/${TOKENS.slack}`) return { status: 404, text: 'no_service' }
    const body = jsonIn(request)
    if (body === null) return { status: 400, text: 'invalid_payload' }
    if (!isText(body.text, 40_000)) return { status: 400, text: 'no_text' }
    const blocks = Array.isArray(body.blocks) ? body.blocks : []
    const isBlock = (block: unknown): boolean => {
      if (!isObject(block)) return false
      const text = (one: unknown, most: number): boolean =>
        isObject(one) && one.type === 'plain_text' && isText(one.text, most)
      if (block.type === 'header') return text(block.text, 150)
      if (block.type === 'section') return text(block.text, 3000)
      return block.type === 'context' && Array.isArray(block.elements) && block.elements.every((one) => text(one, 3000))
    }
    if (blocks.length > 50 || !blocks.every(isBlock)) return { status: 400, text: 'invalid_blocks' }
    messages.push(body)
    return { status: 200, text: 'ok' }
  }
}

/** A Teams workflow that is started by a webhook. */
function teams(messages: unknown[]): Fake {
  return (request) => {
    if (request.path !== `/workflows/${TOKENS.teams}`) return { status: 401, value: {} }
    const { type, attachments } = jsonIn(request) ?? {}
    const [card] = Array.isArray(attachments) ? (attachments as unknown[]) : []
    if (type !== 'message' || !isObject(card) || card.contentType !== 'application/vnd.microsoft.card.adaptive')
      return BAD
    if (!isObject(card.content) || card.content.type !== 'AdaptiveCard' || !Array.isArray(card.content.body)) return BAD
    messages.push(card.content)
    return { status: 202 }
  }
}

/** A webhook of one’s own, which keeps what it receives by its key. */
function webhook(items: Map<string, unknown>): Fake {
  return (request) => {
    const key = request.headers['barewitness-delivery']
    const body = jsonIn(request)
    if (typeof key !== 'string' || body?.key !== key) return BAD
    if (!/^t=\d+,v1=[0-9a-f]{64}$/.test(String(request.headers['barewitness-signature']))) return UNAUTHORIZED
    items.set(key, body)
    return { status: 200, value: {} }
  }
}

export type FakeName = keyof typeof TOKENS

/**
 * Fakes of the foreign APIs on loopback, written from their documentation: each refuses what the documentation refuses, and keeps what it is
 * given. `faults` says what happens to a request in place of its normal answer; null is the normal answer.
 */
export async function startFakes() {
  const kept = {
    jira: [] as JiraIssue[],
    serviceNow: [] as ServiceNowRecord[],
    cisoAssistant: [] as { readonly id: string; readonly name: string }[],
    vanta: [] as VantaUpload[],
    drata: [] as DrataEvidence[],
    openTelemetry: [] as unknown[],
    slack: [] as unknown[],
    teams: [] as unknown[],
    webhook: new Map<string, unknown>(),
  }
  const fakes: Readonly<Record<FakeName, Fake>> = {
    jira: jira(kept.jira),
    serviceNow: serviceNow(kept.serviceNow),
    cisoAssistant: cisoAssistant(kept.cisoAssistant),
    vanta: vanta(kept.vanta),
    drata: drata(kept.drata, new Set()),
    openTelemetry: openTelemetry(kept.openTelemetry),
    slack: slack(kept.slack),
    teams: teams(kept.teams),
    webhook: webhook(kept.webhook),
  }
  const received: (Received & { readonly fake: FakeName; readonly status: number })[] = []
  const hooks: { faults: (fake: FakeName, request: Received) => Fault | null } = { faults: () => null }
  const server = createServer((message, response) => {
    const parts: Buffer[] = []
    message.on('data', (part: Buffer) => parts.push(part))
    message.on('error', () => undefined)
    message.on('end', async () => {
      const url = new URL(message.url ?? '/', 'http://fake')
      const [, name = '', ...rest] = url.pathname.split('/')
      const fake = name as FakeName
      const request: Received = {
        method: message.method ?? '',
        path: `/${rest.join('/')}`,
        headers: message.headers,
        body: Buffer.concat(parts).toString('utf8'),
      }
      const fault = hooks.faults(fake, request)
      if (fault === 'dropped') return message.socket.destroy()
      const reply: Reply & { headers?: Readonly<Record<string, string>> } =
        fault === null || fault === 'lost'
          ? await fakes[fake](request, url.searchParams)
          : {
              status: fault.status,
              text: fault.body ?? '',
              ...(fault.headers === undefined ? {} : { headers: fault.headers }),
            }
      received.push({ ...request, fake, status: reply.status })
      if (fault === 'lost') return message.socket.destroy()
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
      return response.end(reply.text ?? (reply.value === undefined ? '' : JSON.stringify(reply.value)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: (fake: FakeName): string => `${origin}/${fake}`,
    kept,
    received,
    hooks,
    close: (): Promise<void> => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

export type Fakes = Awaited<ReturnType<typeof startFakes>>
