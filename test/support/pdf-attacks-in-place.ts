import { assembleCms, digestOf, signedAttributes } from '../../main/adapters/seal/cms.ts'
import { OID } from '../../main/adapters/seal/oids.ts'
import { prepareArchive } from '../../main/adapters/seal/pdf/archive.ts'
import { namesOf } from '../../main/adapters/seal/x509.ts'
import { der, octets, oid, sequence, setOf, small } from '../../main/core/der/read.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import { must } from './outcomes.ts'
import { edited, type PdfAttack } from './pdf-attack-kit.ts'
import { pdfOfText, replaceOnce, textOfPdf } from './pdf-editing.ts'

const AUTHOR = /\/SubFilter \/ETSI\.CAdES\.detached\n\/ByteRange (\[0 (\d+) (\d+) (\d+)\] *)\n\/Contents <([0-9a-f]+)>/

/** Writes another /ByteRange of the same width into the author's signature. */
const authorsRange = (range: (from: number, to: number, rest: number) => string): PdfAttack['build'] =>
  edited((text) => {
    const [, written = '', from, to, rest] = AUTHOR.exec(text) ?? []
    return replaceOnce(
      text,
      `/ByteRange ${written}`,
      range(Number(from), Number(to), Number(rest)).padEnd(11 + written.length),
    )
  })

/** Puts other bytes where a signature's hexadecimal is; `last` for the newest time-stamp. */
function withContents(text: string, contents: (hex: string) => string, last = false): string {
  const start =
    text[last ? 'lastIndexOf' : 'indexOf']('/Contents <', last ? text.length : text.indexOf('/Type /Sig\n')) + 11
  const hex = text.slice(start, text.indexOf('>', start))
  return text.slice(0, start) + contents(hex).padEnd(hex.length, '0') + text.slice(start + hex.length)
}

const contentsIn = (pdf: Uint8Array, last = false): string => {
  let found = ''
  withContents(textOfPdf(pdf), (hex) => (found = hex), last)
  return found
}

/** Signs anew with a CMS of the attacker's making. */
const withCms =
  (make: (content: Uint8Array, signer: Signer) => Promise<Uint8Array>): PdfAttack['build'] =>
  async ({ levels, signer }) => {
    const text = textOfPdf(levels.basic)
    const [, , from, to] = AUTHOR.exec(text) ?? []
    const content = Buffer.concat([levels.basic.subarray(0, Number(from)), levels.basic.subarray(Number(to))])
    const cms = await make(new Uint8Array(content), signer)
    return pdfOfText(withContents(text, () => Buffer.from(cms).toString('hex')))
  }

async function plainCms(content: Uint8Array, signer: Signer): Promise<Uint8Array> {
  const contentSha256 = digestOf(content)
  const leaf = signer.certificate
  const signature = await signer.sign(signedAttributes(leaf, contentSha256))
  return assembleCms({ leaf, certificates: [leaf], contentSha256, keyType: signer.keyType, signature })
}

async function twoSigners(content: Uint8Array, signer: Signer): Promise<Uint8Array> {
  const bytes = Buffer.from(await plainCms(content, signer))
  const { issuer, serial } = namesOf(signer.certificate)
  const head = Buffer.concat([small(1), sequence(issuer, serial)])
  const at = bytes.lastIndexOf(head)
  // The SignerInfo's own tag and length stand before its version; the SET's before them.
  const info = bytes.subarray(at - 4)
  const whole = info[0] === 0x30 ? info : bytes.subarray(at - 3)
  return signedData(signer, [new Uint8Array(whole), new Uint8Array(whole)])
}

async function noDigest(_: Uint8Array, signer: Signer): Promise<Uint8Array> {
  const attributes = setOf(sequence(oid(OID.contentType), setOf(oid(OID.data))))
  const stored = Uint8Array.from(attributes)
  stored[0] = 0xa0
  const { issuer, serial } = namesOf(signer.certificate)
  return signedData(signer, [
    sequence(
      small(1),
      sequence(issuer, serial),
      sequence(oid(OID.sha256)),
      stored,
      sequence(oid(OID.ecdsaWithSha256)),
      octets(await signer.sign(attributes)),
    ),
  ])
}

const signedData = (signer: Signer, signers: readonly Uint8Array[]): Uint8Array =>
  sequence(
    oid(OID.signedData),
    der(
      0xa0,
      sequence(
        small(1),
        setOf(sequence(oid(OID.sha256))),
        sequence(oid(OID.data)),
        der(0xa0, signer.certificate),
        setOf(...signers),
      ),
    ),
  )

/** Bytes changed where they stand; nothing moves. */
export const ATTACKS_IN_PLACE: readonly PdfAttack[] = [
  {
    name: 'a bit of the page’s content flipped',
    named: /changed after signing/,
    build: edited((text) => {
      const at = text.indexOf('\nstream\n') + 40
      return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1)
    }),
  },
  { name: 'junk before the header', named: /does not start as/, build: edited((text) => `\n${text}`) },
  {
    name: 'ByteRange missing',
    named: /author’s signature has no \/ByteRange/,
    build: edited((text) => text.replace('/ByteRange [', '/ByteRangX [')),
  },
  {
    name: 'ByteRange all zeros',
    named: /ByteRange of the author’s signature is not the whole/,
    build: authorsRange(() => '/ByteRange [0 0 0 0]'),
  },
  {
    name: 'ByteRange that overlaps itself',
    named: /ByteRange of the author’s signature is not the whole/,
    build: authorsRange((from, to, rest) => `/ByteRange [0 ${from} ${from - 100} ${rest + to - from + 100}]`),
  },
  {
    name: 'ByteRange with too large a gap',
    named: /ByteRange of the author’s signature is not the whole/,
    build: authorsRange((from, to, rest) => `/ByteRange [0 ${from - 50} ${to + 20} ${rest - 20}]`),
  },
  {
    name: 'a second ByteRange in the signature',
    named: /author’s signature has more than one \/ByteRange/,
    build: edited((text) => replaceOnce(text, '/Reason (Seal over this report)', '/ByteRange [0 0 0 0]           ')),
  },
  {
    name: 'the signature zeroed',
    named: /space for the author’s signature does not contain one/,
    build: edited((text) => withContents(text, () => '')),
  },
  {
    name: 'something behind the signature, where zeros belong',
    named: /space for the author’s signature does not contain one/,
    build: edited((text) => withContents(text, (hex) => `${hex.slice(0, -2)}01`)),
  },
  {
    name: 'the signature in other letters',
    named: /space for the author’s signature does not contain one/,
    build: edited((text) => withContents(text, (hex) => hex.toUpperCase())),
  },
  {
    name: 'the signature’s time-stamp removed',
    named: /Document time-stamp 1 does not cover.*|none over the author’s signature/,
    build: edited((text, { levels }) => withContents(text, () => contentsIn(levels.basic))),
  },
  {
    name: 'the signature of another report',
    named: /changed after signing/,
    build: edited((text, { other }) => withContents(text, () => contentsIn(other.stamped))),
  },
  {
    name: 'the document time-stamp zeroed',
    named: /Document time-stamp 1 was prepared, but its token is missing/,
    build: edited((text) => withContents(text, () => '', true)),
  },
  {
    name: 'the document time-stamp of another report',
    named: /Document time-stamp 1 does not cover/,
    build: edited((text, { other }) => withContents(text, () => contentsIn(other.archived, true), true)),
  },
  {
    name: 'the document time-stamp copied into a further update',
    named: /Document time-stamp 2 does not cover/,
    build: ({ levels }) => {
      const { prepared } = must(prepareArchive(levels.archived, { certificates: [], crls: [] }))
      return pdfOfText(withContents(textOfPdf(prepared), () => contentsIn(levels.archived, true), true))
    },
  },
  {
    name: 'the document time-stamp’s ByteRange missing',
    named: /A time-stamp has no \/ByteRange/,
    build: edited((text) => {
      const at = text.lastIndexOf('/ByteRange')
      return `${text.slice(0, at)}/ByteRangX${text.slice(at + 10)}`
    }),
  },
  {
    name: 'a certificate in the security store altered',
    named: /Document time-stamp 1 does not cover/,
    build: edited((text, { levels }) => {
      const at = text.indexOf('\nstream\n', levels.stamped.length) + 200
      return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1)
    }),
  },
  {
    name: 'the security store emptied',
    named: /other than a Barewitness time-stamp/,
    build: edited((text) => text.replace(/\/CRLs \[[^\]]*\]/, (list) => '/CRLs []'.padEnd(list.length))),
  },
  { name: 'a CMS with two signers', named: /2 signers/, build: withCms(twoSigners) },
  { name: 'a CMS without message-digest', named: /no message-digest attribute/, build: withCms(noDigest) },
]
