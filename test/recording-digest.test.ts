import { expect, test } from 'vitest'
import { catalog } from '../main/catalog/definition/index.ts'
import {
  captureLine,
  inPackOrder,
  keepDigest,
  recordingDigest,
  recordingJson,
} from '../main/core/recording/recording.ts'
import { fixtureRecording } from './support/fixtures.ts'

const { recording, captures } = inPackOrder(fixtureRecording('demo-gpu-01', catalog.probes))
const text = `${recordingJson(recording)}${captures.map(({ meta }) => captureLine(meta)).join('')}`

test('the digest is that of the text of the files, whether it is found from them or from the recording', () => {
  const [fromText, fromParts] = [
    { recording, captures },
    { recording, captures },
  ]
  keepDigest(fromText, text)
  expect(recordingDigest(fromText)).toBe(recordingDigest(fromParts))
})

test('no digest is kept from a text whose lines are in another order', () => {
  const turned = { recording, captures: [...captures].reverse() }
  keepDigest(turned, 'another text')
  expect(recordingDigest(turned)).toBe(recordingDigest({ recording, captures }))
  expect(inPackOrder(turned)).toEqual({ recording, captures })
})

test('a recording in another order keeps its digest in the order of a pack', () => {
  const turned = { recording, captures: [...captures].reverse() }
  recordingDigest(turned)
  expect(inPackOrder(turned).captures[0]).toEqual(captures[0])
  const ordered = { recording, captures }
  expect(inPackOrder(ordered)).toBe(ordered)
})
