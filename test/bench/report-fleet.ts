import { existsSync, linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { catalog } from '../../main/catalog/definition/index.ts'
import { byProbeAndCommand, captureLine, recordingJson } from '../../main/core/recording/recording.ts'
import { fixtureRecording } from '../support/fixtures.ts'

/** What each node of the fleet is made from, in turn. */
const BASES = ['demo-gpu-01', 'demo-gpu-02', 'demo-guest-03', 'demo-metal-04', 'demo-shared-05', 'demo-nosudo-06']

const nodeNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `node-${String(index + 1).padStart(4, '0')}`)

/**
 * Recordings of so many nodes as folders, laid out as the evidence store leaves them. Nodes of one base have the same answers, so their
 * bytes are on the disk once, by hard links. Gives the names.
 */
export function makeFleet(folder: string, count: number): readonly string[] {
  const bases = BASES.map((base) => fixtureRecording(base, catalog.probes))
  const names = nodeNames(count)
  for (const [index, name] of names.entries()) {
    const base = bases[index % bases.length]
    if (base === undefined) continue
    const place = join(folder, name)
    mkdirSync(join(place, 'sha256'), { recursive: true })
    const recording = {
      ...base.recording,
      id: name,
      run: 'bench',
      node: { ...base.recording.node, name, address: `10.9.${index >> 8}.${index & 255}` },
    }
    writeFileSync(join(place, 'recording.json'), recordingJson(recording))
    const captures = [...base.captures].sort((a, b) => byProbeAndCommand(a.meta, b.meta))
    writeFileSync(join(place, 'captures.jsonl'), captures.map(({ meta }) => captureLine(meta)).join(''))
    const first = join(folder, names[index % bases.length] ?? name, 'sha256')
    for (const { meta, stdout, stderr } of captures)
      for (const [{ sha256: digest }, bytes] of [[meta.stdout, stdout] as const, [meta.stderr, stderr] as const]) {
        const path = join(place, 'sha256', digest)
        if (existsSync(path)) continue
        if (index < bases.length) writeFileSync(path, bytes)
        else linkSync(join(first, digest), path)
      }
  }
  return names
}
