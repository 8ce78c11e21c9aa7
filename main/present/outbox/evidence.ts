import type { Json } from '../../core/base/canonical-json.ts'
import type { Outcome } from '../../core/base/failure.ts'
import { type Exchange, type FilePart, json, listIn, memberOf, nameIn } from '../../core/outbox/exchange.ts'
import type { PackItem } from '../../core/outbox/item.ts'
import { headline, linesOf } from './text.ts'

/** A statement of what a pack shows, in counts: the file that is uploaded as evidence. The pack itself stays with its owner. */
export const statementFile = (item: PackItem): FilePart => ({
  field: 'file',
  fileName: `barewitness-${item.key}.txt`,
  type: 'text/plain',
  text: `${[headline(item), '', ...linesOf(item)].join('\n')}\n`,
})

/** Day of the evidence, YYYY-MM-DD: its last collection, or the evaluation date where no collection has a date. */
const dayOf = ({ evidence, asOf }: PackItem): string => (evidence?.to ?? asOf).slice(0, 10)

interface CisoAssistantDomain {
  /** UUID; in the API, a domain is a folder. */
  readonly domain: string
  /** UUIDs of applied controls to which the evidence is attached. */
  readonly appliedControls: readonly string[]
}

const nameWithKey = (item: PackItem, most: number): string =>
  `${headline(item, most - item.key.length - 3)} (${item.key})`

/** An evidence of CISO Assistant. Its name contains the key of the item. */
export const cisoAssistantEvidence = (
  item: PackItem,
  { domain, appliedControls }: CisoAssistantDomain,
): { readonly [name: string]: Json } => ({
  name: nameWithKey(item, 200),
  description: linesOf(item).join('\n'),
  folder: domain,
  applied_controls: appliedControls,
  requirement_assessments: [],
})

/** Creates the evidence of a pack unless an evidence exists whose name contains its key. */
export function* cisoAssistantExchange(item: PackItem, to: CisoAssistantDomain): Exchange {
  const path = '/api/evidences/'
  const found = yield { method: 'GET', path: `${path}?search=${item.key}`, body: null, assumed: { results: [] } }
  const there = idIn(listIn(found.value, 'results'), 'name', item.key, 'results.id')
  if (there !== null) return there
  const body = json(cisoAssistantEvidence(item, to))
  const made = yield { method: 'POST', path, body, assumed: { id: '0' } }
  return nameIn(memberOf(made.value, 'id'), 'id')
}

/** The ID of the first member of a list whose text contains a part; null where none does. Fails where the list or that ID cannot be read. */
function idIn(list: Outcome<readonly unknown[]>, name: string, part: string, path: string): Outcome<string> | null {
  if (!list.ok) return list
  const found = list.value.find((one) => {
    const text = memberOf(one, name)
    return typeof text === 'string' && text.includes(part)
  })
  return found === undefined ? null : nameIn(memberOf(found, 'id'), path)
}

const MOST_PAGES = 50
const CURSOR = /^[\x21-\x7e]{1,500}$/

/** Uploads the statement of a pack to a document of Vanta unless it already has a file of that name. */
export function* vantaExchange(item: PackItem, document: string): Exchange {
  const path = `/v1/documents/${document}/uploads`
  const file = statementFile(item)
  let cursor = ''
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const found = yield {
      method: 'GET',
      path: `${path}?pageSize=100${cursor === '' ? '' : `&pageCursor=${encodeURIComponent(cursor)}`}`,
      body: null,
      assumed: { results: { data: [], pageInfo: { hasNextPage: false } } },
    }
    const there = idIn(listIn(found.value, 'results', 'data'), 'fileName', file.fileName, 'results.data.id')
    if (there !== null) return there
    const next = memberOf(found.value, 'results', 'pageInfo', 'endCursor')
    if (memberOf(found.value, 'results', 'pageInfo', 'hasNextPage') !== true) break
    // If a further page cannot be requested, a file on it could be uploaded twice.
    if (typeof next !== 'string' || !CURSOR.test(next)) return nameIn(null, 'results.pageInfo.endCursor')
    cursor = next
  }
  const fields = { effectiveAtDate: `${dayOf(item)}T00:00:00.000Z`, description: headline(item) }
  const made = yield { method: 'POST', path, body: { is: 'parts', fields, file }, assumed: { id: '0' } }
  return nameIn(memberOf(made.value, 'id'), 'id')
}

interface DrataWorkspace {
  readonly workspace: number
  /** IDs of controls to which the evidence is attached. */
  readonly controls: readonly number[]
}

/** An evidence item of Drata with one uploaded file. Its name begins with the key of the item, since a search by name compares beginnings. */
export const drataEvidence = (
  item: PackItem,
  { controls }: DrataWorkspace,
  fileKey: string,
): { readonly [name: string]: Json } => ({
  name: `${item.key} ${headline(item, 140)}`,
  description: linesOf(item).join('\n'),
  artifacts: [{ type: 'S3_FILE', artifactName: statementFile(item).fileName, fileKey, filedAt: dayOf(item) }],
  ...(controls.length === 0 ? {} : { controlIds: controls }),
})

/** Format of a file key as documented by Drata: at most 191 characters. */
const FILE_KEY = /^[\x20-\x7e]{1,191}$/

/** Creates the evidence item of a pack unless an item exists whose name contains its key. */
export function* drataExchange(item: PackItem, to: DrataWorkspace): Exchange {
  const workspace = `/public/v2/workspaces/${to.workspace}`
  const items = [workspace, 'evidence'].join('/')
  const found = yield {
    method: 'GET',
    path: `${items}?name=${item.key}`,
    body: null,
    assumed: { data: [], pagination: { cursor: null } },
  }
  const there = idIn(listIn(found.value, 'data'), 'name', item.key, 'data.id')
  if (there !== null) return there
  const uploaded = yield {
    method: 'POST',
    path: `${workspace}/evidence-files`,
    body: { is: 'parts', fields: {}, file: statementFile(item) },
    assumed: { fileKey: '(as Drata answers)' },
  }
  const fileKey = memberOf(uploaded.value, 'fileKey')
  if (typeof fileKey !== 'string' || !FILE_KEY.test(fileKey)) return nameIn(null, 'fileKey')
  const body = json(drataEvidence(item, to, fileKey))
  const made = yield { method: 'POST', path: items, body, assumed: { id: 0 } }
  return nameIn(memberOf(made.value, 'id'), 'id')
}
