import { plain } from '../plain-text.ts'
import { compare } from '../recording.ts'
import type { Matter } from './input.ts'
import { type Block, type Cell, heading, monoCell, plainCell, quiet, type Section, text } from './model.ts'
import { profileCell } from './profile.ts'
import { reached } from './tally.ts'
import { names, of, when } from './wording.ts'

/** Page 1: what this is, which nodes, when, by whom, and how to check it. */
export function cover(matter: Matter): Section {
  const { assessment, demo } = matter
  const synthetic = assessment.nodes.filter((node) => node.synthetic !== null)
  const blocks: Block[] = [
    {
      kind: 'title',
      over: 'Evidence report',
      text: plain(assessment.scope.fleet, 80),
      under: 'Single tenancy, encryption, location and access control, as observed on dedicated servers',
    },
  ]
  if (demo) blocks.push(DEMO)
  if (synthetic.length > 0 && !demo)
    blocks.push({
      kind: 'banner',
      title: 'Contains recordings that were made up or edited',
      text: `These nodes rest on recordings that were made up, not taken from a machine: ${names(synthetic.map(({ node }) => node))}.`,
    })
  blocks.push({ kind: 'facts', rows: facts(matter) })
  blocks.push(heading(3, 'What this report is'), text(IS), heading(3, 'What this report is not'), text(IS_NOT))
  blocks.push(heading(3, 'Contents'), { kind: 'contents' }, quiet(WHERE))
  return { id: 'cover', title: 'About this report', blocks }
}

const DEMO: Block = {
  kind: 'banner',
  title: 'Demo data',
  text: 'This report was made from the built-in demo fleet. It says nothing about any real server and must not be used as evidence.',
}

const IS =
  'A reading of what the declared servers answered to a fixed list of read-only questions, at the times given. Each statement names the node, the time, the rights used and the recorded answers it rests on. Anyone who holds the evidence pack can evaluate the same answers again and compare.'
const IS_NOT =
  'It is not an audit opinion, an attestation or legal advice, and it does not decide whether a law or a framework is satisfied. Items that rest on policies, contracts or decisions of people are listed as such. A supported item means that evidence supports it, within the limits printed beside it.'
const WHERE =
  'The evaluated results are embedded in this file as assessment.json. The raw answers are in the evidence pack.'

function facts(matter: Matter): readonly { label: string; value: Cell }[] {
  const { assessment, recordings, signer } = matter
  const { nodes, scope, catalog } = assessment
  const starts = recordings.map(({ recording }) => recording.startedAt).sort(compare)
  const ends = recordings.map(({ recording }) => recording.endedAt).sort(compare)
  const answered = nodes.filter(reached)
  const silent = nodes.filter((node) => !reached(node))
  const reach: Cell = [
    { text: `${of(answered.length, nodes.length)} declared nodes answered` },
    ...(silent.length > 0
      ? [
          {
            text: `Without evidence: ${names(
              silent.map(({ node }) => node),
              6,
            )}`,
          },
        ]
      : []),
  ]
  const period = starts[0] === undefined ? 'Nothing was observed' : `${when(starts[0])} to ${when(ends.at(-1) ?? '')}`
  const frameworks = matter.catalog.frameworks.filter(({ id }) => scope.frameworks.includes(id))
  return [
    ...(matter.generatedFor === undefined ? [] : [{ label: 'Made for', value: plainCell(plain(matter.generatedFor)) }]),
    { label: 'Nodes', value: reach },
    { label: 'Observed', value: plainCell(period) },
    { label: 'Judged as of', value: plainCell(when(assessment.asOf)) },
    { label: 'Compared against', value: profileCell(matter) },
    { label: 'Frameworks', value: frameworks.map(({ title }) => ({ text: title })) },
    { label: 'Made by', value: plainCell(`${matter.producer}, rules engine ${plain(assessment.engine, 40)}`) },
    {
      label: 'Catalog',
      value: [{ text: `Version ${plain(catalog.version, 40)}, SHA-256` }, { text: catalog.digest, style: 'mono' }],
    },
    { label: 'Evidence pack', value: plainCell(plain(matter.packName)) },
    { label: 'Evidence digest', value: monoCell(matter.evidenceDigest) },
    {
      label: 'Signer',
      value:
        signer === null
          ? plainCell('None. This copy carries no signature.')
          : [
              { text: `${plain(signer.subject)}, certificate SHA-256` },
              { text: signer.fingerprint, style: 'mono' },
              { text: 'Compare this fingerprint with one that the signer gave you by another way.', style: 'quiet' },
            ],
    },
  ]
}
