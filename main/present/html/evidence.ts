import type { Capture, CaptureRef, Observation } from '../../../schemas/types.ts'
import { sha256 } from '../../core/base/digest.ts'
import { RECORDING } from '../../core/base/layout.ts'
import { plain, plural } from '../../core/base/plain-text.ts'
import { nodeFolder } from '../../core/pack/pack-files.ts'
import { DIRECTIONS, when, worstFirst } from '../report/parts/wording.ts'
import { captureId, type Page } from './context.ts'
import { htmlText, marked } from './marks.ts'

/** Characters around a difference that are read for the statement that contains it. */
const AROUND = 600

/**
 * The first statement in which a sealed HTML report differs from the report rendered from the evidence, both quoted; null where all bytes
 * are the same. The rendered report is compared piece by piece and never held as a whole.
 */
export function firstDifference(sealed: Uint8Array, pieces: Iterable<string>): string | null {
  const encoder = new TextEncoder()
  let at = 0
  let before = ''
  let differs: { readonly at: number; readonly within: number } | null = null
  let rendered = ''
  for (const piece of pieces) {
    if (differs !== null) {
      rendered += piece
      if (rendered.length > differs.within + AROUND) break
      continue
    }
    const bytes = encoder.encode(piece)
    const length = equalLength(sealed.subarray(at, at + bytes.length), bytes)
    if (length < bytes.length) {
      const same = decoded(bytes.subarray(0, length))
      differs = { at: at + length, within: before.length + same.length }
      rendered = before + piece
      continue
    }
    at += bytes.length
    before = (before + piece).slice(-AROUND)
  }
  if (differs === null)
    return at === sealed.length ? null : 'It continues after the end of the report that the evidence gives.'
  const from = Math.max(0, differs.at - AROUND)
  const head = decoded(sealed.subarray(from, differs.at))
  const own = statementAt(head + decoded(sealed.subarray(differs.at, differs.at + AROUND)), head.length)
  return `It reads ${own} where the evidence gives ${statementAt(rendered, differs.within)}.`
}

function equalLength(a: Uint8Array, b: Uint8Array): number {
  const most = Math.min(a.length, b.length)
  for (let index = 0; index < most; index += 1) if (a[index] !== b[index]) return index
  return most
}

const decoded = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** The text between two tags around a position, or the tag itself where the position is inside one. */
function statementAt(html: string, position: number): string {
  const open = html.lastIndexOf('<', position - 1)
  const close = html.lastIndexOf('>', position - 1)
  const isInTag = open > close
  const from = isInTag ? open : close + 1
  const end = html.indexOf(isInTag ? '>' : '<', Math.max(position, from))
  const text = html.slice(from, end === -1 ? undefined : isInTag ? end + 1 : end).trim()
  return text === '' ? 'nothing' : `“${plain(text, 300)}”`
}

/** Characters of one observation. */
const MOST_OF_TEXT = 1200

/** How an observation cites its captures: opening down to their text, or by links to the list of the node. */
export type Citing = 'in-place' | 'by-link'

/** Observations of one node, contradicting ones first, with the captures that they cite. */
export const observationsHtml = (
  page: Page,
  node: string,
  observations: readonly Observation[],
  citing: Citing,
): string =>
  observations.length === 0
    ? '<p class="quiet">No observation was recorded.</p>'
    : `<ul class="observations">${worstFirst(observations)
        .map((one) => `<li>${observationHtml(page, node, one, citing)}</li>`)
        .join('')}</ul>`

function observationHtml(
  page: Page,
  node: string,
  { direction, text, probe, captures }: Observation,
  citing: Citing,
): string {
  const { word, mark } = DIRECTIONS[direction]
  const words = `<span class="stated">${htmlText(plain(text, MOST_OF_TEXT))}</span>`
  const cite = citing === 'in-place' ? citedInPlace : citedByLink
  return `${marked(mark, word)} ${words}${captures.map((one) => cite(page, node, probe, one)).join('')}`
}

/**
 * For a large fleet: observations that do not support, and once the captures that they cite, by digest, which is the file name; the node
 * states the folder. Lines end with a line feed, which the style displays: 1,000 nodes have 100,000 lines, and an element for each would
 * take half of the time in which the file opens.
 */
export function observationsBriefly(observations: readonly Observation[]): string {
  const open = worstFirst(observations).filter(({ direction }) => direction !== 'supports')
  const shown = open.slice(0, MOST_BRIEF)
  const more = observations.length - shown.length
  return [
    ...shown.map(({ direction, text }) => `\n${DIRECTIONS[direction].word}: ${htmlText(plain(text, MOST_OF_BRIEF))}`),
    more === 0 ? '' : `\n${plural(more, 'more observation')} in the file of the node.`,
    citedBriefly(shown),
  ].join('')
}

const MOST_BRIEF = 4
const MOST_OF_BRIEF = 400

function citedBriefly(observations: readonly Observation[]): string {
  const commands = new Map<string, string>()
  for (const { probe, captures } of observations)
    for (const { command, sha256: digest } of captures)
      if (digest !== EMPTY && !commands.has(digest)) commands.set(digest, `${probe ?? ''} ${command}`)
  const shown = [...commands].slice(0, MOST_CITED)
  if (shown.length === 0) return ''
  const more = commands.size - shown.length
  return `\n<small>${shown.map(([digest, name]) => `${htmlText(name)} ${htmlText(digest)}`).join(', ')}${more > 0 ? ` and ${plural(more, 'more capture')}` : ''}</small>`
}

const MOST_CITED = 4
const EMPTY = sha256('')

/** A cited capture that opens down to its text. */
function citedInPlace(page: Page, node: string, probe: string | null, cited: CaptureRef): string {
  const meta = page.capture(node, probe, cited)
  if (meta === undefined) return notRecorded(cited)
  return `<details class="capture"><summary>${captureTitle(meta)}</summary>${captureBody(page, node, meta)}<p><a href="#${captureId(page, node, meta)}">In the list of captures of ${htmlText(plain(node, 80))}</a></p></details>`
}

/** A cited capture by a link to where it is printed. */
function citedByLink(page: Page, node: string, probe: string | null, cited: CaptureRef): string {
  const meta = page.capture(node, probe, cited)
  return meta === undefined
    ? notRecorded(cited)
    : `<p class="cited"><a href="#${captureId(page, node, meta)}">${captureTitle(meta)}</a></p>`
}

const notRecorded = ({ command, sha256: digest }: CaptureRef): string =>
  `<p class="quiet">Capture ${htmlText(command)}, SHA-256 <code>${htmlText(digest)}</code>, is not in the recording.</p>`

const captureTitle = ({ probe, command, stdout }: Capture): string =>
  `Capture <code>${htmlText(probe)}</code> ${htmlText(command)}, ${plural(stdout.size, 'byte')}`

/** A capture in the list of its node. */
export const captureHtml = (page: Page, node: string, meta: Capture): string =>
  `<details class="capture" id="${captureId(page, node, meta)}"><summary>${captureTitle(meta)}</summary>${captureBody(page, node, meta)}</details>`

const STATUS: Readonly<Record<Capture['status'], string>> = {
  done: '',
  'timed-out': ', timed out',
  truncated: ', output cut off at the limit of the collector',
  'not-run': ', not run: the privilege was not available',
  'not-asked': ', not run: sudo had passed its time limit',
  'no-path': ', not run: the path does not exist',
  lost: ', the session ended before the output was complete',
}

function captureBody(page: Page, node: string, meta: Capture): string {
  const { argv, status, exitCode, startedAt, durationMs, privilege, stdout, stderr, masked = {} } = meta
  const path = `<code>${htmlText(`${nodeFolder(node)}/${RECORDING.blobs}/${stdout.sha256}`)}</code>`
  const run = `${when(startedAt)}, ${durationMs} ms, ${exitCode === null ? 'no exit status' : `exit status ${exitCode}`}, ${RIGHTS[privilege]}${STATUS[status]}`
  const classes = Object.entries(masked).map(([kind, count]) => `${kind} ${count}`)
  const more = [
    ...(stderr.size === 0 ? [] : [`Error output: ${plural(stderr.size, 'byte')}, SHA-256 ${stderr.sha256}.`]),
    ...(classes.length === 0 ? [] : [`Masked before storage: ${classes.join(', ')}.`]),
  ]
  return `<p><code>${htmlText(plain(argv.join(' '), 2000))}</code></p><p class="quiet">${htmlText([`${run}.`, ...more].join(' '))}</p><p>File, named by its SHA-256: ${path}</p>${textHtml(page, node, meta)}`
}

const RIGHTS: Readonly<Record<Capture['privilege'], string>> = {
  user: 'without sudo',
  sudo: 'through sudo',
  root: 'as root',
}

function textHtml({ matter }: Page, node: string, { stdout }: Capture): string {
  if (stdout.size === 0) return '<p class="quiet">The output was empty.</p>'
  const found = matter.captured?.get(node)?.get(stdout.sha256)
  if (found === undefined) return '<p class="quiet">Text not printed here; whole in that file.</p>'
  if (found.text === null) return '<p class="quiet">Not text; whole in that file.</p>'
  const cut =
    found.printed < stdout.size
      ? `<p class="quiet">Truncated at ${found.printed} of ${plural(stdout.size, 'byte')}; whole in that file.</p>`
      : ''
  return `<pre><code>${htmlText(found.text)}</code></pre>${cut}`
}
