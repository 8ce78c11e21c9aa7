import * as zlib from 'node:zlib'
import { jsonBytes } from '../../main/core/base/canonical-json.ts'
import { sha256 } from '../../main/core/base/digest.ts'
import { PATHS } from '../../main/core/pack/pack.ts'
import { evidenceDigestOf, manifestLines, nodeAssessmentPath } from '../../main/core/pack/pack-files.ts'
import type { Signer } from '../../main/core/ports/ports.ts'
import type { Assessment, NodeAssessment } from '../../schemas/types.ts'
import { registerOf, riskAcceptanceOf } from './register.ts'
import { samplePack, sampleRecording, sealing } from './sample-pack.ts'

/** One way to tamper with a pack: what it does to the files, and what a verifier must say. */
export interface FileAttack {
  readonly name: string
  readonly tamper: (files: ReadonlyMap<string, Uint8Array>, ports: AttackPorts) => Promise<Map<string, Uint8Array>>
  /** Answers that must be `no`. */
  readonly no: readonly string[]
  /** Must stand in the details of one of them. */
  readonly names: RegExp
  /** The attacker holds the signer's own key: openssl and sha256sum can't see what is wrong, only we do. */
  readonly onlyOurs?: true
}

export interface AttackPorts {
  readonly signer: Signer
  readonly stranger: Signer
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (files: ReadonlyMap<string, Uint8Array>, path: string): string =>
  new TextDecoder().decode(files.get(path))
const must = <T>(value: T | undefined): T => {
  if (value === undefined) throw new Error('the sample pack changed its shape')
  return value
}

/** The honest assessment, with the results of every node changed. */
const eachNode =
  (change: (node: NodeAssessment) => NodeAssessment) =>
  (honest: Assessment): Assessment => ({ ...honest, nodes: honest.nodes.map(change) })

const rawAnswer = (files: ReadonlyMap<string, Uint8Array>, node: string): string =>
  must(
    [...files.keys()].find(
      (path) => path.startsWith(`data/nodes/${node}/sha256/`) && (files.get(path)?.length ?? 0) > 0,
    ),
  )

/** Makes every list fit the files again, as far as that goes without the key. */
export function relist(files: ReadonlyMap<string, Uint8Array>): Map<string, Uint8Array> {
  const payload = new Map([...files].filter(([path]) => path.startsWith('data/')))
  const manifest = manifestLines(payload)
  const oxum = `${[...payload.values()].reduce((sum, { length }) => sum + length, 0)}.${payload.size}`
  const info = textOf(files, PATHS.info)
    .replace(/^Payload-Oxum: .*$/m, `Payload-Oxum: ${oxum}`)
    .replace(/^Evidence-Digest: .*$/m, `Evidence-Digest: ${evidenceDigestOf(manifest)}`)
  return retag(
    new Map([
      ...files,
      [PATHS.manifest, utf8(manifest)],
      ...(files.has(PATHS.info) ? [[PATHS.info, utf8(info)] as const] : []),
    ]),
  )
}

export function retag(files: ReadonlyMap<string, Uint8Array>): Map<string, Uint8Array> {
  const tags = [...files].filter(
    ([path]) => !path.startsWith('data/') && path !== PATHS.tagManifest && path !== PATHS.seal,
  )
  return new Map([...files, [PATHS.tagManifest, utf8(manifestLines(new Map(tags)))]])
}

export async function reseal(files: ReadonlyMap<string, Uint8Array>, signer: Signer): Promise<Map<string, Uint8Array>> {
  const tagged = retag(files)
  return new Map([...tagged, [PATHS.seal, await sealing.signDetached(signer, must(tagged.get(PATHS.tagManifest)))]])
}

const upgrade = (files: ReadonlyMap<string, Uint8Array>): Map<string, Uint8Array> => {
  const path = nodeAssessmentPath('node-b')
  const before = must(files.get(path))
  const after = utf8(textOf(files, path).replaceAll('"verdict":"not-satisfied"', '"verdict":"satisfied"'))
  const index = utf8(textOf(files, PATHS.assessment).replaceAll(sha256(before), sha256(after)))
  return new Map([...files, [path, after], [PATHS.assessment, index]])
}

export const fileAttacks: readonly FileAttack[] = [
  {
    name: 'one byte of a raw answer altered',
    tamper: async (files) => {
      const path = rawAnswer(files, 'node-b')
      const bytes = Uint8Array.from(must(files.get(path)))
      bytes[0] = (bytes[0] ?? 0) ^ 1
      return new Map([...files, [path, bytes]])
    },
    no: ['integrity', 'completeness'],
    names: /node-b\/sha256\/.*was altered/,
  },
  {
    name: 'a file added',
    tamper: async (files) => new Map([...files, ['data/documents/policy.pdf', utf8('made up')]]),
    no: ['integrity', 'completeness'],
    names: /data\/documents\/policy\.pdf.*was added/,
  },
  {
    name: 'an accepted exception written into the register',
    tamper: async (files) =>
      new Map([...files, [PATHS.register, jsonBytes(registerOf({ riskAcceptances: [riskAcceptanceOf()] }))]]),
    no: ['integrity'],
    names: /data\/register\.json.*was altered/,
  },
  {
    name: 'a file added beside the seal',
    tamper: async (files) => new Map([...files, ['signature/other.p7s', utf8('made up')]]),
    no: ['integrity'],
    names: /signature\/other\.p7s.*was added/,
  },
  {
    name: 'a file removed',
    tamper: async (files) => new Map([...files].filter(([path]) => path !== rawAnswer(files, 'node-b'))),
    no: ['integrity', 'completeness'],
    names: /node-b\/sha256\/.*is missing/,
  },
  {
    name: 'recordings swapped between two nodes',
    tamper: async (files) => {
      const other = (path: string): string =>
        path.replace(/^data\/nodes\/node-([ab])\//, (_, node: string) => `data/nodes/node-${node === 'a' ? 'b' : 'a'}/`)
      return new Map([...files].map(([path, bytes]) => [other(path), bytes]))
    },
    no: ['integrity', 'completeness'],
    names: /node-a\/recording\.json.*contains the file listed as .*node-b/,
  },
  {
    name: 'a file renamed and the list of digests edited',
    tamper: async (files) => {
      const renamed = new Map(
        [...files].map(([path, bytes]) => [path === PATHS.register ? 'data/waivers.json' : path, bytes]),
      )
      const payload = new Map([...renamed].filter(([path]) => path.startsWith('data/')))
      return new Map([...renamed, [PATHS.manifest, utf8(manifestLines(payload))]])
    },
    no: ['integrity'],
    names: /manifest-sha256\.txt.*was altered/,
  },
  {
    name: 'a file renamed and nothing else',
    tamper: async (files) =>
      new Map([...files].map(([path, bytes]) => [path === PATHS.report ? 'data/report-old.pdf' : path, bytes])),
    no: ['integrity'],
    names: /data\/report\.pdf.*was renamed to .*data\/report-old\.pdf/,
  },
  {
    name: 'a verdict edited, all lists recomputed, not sealed again',
    tamper: async (files) => relist(upgrade(files)),
    no: ['signature', 'reproducibility'],
    names: /node-b.*encryption\.at-rest\.swap.*stated .*“Satisfied”.*derived .*“Not satisfied”/,
  },
  {
    name: 'a verdict edited in the trace that later runs are compared with, sealed again',
    tamper: (files, { signer }) =>
      reseal(
        relist(new Map([...files, [PATHS.trace, utf8(textOf(files, PATHS.trace).replace('"c"', '"m"'))]])),
        signer,
      ),
    no: ['reproducibility'],
    onlyOurs: true,
    names: /data\/trace\.json differs from the run trace derived/,
  },
  {
    name: 'a verdict edited and the whole pack sealed by a foreign key',
    tamper: (_, { stranger }) =>
      samplePack({
        signer: stranger,
        forge: eachNode((node) => ({
          ...node,
          results: node.results.map((found) => ({ ...found, verdict: 'satisfied' as const })),
        })),
      }),
    no: ['signature', 'reproducibility'],
    names: /node-b.*encryption\.at-rest\.swap/,
  },
  {
    name: 'a control state edited by the signer',
    tamper: (_, { signer }) =>
      samplePack({
        signer,
        forge: (honest) => ({
          ...honest,
          controls: honest.controls.map((control) => ({
            ...control,
            state: 'supported' as const,
          })),
        }),
      }),
    no: ['reproducibility'],
    names: /Control C1 \(soc2\): stated “Supported”.*derived “Deviations noted”/,
    onlyOurs: true,
  },
  {
    name: 'an isolation answer edited by the signer',
    tamper: (_, { signer }) =>
      samplePack({
        signer,
        forge: eachNode((node) => ({
          ...node,
          isolation: node.isolation && { ...node.isolation, environment: 'bare-metal' as const },
        })),
      }),
    no: ['reproducibility'],
    names: /node-a.*isolation: stated .*bare-metal.*derived .*undetermined/,
    onlyOurs: true,
  },
  {
    name: 'an isolation dossier edited by the signer, its answers left alone',
    tamper: (_, { signer }) =>
      samplePack({
        signer,
        forge: eachNode((node) => ({
          ...node,
          isolation: node.isolation && {
            ...node.isolation,
            likelihood: { asObserved: -9, withoutCheapSignals: -9, families: [] },
          },
        })),
      }),
    no: ['reproducibility'],
    names: /node-a.*isolation: same results, different isolation analysis/,
    onlyOurs: true,
  },
  {
    name: 'a reason reworded by the signer',
    tamper: (_, { signer }) =>
      samplePack({
        signer,
        forge: eachNode((node) => ({
          ...node,
          results: node.results.map((found) => ({
            ...found,
            observations: found.observations.map((reason) => ({ ...reason, text: 'All is well.' })),
          })),
        })),
      }),
    no: ['reproducibility'],
    names: /node-a.*same verdict, different observations/,
    onlyOurs: true,
  },
  {
    name: 'the seal of another pack of the same signer',
    tamper: async (files, { signer }) => {
      const other = await samplePack({ signer, recordings: [sampleRecording('node-a', '')], population: ['node-a'] })
      return new Map([...files, [PATHS.seal, must(other.get(PATHS.seal))]])
    },
    no: ['signature'],
    names: /does not cover these bytes/,
  },
  {
    name: 'the seal removed',
    tamper: async (files) => new Map([...files].filter(([path]) => path !== PATHS.seal)),
    no: ['signature'],
    names: /No seal/,
  },
  {
    name: 'the tag manifest removed',
    tamper: async (files) => new Map([...files].filter(([path]) => path !== PATHS.tagManifest)),
    no: ['integrity', 'signature'],
    names: /tagmanifest-sha256\.txt is missing/,
  },
  {
    name: 'a second line for one path in the manifest, sealed by the signer',
    tamper: async (files, { signer }) => {
      const manifest = textOf(files, PATHS.manifest)
      const [first = ''] = manifest.split('\n')
      return reseal(new Map([...files, [PATHS.manifest, utf8(`${manifest}${first}\n`)]]), signer)
    },
    no: ['integrity'],
    names: /manifest-sha256\.txt:\d+ lists .*twice or out of order/,
  },
  {
    name: 'a path out of the pack in the manifest, sealed by the signer',
    tamper: async (files, { signer }) =>
      reseal(
        new Map([
          ...files,
          [PATHS.manifest, utf8(`${textOf(files, PATHS.manifest)}${'0'.repeat(64)}  ../../etc/passwd\n`)],
        ]),
        signer,
      ),
    no: ['integrity'],
    names: /manifest-sha256\.txt:\d+ is not a valid line/,
  },
  {
    name: 'the report replaced, all lists but the statement recomputed, sealed by the signer',
    tamper: async (files, { signer }) =>
      reseal(relist(new Map([...files, [PATHS.report, utf8('%PDF-1.7 an older report\n')]])), signer),
    no: ['integrity'],
    names: /statement\.json and the files disagree about .*data\/report\.pdf/,
    onlyOurs: true,
  },
  {
    name: 'a host key replaced in a recording, all lists recomputed',
    tamper: async (files) => {
      const path = 'data/nodes/node-b/recording.json'
      return relist(
        new Map([...files, [path, utf8(textOf(files, path).replace(/SHA256:b+/, `SHA256:${'c'.repeat(43)}`))]]),
      )
    },
    no: ['signature', 'completeness'],
    names: /node-b.*names a different recording/,
  },
]

/** One entry of an archive, with every lie that the format allows. */
export interface RawEntry {
  readonly name: string
  readonly data: Uint8Array
  readonly localName?: string
  readonly mode?: number
  readonly deflate?: boolean
  readonly statedSize?: number
  readonly flags?: number
  readonly extra?: Uint8Array
  /** Points at the header of an earlier entry and writes none of its own. */
  readonly sameHeaderAs?: number
  /** Bytes between this entry and the next. */
  readonly gap?: Uint8Array
  /** Bytes after the end of the packed data, counted as part of it. */
  readonly tail?: Uint8Array
}

/** An archive written by hand (PKWARE APPNOTE 6.3.10), where a well-behaved library would refuse. */
export function rawZip(entries: readonly RawEntry[]): Uint8Array {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  const offsets: number[] = []
  let at = 0
  for (const entry of entries) {
    const data = entry.deflate === true ? zlib.deflateRawSync(entry.data) : entry.data
    const packed = Buffer.concat([data, entry.tail ?? new Uint8Array()])
    const common = (name: Buffer): Buffer => {
      const head = Buffer.alloc(26)
      head.writeUInt16LE(20, 0)
      head.writeUInt16LE(entry.flags ?? 0, 2)
      head.writeUInt16LE(entry.deflate === true ? 8 : 0, 4)
      head.writeUInt16LE(0x21, 8)
      head.writeUInt32LE(zlib.crc32(entry.data), 10)
      head.writeUInt32LE(packed.length, 14)
      head.writeUInt32LE(entry.statedSize ?? entry.data.length, 18)
      head.writeUInt16LE(name.length, 22)
      head.writeUInt16LE(entry.extra?.length ?? 0, 24)
      return head
    }
    const extra = Buffer.from(entry.extra ?? new Uint8Array())
    const name = Buffer.from(entry.name, 'latin1')
    const local = Buffer.from(entry.localName ?? entry.name, 'latin1')
    const reused = entry.sameHeaderAs === undefined ? undefined : offsets[entry.sameHeaderAs]
    offsets.push(reused ?? at)
    if (reused === undefined) {
      const written = Buffer.concat([
        Buffer.from('PK\x03\x04', 'latin1'),
        common(local),
        local,
        extra,
        packed,
        Buffer.from(entry.gap ?? []),
      ])
      parts.push(written)
      at += written.length
    }
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6)
    tail.writeUInt32LE(must(offsets.at(-1)), 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common(name), tail, name, extra]))
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(at, 16)
  return new Uint8Array(Buffer.concat([...parts, list, end]))
}

export const rawEntries = (files: ReadonlyMap<string, Uint8Array>): RawEntry[] =>
  [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, data]) => ({ name: `pack/${path}`, data }))

export interface ArchiveAttack {
  readonly name: string
  readonly build: (files: ReadonlyMap<string, Uint8Array>) => Uint8Array
  readonly detail: RegExp
  /** unzip passes over the bytes that belong to nothing and unpacks the genuine files. */
  readonly sameContent?: true
}

const evil = utf8('evil')
const more = (name: string, build: (good: RawEntry[]) => readonly RawEntry[], detail: RegExp): ArchiveAttack => ({
  name,
  build: (files) => rawZip(build(rawEntries(files))),
  detail,
})

export const archiveAttacks: readonly ArchiveAttack[] = [
  more(
    'a name that leads out',
    (good) => [...good, { name: 'pack/../../evil', data: evil }],
    /evil.*leads out|relative path/,
  ),
  more('an absolute name', (good) => [...good, { name: '/tmp/evil', data: evil }], /absolute/),
  more('a drive letter', (good) => [...good, { name: 'C:/evil', data: evil }], /absolute/),
  more('a backslash', (good) => [...good, { name: 'pack\\..\\evil', data: evil }], /backslash|invalid characters/),
  more('a control character', (good) => [...good, { name: 'pack/data/a\nb', data: evil }], /control characters/),
  more('a character outside ASCII', (good) => [...good, { name: 'pack/data/\xe9', data: evil }], /outside ASCII/),
  more('one name twice', (good) => [...good, { name: 'pack/data/scope.json', data: evil }], /data\/scope\.json.*twice/),
  more(
    'names that differ only in case',
    (good) => [...good, { name: 'pack/data/Scope.json', data: evil }],
    /differ only in case/,
  ),
  more('a file below a file', (good) => [...good, { name: 'pack/data/scope.json/x', data: evil }], /below a file/),
  more(
    'a symbolic link',
    (good) => [...good, { name: 'pack/data/link', data: utf8('/etc/passwd'), mode: 0o120777 }],
    /data\/link.*symbolic link/,
  ),
  more('a device', (good) => [...good, { name: 'pack/data/null', data: evil, mode: 0o020666 }], /not a regular file/),
  more(
    'a bomb',
    (good) => [...good, { name: 'pack/data/zeros', data: new Uint8Array(8 * 1024 * 1024), deflate: true }],
    /data\/zeros.*200 times/,
  ),
  more(
    'a bomb that lies about its size',
    (good) => [
      ...good,
      { name: 'pack/data/zeros', data: new Uint8Array(8 * 1024 * 1024), deflate: true, statedSize: 9000 },
    ],
    /exceeds the size limit|larger than its stated size|cannot be unpacked/,
  ),
  more(
    'two entries that share bytes',
    (good) => [...good, { name: 'pack/data/again', data: must(good[0]).data, sameHeaderAs: 0 }],
    /overlaps/,
  ),
  more(
    'another name in the entry’s own header',
    (good) =>
      good.map((entry) =>
        entry.name === 'pack/data/scope.json' ? { ...entry, localName: 'pack/data/scope.jsom' } : entry,
      ),
    /data\/scope\.json.*another name/,
  ),
  {
    name: 'hidden bytes between entries',
    build: (files) => rawZip(rawEntries(files).map((entry, index) => (index === 3 ? { ...entry, gap: evil } : entry))),
    detail: /belong to no entry/,
    sameContent: true,
  },
  {
    ...more(
      'hidden bytes inside a compressed entry',
      (good) => [...good, { name: 'pack/data/two', data: utf8('seen'), deflate: true, tail: evil }],
      /data\/two.*belong to no entry/,
    ),
    sameContent: true,
  },
  more(
    'an entry that ends otherwise than the list says',
    (good) => [...good, { name: 'pack/data/later', data: evil, flags: 8, gap: new Uint8Array(16) }],
    /data\/later.*data descriptor/,
  ),
  more(
    'an encrypted entry',
    (good) => [...good, { name: 'pack/data/locked', data: evil, flags: 1 }],
    /encrypted|mismatch/,
  ),
  more(
    'the 64-bit form',
    (good) => [
      ...good,
      { name: 'pack/data/wide', data: evil, extra: new Uint8Array([1, 0, 8, 0, 4, 0, 0, 0, 0, 0, 0, 0]) },
    ],
    /additional fields|64|zip64/i,
  ),
  more(
    'a second name in an additional field',
    (good) => [
      ...good,
      { name: 'pack/data/two', data: evil, extra: new Uint8Array([0x75, 0x70, 6, 0, 1, 0, 0, 0, 0, 65]) },
    ],
    /additional fields/,
  ),
  {
    name: 'bytes before the archive',
    build: (files) => Buffer.concat([Buffer.from('#!/bin/sh\n'), rawZip(rawEntries(files))]),
    detail: /before/,
  },
  {
    name: 'two archives in one file',
    build: (files) => Buffer.concat([rawZip([{ name: 'pack/x', data: evil }]), rawZip(rawEntries(files))]),
    detail: /before/,
  },
  {
    name: 'bytes after the archive',
    build: (files) => Buffer.concat([rawZip(rawEntries(files)), Buffer.from('more')]),
    detail: /does not end where/,
    sameContent: true,
  },
]
