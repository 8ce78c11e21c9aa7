import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { recordingMessages } from '../main/adapters/kept-rules/recording-message.ts'
import { canonicalJson } from '../main/core/base/canonical-json.ts'
import { sha256 } from '../main/core/base/digest.ts'
import { type LoadedRecording, recordingDigest } from '../main/core/recording/recording.ts'
import { canonical, readRecording } from '../main/verify/steps/read.ts'
import { commonOutputs, textsOf } from '../main/verify/steps/read-once.ts'
import type { Capture } from '../schemas/types.ts'
import { sampleRecording, sourceOf } from './support/sample-pack.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const streamOf = (bytes: Uint8Array): Capture['stdout'] => ({ sha256: sha256(bytes), size: bytes.length })
const ANY = { problems: () => [] }
const SWAPS = 'NAME TYPE SIZE USED PRIO\n'

/** The files of a recording in a pack, by their path. */
function filesOf({ recording, captures }: LoadedRecording): Map<string, Uint8Array> {
  const folder = `data/nodes/${recording.node.name}`
  return new Map([
    [`${folder}/recording.json`, utf8(`${canonicalJson(recording)}\n`)],
    [`${folder}/captures.jsonl`, utf8(captures.map(({ meta }) => `${canonicalJson(meta)}\n`).join(''))],
    ...captures.flatMap(({ meta, stdout, stderr }) => [
      [`${folder}/sha256/${meta.stdout.sha256}`, stdout] as const,
      [`${folder}/sha256/${meta.stderr.sha256}`, stderr] as const,
    ]),
  ])
}

/** A source that hashed its files when it was opened, and counts what is read since. */
function hashed(files: ReadonlyMap<string, Uint8Array>) {
  const read: string[] = []
  const source = sourceOf(files)
  return {
    read,
    source: {
      ...source,
      read: async (path: string, most?: number) => {
        read.push(path)
        return await source.read(path, most)
      },
      comparedWith: (path: string) => {
        const bytes = files.get(path)
        if (bytes === undefined) throw new Error(`no file ${path}`)
        return sha256(bytes)
      },
    },
  }
}

describe('outputs that nodes have in common', () => {
  const recordings = ['gpu-01', 'gpu-02'].map((node) => sampleRecording(node, SWAPS))
  const files = new Map(recordings.flatMap((one) => [...filesOf(one)]))
  const readBoth = async (all: ReadonlyMap<string, Uint8Array>) => {
    const { source, read } = hashed(all)
    const common = commonOutputs()
    const found = []
    for (const { recording } of recordings) {
      const folder = `data/nodes/${recording.node.name}`
      const paths = [...all.keys()].filter((path) => path.startsWith(`${folder}/`))
      found.push(await readRecording(source, folder, paths, ANY, common))
    }
    return { found, read }
  }

  test('are read once and in memory once, and are the same recordings', async () => {
    const { found, read } = await readBoth(files)
    const [first, second] = found.map(({ recording }) => recording)
    expect(found.flatMap(({ problems }) => problems)).toEqual([])
    expect([first, second].map((one) => one && recordingDigest(one))).toEqual(recordings.map(recordingDigest))
    expect(second?.captures.map(({ stdout }) => new TextDecoder().decode(stdout))).toEqual(
      recordings[1]?.captures.map(({ stdout }) => new TextDecoder().decode(stdout)),
    )
    expect(second?.captures.every(({ stdout }, at) => stdout === first?.captures[at]?.stdout)).toBe(true)
    // The thread of the rules receives the texts that were read.
    expect(second === null || second === undefined ? null : textsOf(second).captures).toBe(
      new TextDecoder().decode(files.get('data/nodes/gpu-02/captures.jsonl')),
    )
    expect(read.filter((path) => path.includes('gpu-01/sha256')).length).toBeGreaterThan(0)
    expect(read.filter((path) => path.includes('gpu-02/sha256'))).toEqual([])
  })

  test('take the place of no file that is missing or has other bytes', async () => {
    const path = [...files.keys()].find((one) => one.includes('gpu-02/sha256') && files.get(one)?.length !== 0) ?? ''
    const without = new Map([...files].filter(([one]) => one !== path))
    for (const all of [without, new Map([...files, [path, utf8('other bytes')]])]) {
      const [, second] = (await readBoth(all)).found
      expect(second?.problems.join()).toContain('is missing or differs from its line')
    }
  })

  test('are kept up to a limit, beyond which those of later nodes are kept', () => {
    const [one, two, large] = [utf8('12345'), utf8('67890'), utf8('larger than the limit')]
    const common = commonOutputs(8)
    common.keep(streamOf(one), one)
    expect(common.of(streamOf(one))).toBe(one)
    expect(common.of({ ...streamOf(one), size: 4 })).toBeNull()
    common.keep(streamOf(two), two)
    expect([one, two].map((bytes) => common.of(streamOf(bytes)))).toEqual([null, two])
    common.keep(streamOf(large), large)
    expect(common.of(streamOf(large))).toBeNull()
  })

  test('are sent to the thread of the rules once, until it has too many', () => {
    const messageOf = recordingMessages(60)
    const received: Uint8Array[] = []
    const sent = [1, 2, 3, 4].map((at) => {
      const bytes = utf8(`output of one node alone: ${at}`)
      const alike = utf8('alike')
      const [capture] = sampleRecording('gpu-01', SWAPS).captures
      const of = (stdout: Uint8Array) => ({ meta: capture?.meta as Capture, stdout, stderr: COMMON })
      return { recording: sampleRecording(`gpu-0${at}`, SWAPS).recording, captures: [of(bytes), of(alike), of(alike)] }
    })
    for (const loaded of sent) {
      const { texts, outputs, fresh, forget } = messageOf(loaded)
      if (forget) received.length = 0
      received.push(...structuredClone(fresh))
      const metas = texts.captures.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Capture]))
      expect(JSON.parse(texts.recording)).toEqual(loaded.recording)
      expect(
        metas.map((meta, at) => ({
          meta,
          stdout: received[outputs[2 * at] ?? -1],
          stderr: received[outputs[2 * at + 1] ?? -1],
        })),
      ).toEqual(loaded.captures)
      expect(received.length).toBeLessThan(8)
    }
  })
})

const COMMON = utf8('common')

describe('a text is canonical', () => {
  test('exactly where it is the canonical text of its value', () => {
    const texts = fc.oneof(
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc.jsonValue().map((value) => canonicalJson(value)),
      fc.json(),
      fc.constantFrom(
        ...['{"a":1,"a":1}', '{"10":0,"9":0}', '{"9":0,"10":0}', '{"a":0,"1":0}', '{"1":0,"a":0}', '-0', '1.0', '1e3'],
        ...['{"__proto__":1}', '{"__proto__":1,"a":1}', '"\\ud800"', '"\\ud83d\\ude00"', '"\\\\ud800"', '"\\u0041"'],
        ...['{"b":1,"a":1}', '{ }', '[1, 2]', '{"\\ud800":1}', '{"a":{"c":1,"b":1}}', '[{"b":1,"a":1}]'],
      ),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const value: unknown = JSON.parse(text)
        expect(canonical(`${text}\n`)).toEqual(canonicalJson(value) === text ? { value } : null)
      }),
      { numRuns: 1000 },
    )
  })
})
