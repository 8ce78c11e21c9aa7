import { basename } from 'node:path'
import type { Command } from 'commander'
import { EVIDENCE_LEVELS } from '../../../schemas/conclusion-words.ts'
import type { DocumentDraft } from '../../../schemas/ipc-register.ts'
import type { EvidenceDocument, Explanation, ReportingBasis } from '../../../schemas/types.ts'
import { periodCoverWords } from '../../../schemas/words.ts'
import {
  attachedToNamed,
  type DocumentTarget,
  type NamedPlaces,
  needNamed,
  requestNamed,
  rowNamed,
} from '../../app/register/named.ts'
import { fail, type Outcome, ok } from '../../core/base/failure.ts'
import { plain, quote } from '../../core/base/plain-text.ts'
import { addDocument, LARGEST_DOCUMENT } from '../../core/register/attachments.ts'
import { levelRank, REQUESTS } from '../../core/register/documents.ts'
import { explain, explanationsOf } from '../../core/register/explanations.ts'
import { needsIn, setRequest } from '../../core/register/requests.ts'
import { periodCover } from '../../core/register/versions.ts'
import type { Catalog } from '../../core/rules/catalog.ts'
import type { EvidenceRequest } from '../../core/rules/requests.ts'
import { type Context, endWith, printLine } from '../parts/options.ts'
import {
  change,
  declaredFor,
  momentOf,
  type RegisterOptions,
  withFleet,
  withRegister,
} from '../parts/register-changes.ts'

const CONCLUSIONS = ['supports', 'does-not-support'] as const

/** `document add|request|explain`: documents for evidence requests, and explanations of isolation signals. */
export function recordCommand(context: Context): void {
  const command = context.program.command('document').description('Manage documents')
  addCommand(context, command)
  askCommand(context, command)
  explainCommand(context, command)
}

type AddOptions = RegisterOptions &
  InspectionOptions &
  AnswerOptions & {
    readonly file: string
    readonly request?: readonly string[]
    readonly control?: readonly string[]
    readonly summary: string
    readonly providedBy: string
    readonly owner: string
    readonly expires?: string
    readonly supersedes?: string
    readonly effectiveFrom?: string
    readonly effectiveTo?: string
  }
interface InspectionOptions {
  readonly level: string
  readonly inspectedBy?: string
  readonly inspectedOn?: string
  readonly lookedAt?: string
  readonly conclusion?: string
}

interface AnswerOptions {
  readonly answers?: readonly string[]
  readonly answersOn?: readonly string[]
}

function addCommand(context: Context, command: Command): void {
  withFleet(withRegister(command.command('add')))
    .description('Attach a document to controls')
    .requiredOption('--file <file>', 'File to attach, at most 100 MiB')
    .option(
      '--request <ids...>',
      'Evidence requests, such as ER-18 (see “catalog requests”); with --control, part of the document’s title',
    )
    .option('--control <ids...>', 'Controls, such as hipaa:164.308(b)(1)')
    .requiredOption('--summary <text>', 'What the document shows')
    .requiredOption('--provided-by <name>', 'Person or organization that provided it')
    .requiredOption('--level <word>', `Evidence level: ${EVIDENCE_LEVELS.join(', ')}`)
    .option('--inspected-by <name>', 'Inspector; required for levels inspected and reperformed')
    .option('--inspected-on <date>', 'Date of the inspection (UTC), such as 2026-11-03; default today')
    .option('--looked-at <text>', 'What was inspected: population, sample, and what it was compared with')
    .option('--conclusion <word>', `Conclusion of the inspection: ${CONCLUSIONS.join(' or ')}`)
    .option('--answers <checks...>', 'Checks for which it is alternative evidence')
    .option('--answers-on <nodes...>', 'Nodes to which the alternative evidence applies')
    .requiredOption('--owner <name>', 'Owner who keeps the document current')
    .option('--expires <date>', 'Last day of validity (UTC); default 366 days')
    .option('--effective-from <date>', 'First day (UTC) on which what the document states was in effect')
    .option('--effective-to <date>', 'Last day (UTC) of this period; default no end')
    .option(
      '--supersedes <id>',
      'Document of which this is a new version; without --request and --control, attached to the same controls',
    )
    .action(async (options: AddOptions) => {
      const added = await add(context, options)
      if (!added.ok) return endWith(context, added.error)
      const { entry, requests, basis } = added.value
      const places = entry.controls.map(({ framework, control }) => (framework === REQUESTS ? control : quote(control)))
      printLine(
        `Attached: ${plain(entry.name)}, SHA-256 ${entry.sha256}, to ${places.join(', ')}. Document ${entry.id}.`,
      )
      for (const note of notesOn(entry, requests, basis)) printLine(`  ${note}`)
    })
}

/** The limitations of the document as attached. */
function notesOn(
  entry: EvidenceDocument,
  requests: readonly EvidenceRequest[],
  basis: ReportingBasis | null,
): readonly string[] {
  const { level = 'received', inspection, answers } = entry
  const cover = periodCover(entry, basis)
  const below = requests.filter(({ minimum }) => levelRank(level) < levelRank(minimum))
  const isInspected = levelRank(level) > levelRank('received')
  return [
    ...(isInspected ? [] : [`Level ${level}: the document supports no control until a named person inspects it.`]),
    ...(isInspected && below.length > 0
      ? [`Level ${level}: ${below.map(({ id, minimum }) => `${id} requires level ${minimum}`).join('; ')}.`]
      : []),
    ...(inspection?.conclusion === 'does-not-support'
      ? ['Conclusion: does not support. Every control that requires the document has a document deviation.']
      : []),
    ...(answers !== undefined && (below.length === requests.length || inspection?.conclusion !== 'supports')
      ? ['It is no alternative evidence until it is inspected at the minimum level with the conclusion “supports”.']
      : []),
    ...(cover === null || cover === 'covers' ? [] : [`${periodCoverWords[cover]}.`]),
    ...(entry.supersedes === undefined
      ? []
      : [`It supersedes document ${entry.supersedes}, which stays in the register.`]),
  ]
}

interface Added {
  readonly entry: EvidenceDocument
  /** The evidence requests to which it is attached. */
  readonly requests: readonly EvidenceRequest[]
  readonly basis: ReportingBasis | null
}

async function add(context: Context, options: AddOptions): Promise<Outcome<Added>> {
  const { ports } = context
  const moment = momentOf(ports)
  const declared = await declaredFor(ports, options)
  if (!declared.ok) return declared
  const { catalog, scope } = declared.value
  const named = namedPlaces(options)
  const asEarlier = options.supersedes !== undefined && (options.request ?? options.control) === undefined
  const to = !named.ok ? named : asEarlier ? ok(AS_EARLIER) : attachedToNamed(catalog, named.value)
  if (!to.ok) return to
  const examined = examinedAs(options, moment.now)
  if (!examined.ok) return examined
  const answers = answersOf(options, to.value.requests, scope?.population ?? null)
  if (!answers.ok) return answers
  const read = await ports.files.read(options.file, LARGEST_DOCUMENT)
  if (!read.ok) return read
  const { expires = null, summary, providedBy, owner, supersedes = null } = options
  const effective = effectiveOf(options)
  if (!effective.ok) return effective
  const draft: DocumentDraft = {
    controls: to.value.controls,
    need: to.value.need,
    summary,
    providedBy,
    ...examined.value,
    answers: answers.value,
    owner,
    validUntil: expires,
    effective: effective.value,
    supersedes,
  }
  const file = { name: basename(options.file), bytes: read.value }
  const changed = await change(context, options, {
    begin: true,
    next: (register) => addDocument(register, draft, file, { ...moment, needsOf: needsIn(catalog) }),
    bytes: read.value,
  })
  if (!changed.ok) return changed
  const entry = changed.value.documents.find(({ id }) => id === moment.id)
  if (entry === undefined) return fail('bug', 'what was attached is not in the register')
  const ids = new Set(entry.controls.flatMap(({ framework, control }) => (framework === REQUESTS ? [control] : [])))
  return ok({
    entry,
    requests: catalog.requests.filter(({ id }) => ids.has(id)),
    basis: scope?.engagement?.reportingBasis ?? null,
  })
}

/** Attached to the same controls and requests as the earlier version. */
const AS_EARLIER: DocumentTarget = { requests: [], controls: [], need: null }

/** The declared effective period; null where none is. Fails with input.refused for an end without a beginning. */
function effectiveOf({ effectiveFrom, effectiveTo }: AddOptions): Outcome<DocumentDraft['effective']> {
  if (effectiveFrom !== undefined) return ok({ from: effectiveFrom, to: effectiveTo ?? null })
  return effectiveTo === undefined ? ok(null) : fail('input.refused', '--effective-to requires --effective-from')
}

const REQUEST_ID = /^er-\d+$/i

/** --request holds IDs of evidence requests and, with --control, part of the title of one document. Fails with input.refused. */
function namedPlaces({ request = [], control: rows }: AddOptions): Outcome<NamedPlaces> {
  if (rows === undefined) return ok({ request })
  const [need, ...more] = request.filter((text) => !REQUEST_ID.test(text.trim()))
  return more.length > 0
    ? fail('input.refused', '--request accepts the title of one document; put it in quotation marks')
    : ok({ request: request.filter((text) => REQUEST_ID.test(text.trim())), rows, need })
}

/** The level with its inspection, which is complete or absent, and required for “inspected” and “reperformed”. Fails with input.refused. */
function examinedAs(options: InspectionOptions, now: string): Outcome<Pick<DocumentDraft, 'level' | 'inspection'>> {
  const level = EVIDENCE_LEVELS.find((word) => word === options.level)
  if (level === undefined) return fail('input.refused', `--level must be one of ${EVIDENCE_LEVELS.join(', ')}`)
  const { inspectedBy: by, inspectedOn, lookedAt, conclusion: word } = options
  const given = [by, inspectedOn, lookedAt, word].some((one) => one !== undefined)
  const isInspected = levelRank(level) > levelRank('received')
  if (!isInspected)
    return given
      ? fail('input.refused', `level ${level} has no inspection; to record one, use level inspected or reperformed`)
      : ok({ level, inspection: null })
  if (by === undefined || lookedAt === undefined || word === undefined)
    return fail('input.refused', `level ${level} requires --inspected-by, --looked-at and --conclusion`)
  const conclusion = CONCLUSIONS.find((one): one is (typeof CONCLUSIONS)[number] => one === word)
  if (conclusion === undefined) return fail('input.refused', `--conclusion must be one of ${CONCLUSIONS.join(', ')}`)
  return ok({ level, inspection: { by, on: inspectedOn ?? now.slice(0, 10), lookedAt, conclusion } })
}

/** Alternative evidence: only for checks that a named request can answer, on named nodes. Fails with input.refused. */
function answersOf(
  { answers, answersOn }: AnswerOptions,
  requests: readonly EvidenceRequest[],
  population: readonly string[] | null,
): Outcome<DocumentDraft['answers']> {
  if (answers === undefined && answersOn === undefined) return ok(null)
  if (answers === undefined || answersOn === undefined)
    return fail('input.refused', '--answers and --answers-on must be used together')
  const may = [...new Set(requests.flatMap(({ mayAnswer }) => mayAnswer.map(({ check }) => check)))]
  const wrong = answers.find((check) => !may.includes(check))
  if (wrong !== undefined)
    return fail(
      'input.refused',
      `this document cannot be alternative evidence for ${quote(wrong)}; possible checks: ${may.length === 0 ? 'none' : may.join(', ')}`,
    )
  const strange = population === null ? undefined : answersOn.find((node) => !population.includes(node))
  if (strange !== undefined) return fail('input.refused', `there is no node ${quote(strange)}`)
  return ok({ checks: [...new Set(answers)], nodes: [...new Set(answersOn)] })
}

type ExplainOptions = RegisterOptions & {
  readonly signal: string
  readonly node: readonly string[]
  readonly because: string
  readonly document: string
  readonly by: string
  readonly role: string
  readonly expires: string
}

function explainCommand(context: Context, command: Command): void {
  withFleet(withRegister(command.command('explain')))
    .description('Explain an unexpected isolation signal; verdicts never change')
    .requiredOption('--signal <id>', 'Signal (see “catalog signals”, and anomalies in the report)')
    .requiredOption('--node <names...>', 'Nodes to which the explanation applies')
    .requiredOption('--because <text>', 'Explanation, such as which cores are disabled and why')
    .requiredOption('--document <file>', 'Document that shows it; only its digest is stored')
    .requiredOption('--by <name>', 'Person who explains it')
    .requiredOption('--role <text>', 'Role of this person')
    .requiredOption('--expires <date>', 'Last day (UTC), such as 2027-03-01; at most 366 days ahead')
    .action(async (options: ExplainOptions) => {
      const explained = await explainReading(context, options)
      if (!explained.ok) return endWith(context, explained.error)
      const { id, signal, document } = explained.value
      printLine(`Explained: ${signal}, entry ${id}. Document ${plain(document.name)}, SHA-256 ${document.sha256}.`)
      printLine(
        '  Reports show it next to the signal; verdicts do not change. To include the document, use “document add”.',
      )
    })
}

async function explainReading(context: Context, options: ExplainOptions): Promise<Outcome<Explanation>> {
  const { ports } = context
  const declared = await declaredFor(ports, options)
  if (!declared.ok) return declared
  const { catalog, scope } = declared.value
  const read = await ports.files.read(options.document, LARGEST_DOCUMENT)
  if (!read.ok) return read
  const { signal, node: nodes, because: text, by: explainedBy, role, expires: until } = options
  const facts = {
    ...momentOf(ports),
    hasSignal: (id: string) => catalog.signals.some((one) => one.id === id),
    hasNode: (name: string) => scope === null || scope.population.includes(name),
  }
  const document = { name: basename(options.document), bytes: read.value }
  const changed = await change(context, options, {
    begin: true,
    next: (register) => explain(register, { signal, nodes, text, explainedBy, role, until }, document, facts),
  })
  if (!changed.ok) return changed
  const made = explanationsOf(changed.value).find(({ id }) => id === facts.id)
  return made === undefined ? fail('bug', 'the explanation is not in the register') : ok(made)
}

type AskOptions = RegisterOptions & {
  readonly request: string
  readonly control?: string
  readonly owner: string
  readonly due: string
}

function askCommand(context: Context, command: Command): void {
  withFleet(withRegister(command.command('request')))
    .description('Assign an owner and due date to an evidence request')
    .requiredOption('--request <id>', 'Evidence request, such as ER-18; with --control, part of the document’s title')
    .option(
      '--control <id>',
      'Control, such as hipaa:164.308(b)(1); without it, every control that requires the document',
    )
    .requiredOption('--owner <name>', 'Person who provides the document')
    .requiredOption('--due <date>', 'Due date (UTC), such as 2027-03-01; a later entry replaces this one')
    .action(async (options: AskOptions) => {
      const asked = await ask(context, options)
      if (!asked.ok) return endWith(context, asked.error)
      printLine(`Requested: ${quote(asked.value, 500)} from ${plain(options.owner)}, due ${options.due} UTC.`)
    })
}

async function ask(context: Context, options: AskOptions): Promise<Outcome<string>> {
  const declared = await declaredFor(context.ports, options)
  if (!declared.ok) return declared
  const { catalog } = declared.value
  const needsOf = needsIn(catalog)
  const asked = askedFor(catalog, options)
  if (!asked.ok) return asked
  const draft = { ...asked.value, owner: options.owner, due: options.due }
  const changed = await change(context, options, {
    begin: true,
    next: (register) => setRequest(register, draft, { now: context.ports.clock.now(), needsOf }),
  })
  return changed.ok ? ok(draft.need) : changed
}

/** The assigned evidence request, or one document of one control. Fails with input.refused. */
function askedFor(
  catalog: Catalog,
  { request: words, control: text }: AskOptions,
): Outcome<{ readonly framework: string; readonly control: string; readonly need: string }> {
  if (text === undefined) {
    const named = requestNamed(catalog, words)
    return named.ok ? ok({ framework: REQUESTS, control: named.value.id, need: named.value.title }) : named
  }
  const row = rowNamed(catalog, text)
  if (!row.ok) return row
  const { framework, control } = row.value
  const own = needNamed(control.documentsRequired, words)
  const need = own.ok ? own : needNamed(needsIn(catalog)(framework, control.key) ?? [], words)
  return need.ok ? ok({ framework, control: control.key, need: need.value }) : need
}
