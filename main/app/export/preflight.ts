import { type EngagementState, engagementStateWords, isDeclared } from '../../../schemas/engagement-words.ts'
import type { PreflightItem } from '../../../schemas/ipc-packs.ts'
import type { Assessment, Register } from '../../../schemas/types.ts'
import { plural } from '../../core/base/plain-text.ts'
import type { SigningPlace } from '../../core/ports/identities.ts'
import { decisionsOf } from '../../core/register/decisions.ts'
import { statusOf } from '../../core/register/register.ts'
import { currentResponses } from '../../core/register/responses.ts'
import { type Signable, signaturesOf } from '../../core/register/signatures.ts'
import type { Presentation } from '../../present/presentation.ts'
import { failingWords } from '../../present/report/scope/outstanding.ts'

/** The content of an export, and who will seal it. */
export interface PreflightMatter {
  readonly assessment: Pick<Assessment, 'asOf' | 'demo' | 'nodes'>
  readonly shown: Pick<Presentation, 'figures' | 'findings'>
  readonly register: Register
  /** Nodes for which a place is declared. */
  readonly placed: ReadonlySet<string>
  readonly engagement: EngagementState
  readonly signing: SigningPlace
  readonly identities: number
  readonly authority: string | null
}

type Found = Omit<PreflightItem, 'id'>

const done = (title: string): Found => ({ state: 'done', title, text: '' })
const open = (title: string, text: string): Found => ({ state: 'open', title, text })

/**
 * Points that a person should know before an export, each with its effect on the report or a recipient. Only a
 * missing signer blocks.
 */
export const preflightOf = (matter: PreflightMatter): readonly PreflightItem[] => [
  { id: 'signer', ...signerItem(matter) },
  { id: 'engagement', ...engagementItem(matter) },
  { id: 'population', ...populationItem(matter) },
  { id: 'nodes', ...nodesItem(matter) },
  { id: 'places', ...placesItem(matter) },
  { id: 'findings', ...findingsItem(matter) },
  { id: 'documents', ...documentsItem(matter) },
  { id: 'signatures', ...signaturesItem(matter) },
  { id: 'time', ...timeItem(matter) },
]

const signerItem = ({ identities, signing, assessment: { demo } }: PreflightMatter): Found => {
  if (identities > 0 || demo) return done('Signing identity')
  return signing === 'here'
    ? {
        state: 'blocks',
        title: 'No signing identity',
        text: 'Enter organization and person on the step “Seal”.',
      }
    : {
        state: 'blocks',
        title: 'No sealer connected',
        text: 'The signer starts it on their own computer; the step “Seal” shows how.',
      }
}

function engagementItem({ engagement }: PreflightMatter): Found {
  const title = engagementStateWords[engagement]
  if (!isDeclared(engagement)) return open(title, 'Page 1 of the report will state that no engagement was declared.')
  return engagement === 'draft'
    ? open(title, 'The report will state this. Set its status to Final in “Entity and purpose”.')
    : done(title)
}

function populationItem({ shown: { figures } }: PreflightMatter): Found {
  const { inventory } = figures
  if (inventory === null)
    return open('No provider inventory', 'The population is declared only; it was not compared with the provider.')
  return inventory.unreconciled > 0
    ? open(
        'Population not reconciled',
        `${inventory.unreconciled} of ${plural(inventory.rows, 'inventory row')} ${inventory.unreconciled === 1 ? 'matches' : 'match'} no node.`,
      )
    : done('Population reconciled')
}

function nodesItem({ assessment: { nodes }, shown: { figures } }: PreflightMatter): Found {
  const stale = nodes.filter((node) => node.stale).length
  const partial = nodes.filter(({ status }) => status === 'partial').length
  const found = [
    ...(figures.untested > 0 ? [`${figures.untested} not tested`] : []),
    ...(partial > 0 ? [`${partial} collected in part`] : []),
    ...(stale > 0 ? [`${stale} with stale evidence`] : []),
  ]
  return found.length === 0
    ? done('All nodes tested with current evidence')
    : open('Nodes without complete evidence', `Of ${plural(figures.declared, 'declared node')}: ${found.join(', ')}.`)
}

function placesItem({ assessment: { nodes }, placed }: PreflightMatter): Found {
  const without = nodes.filter(({ node }) => !placed.has(node)).length
  return without === 0
    ? done('Places declared')
    : open(
        'Places not declared',
        `No place is declared for ${without} of ${plural(nodes.length, 'node')}; their location is not tested.`,
      )
}

function findingsItem({ shown: { findings } }: PreflightMatter): Found {
  const without = findings.filter(({ response }) => response === null)
  const severe = without.filter(({ severity: { level } }) => level === 'critical' || level === 'high').length
  return without.length === 0
    ? done('Findings have responses')
    : open(
        'Findings without management response',
        `${without.length} of ${plural(findings.length, 'finding')}${severe === 0 ? '' : `, ${severe} of them critical or high`}.`,
      )
}

function documentsItem({ shown: { figures } }: PreflightMatter): Found {
  const { needed, held, failing, overdue } = figures.documents
  const failed = failing === 0 ? '' : `${failing} ${failingWords(failing)}.`
  if (needed === held) return failing === 0 ? done('Documents complete') : open('Documents that do not support', failed)
  return open(
    'Documents outstanding',
    `${needed - held} of ${plural(needed, 'required document')}${overdue === 0 ? '' : `, ${overdue} overdue`}.${failed === '' ? '' : ` ${failed}`}`,
  )
}

/** Entries in effect: a withdrawn or ended one needs no signature any more. */
function signaturesItem({ register, assessment: { asOf } }: PreflightMatter): Found {
  const inEffect = <T extends Parameters<typeof statusOf>[0]>(entries: readonly T[]): readonly T[] =>
    entries.filter((entry) => statusOf(entry, asOf) === 'in-force')
  const entries: readonly Signable[] = [
    ...inEffect(register.riskAcceptances),
    ...inEffect(decisionsOf(register)),
    ...currentResponses(register, asOf).values(),
  ]
  const unsigned = entries.filter((entry) => signaturesOf(entry).length === 0).length
  return unsigned === 0
    ? done('Register entries signed')
    : open(
        'Register entries not signed',
        `${unsigned} of ${entries.length} risk acceptances, decisions and responses in effect: their names are typed and not authenticated.`,
      )
}

const timeItem = ({ authority, signing }: PreflightMatter): Found =>
  authority === null
    ? open(
        'No time-stamp authority',
        `The time of the seal is then from the clock of ${signing === 'here' ? 'this computer' : 'the server'} only.`,
      )
    : done('Time-stamp authority set')
