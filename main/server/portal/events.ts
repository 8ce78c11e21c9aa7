import {
  type InvitationView,
  type PortalRequest,
  REQUEST_STATUSES,
  type RequestEntry,
  type SharedPack,
} from '../../../schemas/ipc-portal.ts'
import { canonicalJson } from '../../core/base/canonical-json.ts'
import { isDigest } from '../../core/run-chain/entry.ts'
import { emptyLog, type LogHead } from '../chained-log.ts'

/** Head of the empty portal file. It has the actions of officers and auditors of one engagement; each line is chained to the previous one. */
export const EMPTY_PORTAL: LogHead = emptyLog('barewitness.portal/1')

export interface Who {
  /** Subject of the ID token. */
  readonly subject: string
  readonly name: string
}

interface Shared extends Pick<SharedPack, 'id' | 'run' | 'note' | 'pack' | 'isCopy' | 'files' | 'to'> {
  readonly kind: 'shared'
}

interface Invited extends Pick<InvitationView, 'id' | 'label' | 'until' | 'linkUntil'> {
  readonly kind: 'invited'
  readonly tokenDigest: string
}

/** Recorded by the person who used the link. */
interface InvitationAccepted {
  readonly kind: 'invitation-accepted'
  readonly id: string
}

interface Ended {
  readonly kind: 'share-ended' | 'access-ended'
  readonly id: string
  readonly reason: string
}

interface Requested extends Pick<PortalRequest, 'id' | 'title' | 'text' | 'about' | 'due'> {
  readonly kind: 'requested'
}

interface RequestActed extends Omit<RequestEntry, 'at' | 'by'> {
  readonly kind: 'request-acted'
  readonly id: string
}

/** The content of one line of the file, without time and person. */
export type PortalStep = Shared | Invited | InvitationAccepted | Ended | Requested | RequestActed

export type PortalEvent = { readonly at: string; readonly by: Who } & PortalStep

type Shape = Readonly<Record<string, (value: unknown) => boolean>>

const isText = (value: unknown): boolean => typeof value === 'string'
const isFlag = (value: unknown): boolean => typeof value === 'boolean'
const isId = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{32}$/.test(value)
const isInstant = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value))
const isListOf = (isOne: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(isOne)
const has = (shape: Shape) => (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  canonicalJson(Object.keys(value).sort()) === canonicalJson(Object.keys(shape).sort()) &&
  Object.entries(shape).every(([name, is]) => is((value as Record<string, unknown>)[name]))

/** Whether a value is a file name without folders; it becomes part of a path. */
const isFileName = (value: unknown): boolean => typeof value === 'string' && /^[^./\\][^/\\\0]*$/.test(value)

const isFile = has({
  name: isFileName,
  size: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
  sha256: isDigest,
})

const areNamed = isListOf(has({ id: isText, label: isText }))

const SHAPES: Readonly<Record<PortalStep['kind'], Shape>> = {
  shared: {
    ...{ id: isId, run: isText, note: isText, pack: isFileName, isCopy: isFlag, files: isListOf(isFile) },
    to: (value) => value === null || isListOf(isId)(value),
  },
  invited: { id: isId, label: isText, until: isInstant, linkUntil: isInstant, tokenDigest: isDigest },
  'invitation-accepted': { id: isId },
  'access-ended': { id: isId, reason: isText },
  requested: {
    ...{ id: isId, title: isText, text: isText, due: isText },
    about: has({ control: isText, node: isText, check: isText, period: isText }),
  },
  'request-acted': {
    ...{ id: isId, comment: isText, packs: areNamed, documents: areNamed, findings: areNamed },
    role: (value) => value === 'officer' || value === 'auditor',
    to: (value) => value === null || (REQUEST_STATUSES as readonly unknown[]).includes(value),
  },
  'share-ended': { id: isId, reason: isText },
}

/** Whether a value is an event of this version with exactly its members. */
export function isPortalEvent(value: unknown): value is PortalEvent {
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : null
  if (typeof kind !== 'string' || !Object.hasOwn(SHAPES, kind)) return false
  const common = {
    ...{ at: isInstant, by: has({ subject: isText, name: isText }), kind: isText },
    ...{ index: () => true, previous: () => true },
  }
  return has({ ...common, ...SHAPES[kind as PortalStep['kind']] })(value)
}
