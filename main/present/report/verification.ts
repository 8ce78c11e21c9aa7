import { collectedBy, type Dependence, dependenceOf } from '../../core/independence.ts'
import { names, of, plural } from '../../core/phrases.ts'
import { plain, quote } from '../../core/plain-text.ts'
import { type Block, type Cell, monoCell, plainCell, type Section, text } from '../../core/report-document.ts'
import { signerCell } from './cover.ts'
import type { Matter } from './input.ts'
import { see, titles } from './titles.ts'
import { when } from './wording.ts'

/** How a reader checks this file and its pack, in short: the whole procedure is in the annexes and in VERIFY.txt of the pack. */
export function verificationSection(matter: Matter): Section {
  const { evidenceDigest, packName, producer, assessment, signer, recordings } = matter
  const blocks: Block[] = [
    text(
      `The pack contains every capture, the rules and this report under one seal. Anyone can verify it without an account and without a network: with Barewitness, or with openssl, unzip and sha256sum by the script verify.sh in the pack. ${see('howto')} lists each command.`,
    ),
    { kind: 'code', lines: [`barewitness verify '${plain(packName, 200)}' --trust root.pem`] },
    {
      kind: 'facts',
      rows: [
        { label: 'Signer', value: signerCell(signer) },
        { label: 'Evidence pack', value: plainCell(plain(packName, 200)) },
        { label: 'Collected by', value: collectorCell(recordings) },
        { label: 'Evidence digest', value: monoCell(evidenceDigest) },
        {
          label: 'Evaluated',
          value: plainCell(
            `As of ${when(assessment.asOf)}, by ${producer}, rules ${plain(assessment.catalog.version, 40)}`,
          ),
        },
        { label: 'Rules, SHA-256', value: monoCell(assessment.catalog.digest) },
      ],
    },
  ]
  const dependence = dependenceOf(recordings, assessment)
  if (dependence.length > 0)
    blocks.push({
      kind: 'banner',
      title: 'The collector is not independent of the nodes',
      text: `${dependence.slice(0, MOST_NAMED).map(dependenceText).join(' ')}${dependence.length > MOST_NAMED ? ` And ${dependence.length - MOST_NAMED} more.` : ''} A person who controls a node can influence what is collected from it. Let a person and a computer outside the population repeat the collection.`,
    })
  return { id: 'verification', title: titles.verification, flows: true, blocks }
}

const MOST_NAMED = 5

/** Account and computer of each collector, with what is not recorded. */
function collectorCell(recordings: Matter['recordings']): Cell {
  const collected = collectedBy(recordings)
  if (collected.length === 0) return plainCell('No recordings.')
  return [
    ...collected.slice(0, MOST_NAMED).map(({ operator, recordings: count }) => ({
      text: `${of(count, recordings.length)} recordings: ${operator === null ? 'not recorded' : `user ${quote(operator.user)} on ${quote(operator.host)}; program ${operator.program === null ? 'not read' : operator.program.slice(0, 12)}`}`,
    })),
    ...(collected.length > MOST_NAMED
      ? [{ text: `And ${plural(collected.length - MOST_NAMED, 'more collector')}.` }]
      : []),
    { text: 'As the collecting computer states it; not verified.', style: 'quiet' as const },
  ]
}

const ROLES = {
  administrator: 'an administrator of',
  account: 'a declared account of',
  roster: 'on the roster of',
} as const

const dependenceText = (one: Dependence): string =>
  one.kind === 'host'
    ? `The collecting computer ${quote(one.host)} is node ${plain(one.node, 80)} ${one.by === 'boot' ? '(same boot ID)' : '(same name; boot ID not read)'}.`
    : `The user ${quote(one.user)} who collected is ${ROLES[one.role]} ${one.nodes.length > 3 ? plural(one.nodes.length, 'node') : names(one.nodes)}.`
