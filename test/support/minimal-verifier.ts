import { createHash, verify, X509Certificate } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'

/**
 * A verifier of evidence packs and redacted copies that is written from docs/format/ alone and shares no code with the product: whether it
 * agrees with the product shows whether the specification is complete. It does steps 1 to 7 of docs/format/verification.md, without the
 * signatures of chain entries and the last sentence of step 5. Time-stamps, revocation, reports and re-evaluation are outside it.
 */
export interface Given {
  /** The root certificate that the reader trusts, DER. */
  readonly root: Uint8Array
  /** SHA-256 of the signing certificate, as the reader got it from the signer. */
  readonly pin: string
}

type Files = ReadonlyMap<string, Buffer>
// biome-ignore lint/suspicious/noExplicitAny: JSON is read as a verifier in a language without types reads it; what does not fit ends in the catch.
type Json = any

const sha256 = (...parts: readonly (Uint8Array | string)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

/** docs/format/README.md, “Canonical JSON”. */
const canonical = (value: Json): string =>
  Array.isArray(value)
    ? `[${value.map(canonical).join(',')}]`
    : value !== null && typeof value === 'object'
      ? `{${Object.keys(value)
          .sort()
          .map((key) => `${canonical(key)}:${canonical(value[key])}`)
          .join(',')}}`
      : JSON.stringify(typeof value === 'string' ? value.toWellFormed() : value)

/** docs/format/pack.md, “Archive”: names and bytes of the entries below `pack/`. */
export function unpacked(zip: Uint8Array): Files {
  const bytes = Buffer.from(zip)
  const files = new Map<string, Buffer>()
  const end = bytes.length - 22
  if (end < 0 || bytes.readUInt32LE(end) !== 0x06054b50) throw new Error('no end record')
  const list = bytes.readUInt32LE(end + 16)
  let [at, next] = [list, 0]
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, packed, size] = [
      bytes.readUInt16LE(at + 10),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt32LE(at + 24),
    ]
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28)
    const name = bytes.toString('latin1', at + 46, nameEnd)
    const local = bytes.readUInt32LE(at + 42)
    const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28)
    const stored = bytes.subarray(from, from + packed)
    const isSame = bytes.toString('latin1', local + 30, local + 30 + name.length) === name
    if (local !== next || !isSame || !name.startsWith('pack/') || files.has(name.slice(5)))
      throw new Error(`name ${name}`)
    files.set(name.slice(5), method === 0 ? stored : inflateRawSync(stored, { maxOutputLength: size }))
    next = from + packed
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  if (next !== list) throw new Error('hidden bytes')
  return files
}

const text = (files: Files, path: string): string => files.get(path)?.toString('utf8') ?? ''
const linesOf = (files: Files, path: string): string[] => text(files, path).split('\n').slice(0, -1)

/** docs/format/README.md, “JSON documents”: exactly the canonical text and a line end. */
function json(files: Files, path: string, problems: string[]): Json {
  try {
    const value = JSON.parse(text(files, path))
    if (`${canonical(value)}\n` !== text(files, path)) problems.push(`${path}: not canonical`)
    return value
  } catch {
    problems.push(`${path}: no JSON`)
    return {}
  }
}

/** docs/format/pack.md, “Manifests”. */
function listed(files: Files, path: string, problems: string[]): ReadonlyMap<string, string> {
  const lines = linesOf(files, path)
  const isStrict = (line: string, index: number): boolean =>
    /^[0-9a-f]{64} {2}[A-Za-z0-9._/-]+$/.test(line) &&
    (index === 0 || line.slice(66) > (lines[index - 1] ?? '').slice(66))
  if (!text(files, path).endsWith('\n') || !lines.every(isStrict)) problems.push(`${path}: not a strict list`)
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]))
}

const isOfSeal = (path: string): boolean =>
  path === 'tagmanifest-sha256.txt' || /^signature\/tagmanifest\.p7s(\.([2-9]|[1-9]\d)?\.?tsr)?$/.test(path)

/** The DER value at a place: its tag, whole bytes, content and members. */
interface Der {
  readonly tag: number
  readonly whole: Buffer
  readonly content: Buffer
  readonly members: readonly Der[]
}

function der(bytes: Buffer): Der {
  const first = bytes[1] ?? 0
  const count = first < 0x80 ? 0 : first & 0x7f
  const length = count === 0 ? first : bytes.readUIntBE(2, count)
  const content = bytes.subarray(2 + count, 2 + count + length)
  const tag = bytes[0] ?? 0
  const members: Der[] = []
  if ((tag & 0x20) !== 0)
    for (let at = 0; at < content.length; at += members.at(-1)?.whole.length ?? content.length)
      members.push(der(content.subarray(at)))
  return { tag, whole: bytes.subarray(0, 2 + count + length), content, members }
}

const part = (value: Der, ...path: readonly number[]): Der =>
  path.reduce(
    (one, index) => one.members.at(index) ?? { tag: 0, whole: one.whole, content: one.content, members: [] },
    value,
  )

const hex = (digits: string): Buffer => Buffer.from(digits, 'hex')
/** Writes a DER value from its contents. */
function write(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents)
  const bytes = hex(body.length.toString(16).padStart(body.length > 0xff ? 4 : 2, '0'))
  return Buffer.concat([Buffer.from([tag]), Buffer.from(body.length < 0x80 ? [] : [0x80 + bytes.length]), bytes, body])
}

const [CONTENT_TYPE, DIGEST, CERTIFICATE_V2, DATA, SIGNED_DATA, SHA256, ECDSA, RSA] = [
  '06092a864886f70d010903',
  '06092a864886f70d010904',
  '060b2a864886f70d010910022f',
  '06092a864886f70d010701',
  '06092a864886f70d010702',
  '300b0609608648016503040201',
  '300a06082a8648ce3d040302',
  '300d06092a864886f70d01010b0500',
].map(hex) as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer]

/** docs/format/seal.md: the seal is the one encoding of its parts, signed by the certificate that the reader knows, below the trusted root. */
function sealProblems(files: Files, { root, pin }: Given): string[] {
  const seal = files.get('signature/tagmanifest.p7s') ?? Buffer.alloc(2)
  const signed = part(der(seal), 1, 0)
  const signature = part(signed, -1, 0, 5).content
  const inside = part(signed, 3).members.map(({ whole }) => new X509Certificate(whole))
  const leaf = inside.find((one) => sha256(one.raw) === pin)
  if (leaf === undefined) return ['seal: another key']
  const [, serial, , issuer] = part(der(leaf.raw), 0).members.map(({ whole }) => whole) as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ]
  const names = write(0x30, write(0x30, write(0xa4, issuer)), serial)
  const reference = write(0x30, write(0x30, write(0x30, write(0x04, hex(pin)), names)))
  const list = files.get('tagmanifest-sha256.txt') ?? ''
  const attributes = [
    write(0x30, CONTENT_TYPE, write(0x31, DATA)),
    write(0x30, DIGEST, write(0x31, write(0x04, hex(sha256(list))))),
    write(0x30, CERTIFICATE_V2, write(0x31, reference)),
  ].sort(Buffer.compare)
  const by = leaf.publicKey.asymmetricKeyType === 'ec' ? ECDSA : RSA
  const version = hex('020101')
  const info = write(
    0x30,
    version,
    write(0x30, issuer, serial),
    SHA256,
    write(0xa0, ...attributes),
    by,
    write(0x04, signature),
  )
  const certificates = inside.map(({ raw }) => raw).sort(Buffer.compare)
  const parts = [version, write(0x31, SHA256), write(0x30, DATA), write(0xa0, ...certificates), write(0x31, info)]
  const problems: string[] = []
  if (!seal.equals(write(0x30, SIGNED_DATA, write(0xa0, write(0x30, ...parts)))))
    problems.push('seal: other bytes or form')
  // RFC 5652 §5.4: what is signed is the SET OF attributes.
  if (!verify('sha256', write(0x31, ...attributes), leaf.publicKey, signature)) problems.push('seal: signature')
  if (by === ECDSA && BigInt(`0x${part(der(signature), 1).content.toString('hex')}`) > HALF_OF_P256)
    problems.push('seal: higher s')
  const brought =
    text(files, 'signature/chain.pem').match(/-----BEGIN[^-]+-----[^-]+-----END CERTIFICATE-----\n/g) ?? []
  const offered = [...inside, ...brought.map((pem) => new X509Certificate(pem)), new X509Certificate(root)]
  let below = leaf
  for (let steps = 0; sha256(below.raw) !== sha256(root); steps += 1) {
    const issuer = offered.find((one) => one.ca && below.checkIssued(one) && below.verify(one.publicKey))
    if (issuer === undefined || issuer === below || steps > 6) return [...problems, 'seal: does not lead to the root']
    below = issuer
  }
  return problems
}

const HALF_OF_P256 = 0x7fffffff_80000000_7fffffff_ffffffff_de737d56_d38bcf42_79dce561_7e3192a8n

/** docs/format/pack.md, “Statement”, and docs/format/recording.md. */
function evidenceProblems(files: Files): string[] {
  const problems: string[] = []
  const { subject = [], predicate = {} } = json(files, 'statement.json', problems)
  for (const { name, digest } of subject)
    if (sha256(files.get(name) ?? '') !== digest.sha256) problems.push(`statement: ${name}`)
  const lines = linesOf(files, 'manifest-sha256.txt').filter((line) => !line.includes('  data/report'))
  const evidence = sha256(lines.map((line) => `${line}\n`).join(''))
  if (predicate.report?.evidenceDigest !== evidence) problems.push('statement: evidence digest')
  if (!text(files, 'bag-info.txt').includes(`\nEvidence-Digest: ${evidence}\n`)) problems.push('bag-info.txt: digest')
  const payload = [...files].filter(([path]) => path.startsWith('data/'))
  const oxum = `${payload.reduce((sum, [, { length }]) => sum + length, 0)}.${payload.length}`
  if (!text(files, 'bag-info.txt').includes(`\nPayload-Oxum: ${oxum}\n`)) problems.push('bag-info.txt: Payload-Oxum')
  for (const { name, recording } of predicate.nodes ?? []) {
    const folder = `data/nodes/${name}`
    if (recording === null) continue
    json(files, `${folder}/recording.json`, problems)
    if (sha256(text(files, `${folder}/recording.json`), text(files, `${folder}/captures.jsonl`)) !== recording)
      problems.push(`${folder}: recording digest`)
    for (const line of linesOf(files, `${folder}/captures.jsonl`)) {
      const capture = JSON.parse(line)
      if (canonical(capture) !== line) problems.push(`${folder}: capture is not canonical`)
      for (const { sha256: digest, size } of [capture.stdout, capture.stderr]) {
        const bytes = files.get(`${folder}/sha256/${digest}`)
        if (bytes?.length !== size || sha256(bytes ?? '') !== digest) problems.push(`${folder}: ${capture.probe}`)
      }
    }
  }
  return problems
}

const node = (left: string, right: string): string => sha256(Buffer.from(`01${left}${right}`, 'hex'))

/** docs/format/run-chain.md, “Hashing” (RFC 9162 §2.1.1). */
export function treeRoot(leaves: readonly string[]): string {
  if (leaves.length < 2) return leaves[0] ?? sha256('')
  let middle = 1
  while (middle * 2 < leaves.length) middle *= 2
  return node(treeRoot(leaves.slice(0, middle)), treeRoot(leaves.slice(middle)))
}

/** docs/format/run-chain.md: leaves, root and the inclusion of the last run; `leaves` is for comparing with a checkpoint. */
export function runChain(files: Files): { readonly leaves: readonly string[]; readonly problems: readonly string[] } {
  const problems: string[] = []
  const head = json(files, 'data/log/chain.json', problems)
  const entries = linesOf(files, 'data/log/entries.jsonl').map((line): Json => JSON.parse(line))
  const leaves = entries.map(({ entry }) => sha256('\0', canonical(entry)))
  if (linesOf(files, 'data/log/leaves.txt').join() !== leaves.join()) problems.push('chain: leaves')
  if (head.size !== leaves.length || head.root !== treeRoot(leaves)) problems.push('chain: root')
  const proof = linesOf(files, 'data/log/inclusion.txt').map((line) => line.split(' '))
  const stated = (name: string): string => proof.find(([key]) => key === name)?.[1] ?? ''
  if (proof.length > 0) {
    let [at, last, hash] = [Number(stated('index')), Number(stated('size')) - 1, leaves[Number(stated('index'))] ?? '']
    for (const [, beside = ''] of proof.filter(([key]) => key === 'path')) {
      const isRight = at % 2 === 1 || at === last
      hash = isRight ? node(beside, hash) : node(hash, beside)
      while (isRight && at % 2 === 0 && at !== 0) [at, last] = [at >> 1, last >> 1]
      ;[at, last] = [at >> 1, last >> 1]
    }
    if (last !== 0 || hash !== head.root) problems.push('chain: inclusion')
  }
  return { leaves, problems }
}

/** docs/format/redacted-copy.md, “Commitments”: the line of each unit, from what is open and what is only committed to. */
function copyProblems(files: Files): string[] {
  const roots = linesOf(files, 'disclosure-sha256.txt')
  const units = linesOf(files, 'disclosed.jsonl').map((line): Json => JSON.parse(line))
  const line = (of: string, one: Json): string => {
    if (one.commitment !== undefined) return `${of} ${one.class} ${one.bucket} ${one.commitment}\n`
    const bytes = one.base64 === undefined ? Buffer.from(one.text, 'utf8') : Buffer.from(one.base64, 'base64')
    const bucket = 2 ** Math.max(3, Math.ceil(Math.log2(bytes.length)))
    const over = sha256('barewitness-disclosure/1 part\0', Buffer.from(one.salt, 'hex'), bytes)
    return `${of} ${one.class} ${bucket} ${over}\n`
  }
  const found = units.map(({ path, content }) =>
    sha256(
      'barewitness-disclosure/1 unit\n',
      ...path.map((one: Json) => line('path', one)),
      ...content.map((one: Json) => line('content', one)),
    ),
  )
  return found.join() === roots.join() ? [] : ['copy: a unit is not what its line holds']
}

/** Everything that is wrong with a pack or a redacted copy; empty when steps 1 to 7 pass. */
export function problemsOf(zip: Uint8Array, given: Given): readonly string[] {
  try {
    const files = unpacked(zip)
    const problems: string[] = []
    const isCopy = files.has('disclosed.jsonl')
    const tags = listed(files, 'tagmanifest-sha256.txt', problems)
    const payload = isCopy ? new Map<string, string>() : listed(files, 'manifest-sha256.txt', problems)
    for (const [path, bytes] of files) {
      if (isOfSeal(path) || (isCopy && /^disclos(ed\.jsonl|ure\.json)$/.test(path))) continue
      if ((path.startsWith('data/') ? payload : tags).get(path) !== sha256(bytes))
        problems.push(`${path}: not as listed`)
    }
    if (!isCopy)
      for (const path of [...tags.keys(), ...payload.keys()]) if (!files.has(path)) problems.push(`${path}: missing`)
    return [
      ...problems,
      ...sealProblems(files, given),
      ...(isCopy ? copyProblems(files) : [...evidenceProblems(files), ...runChain(files).problems]),
    ]
  } catch (error) {
    return [`unreadable: ${String(error)}`]
  }
}
