import type { PadesLevel, PdfReading, SealReading, TimestampReading } from '../../../core/ports/ports.ts'
import { parseSeal } from '../cms.ts'
import { chainOf, isListOf } from '../path.ts'
import { readSeal } from '../reader.ts'
import { readTokenOverDigest } from '../tsp/token.ts'
import { readCertificate, sameBytes } from '../x509.ts'
import { materialProblem } from './archive.ts'
import { diagnoseFirst, foreignSentence } from './diagnose.ts'
import { type FirstRevision, readFirstRevision } from './first.ts'
import { inflated } from './inflate.ts'
import { objectOf, type PdfObject } from './objects.ts'
import { contentsOf, coveredBytes, coveredDigest } from './state.ts'
import { isOver, leafOf, readUpdates, type Stamped, textIn } from './update.ts'
import { entriesOf, itemsOf, nameOf, refOf, textOf } from './values.ts'

const LARGEST_FILE = 64 * 1024 * 1024
const LARGEST_TOGETHER = 256 * 1024 * 1024
const MOST_FILES = 1000
/**
 * Embedded files may be so many times larger than the whole file: results are compressed to a tenth or less, and a
 * report consists mostly of its pages.
 */
const MOST_TIMES = 10
const ALWAYS_ROOM = 16 * 1024 * 1024

interface Attachments {
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly problems: readonly string[]
}

/** The embedded files of the first revision, by the name in their list (ISO 32000-1, 7.11.4). */
function readAttachments(pdf: Uint8Array, text: string, { offsets, state }: FirstRevision): Attachments {
  const files = new Map<string, Uint8Array>()
  const names = entriesOf(objectOf(text, offsets, refOf(state.catalog.entries.get('Names')))?.value)
  const listed = itemsOf(entriesOf(names.get('EmbeddedFiles')).get('Names'))
  let room = Math.min(LARGEST_TOGETHER, Math.max(ALWAYS_ROOM, MOST_TIMES * pdf.length))
  for (let at = 0; at + 1 < listed.length; at += 2) {
    const name = textOf(listed[at])
    const specification = entriesOf(objectOf(text, offsets, refOf(listed[at + 1]))?.value)
    const object = objectOf(text, offsets, refOf(entriesOf(specification.get('EF')).get('F')))
    if (name === null || files.has(name) || files.size === MOST_FILES)
      return {
        files,
        problems: ['The list of embedded files has a duplicate, too many entries, or one without a name.'],
      }
    const bytes = object === null ? null : inflate(pdf, object, Math.min(LARGEST_FILE, room))
    if (bytes === null) return { files, problems: ['An embedded file is damaged, or larger than the limit.'] }
    room -= bytes.length
    files.set(name, bytes)
  }
  return { files, problems: [] }
}

function inflate(pdf: Uint8Array, { value, stream }: PdfObject, most: number): Uint8Array | null {
  if (stream === null) return null
  const stored = pdf.slice(stream.start, stream.end)
  const filter = nameOf(entriesOf(value).get('Filter'))
  if (filter === null) return stored.length <= most ? stored : null
  return inflated(stored, most)
}

/** The evidence digest in the file's information; null when there is none. */
function evidenceDigestIn(text: string, { offsets, state }: FirstRevision): string | null {
  const subject = entriesOf(objectOf(text, offsets, state.info)?.value).get('Subject')
  const words = textOf(objectOf(text, offsets, refOf(subject))?.value) ?? textOf(subject) ?? ''
  return /^Evidence digest ([0-9a-f]{64})$/.exec(words)?.[1] ?? null
}

const LARGEST_PDF = 256 * 1024 * 1024
/** Part of every report from this program: the name of its writer, as a separate object. */
const OUR_MARK = ' 0 obj\n(Barewitness '

/**
 * Reads a PDF by the strict profile of the reports we write (ISO 32000-1; ETSI EN 319 142-1, section 6): the first
 * revision has only what our writer puts there, and each later one is, byte for byte, what our writer makes of its
 * parts. `problems` states where the file differs from that, or a signature from the bytes; signers and their trust are
 * in `seal`, whose `timestamps` contains the signature's token and then the document time-stamps. A file that was cut
 * back to an earlier revision is read as that revision, with its level. Material in the file's security store completes
 * chains and is trusted no more than the certificates and lists passed in. Never throws, whatever the bytes.
 */
export function readPdf(
  pdf: Uint8Array,
  offered: readonly Uint8Array[],
  freshCrls: readonly Uint8Array[] = [],
): PdfReading {
  if (!Buffer.from(pdf.subarray(0, 1024)).includes('%PDF-')) return nothing('not-a-pdf', ['This is not a PDF.'])
  if (pdf.length > LARGEST_PDF) return nothing('foreign', ['This PDF is larger than the size limit of a report.'])
  const text = textIn(pdf)
  if (!text.includes(OUR_MARK)) return nothing('foreign', [foreignSentence(text)])
  const first = readFirstRevision(text)
  if (typeof first === 'string') return nothing('report', [first, ...diagnoseFirst(text)])
  const updates = readUpdates(pdf, text, first)
  const { files, problems } = readAttachments(pdf, text, first)
  const author = readSignatures(pdf, text, first, updates.stamps, { offered, freshCrls })
  return {
    kind: 'report',
    problems: [...updates.problems, ...problems, ...author.problems],
    level: author.seal === null ? null : levelOf(author.seal, updates.stamps.length),
    seal: author.seal,
    covered: author.seal === null ? null : Buffer.from(coveredDigest(pdf, first.gap)).toString('hex'),
    evidenceDigest: evidenceDigestIn(text, first),
    attachments: files,
  }
}

const nothing = (kind: PdfReading['kind'], problems: readonly string[]): PdfReading => ({
  kind,
  problems: [...new Set(problems)],
  level: null,
  seal: null,
  covered: null,
  evidenceDigest: null,
  attachments: new Map(),
})

/**
 * B-LTA requires a document time-stamp over revocation lists for both chains before it: the signer's, and that of the
 * signature's own time-stamp.
 */
function levelOf({ timestamps: [own], revocationCovered }: SealReading, stamps: number): PadesLevel {
  if (own === undefined) return 'B-B'
  return stamps > 0 && revocationCovered && own.revocationCovered ? 'B-LTA' : 'B-T'
}

interface Signatures {
  readonly seal: SealReading | null
  readonly problems: readonly string[]
}

function readSignatures(
  pdf: Uint8Array,
  text: string,
  { gap }: FirstRevision,
  stamps: readonly Stamped[],
  { offered, freshCrls }: { readonly offered: readonly Uint8Array[]; readonly freshCrls: readonly Uint8Array[] },
): Signatures {
  const signature = contentsOf(text.slice(gap.from + 1, gap.to - 1))
  if (signature === null)
    return { seal: null, problems: ['The space for the author’s signature does not contain one.'] }
  const parsed = parseSeal(signature)
  if (typeof parsed === 'string') return { seal: null, problems: [parsed] }
  const certificates = [...stamps.flatMap((stamp) => stamp.certificates), ...offered]
  const crls = stamps.flatMap((stamp) => stamp.crls)
  const leaf = leafOf(parsed)
  const known = [...parsed.certificates, ...certificates].map(readCertificate).filter((facts) => facts !== null)
  const chain = leaf === null ? { certificates: [] } : chainOf(leaf, known)
  const own = readSeal({
    content: coveredBytes(pdf, gap),
    signature,
    chain: certificates,
    crls: crls.filter(isListOf(chain)),
    timestamps: [],
    tsaChain: certificates,
    tsaCrls: crls,
    freshCrls,
  })
  const over = sameBytes(parsed.messageDigest, coveredDigest(pdf, gap))
  const read = stamps.map((stamp, index) => readStamp(pdf, stamp, index, certificates, [...crls, ...freshCrls]))
  return {
    seal: { ...own, timestamps: [...own.timestamps, ...read.flatMap(({ reading }) => reading ?? [])] },
    problems: [
      ...(over ? [] : ['The signed content differs from the file: the file was changed after signing.']),
      ...(stamps.length > 0 && parsed.timestampToken === null
        ? ['The report has a document time-stamp, but none over the author’s signature.']
        : []),
      ...read.flatMap(({ problems }) => problems),
    ],
  }
}

interface StampReading {
  readonly reading: TimestampReading | null
  readonly problems: readonly string[]
}

function readStamp(
  pdf: Uint8Array,
  { gap, token, ...material }: Stamped,
  index: number,
  certificates: readonly Uint8Array[],
  crls: readonly Uint8Array[],
): StampReading {
  const name = `Document time-stamp ${index + 1}`
  const stored = materialProblem(material)
  const problems = stored === null ? [] : [stored]
  if (token === null)
    return { reading: null, problems: [...problems, `${name} was prepared, but its token is missing.`] }
  const digest = coveredDigest(pdf, gap)
  const { reading } = readTokenOverDigest(token, digest, certificates, crls)
  const over = isOver(token, digest) ? [] : [`${name} does not cover the content before it in the file.`]
  return { reading, problems: [...problems, ...over] }
}
