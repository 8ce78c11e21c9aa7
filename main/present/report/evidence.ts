import type { Capture } from '../../../schemas/types.ts'
import { sha256 } from '../../core/digest.ts'
import { plural } from '../../core/phrases.ts'
import { plain } from '../../core/plain-text.ts'
import { type Section, text } from '../../core/report-document.ts'
import { answerBlocks, heldOf, nodeLines, redactionBlocks } from './evidence-manifest.ts'
import type { Matter } from './input.ts'
import { sudoSection } from './sudo-reconciliation.ts'
import { titles } from './titles.ts'

/** Up to this many recordings, each cited capture is listed; beyond, each recording has one line. */
const FEW = 20

/** Evidence index: the captures recorded, their size and digest, and their location in the pack. */
export function evidenceSection({ recordings, assessment, sudo }: Matter): Section {
  const held = heldOf(recordings, assessment.nodes)
  const total = recordings.reduce((sum, { captures }) => sum + captures.length, 0)
  const few = held.length <= FEW
  return {
    id: 'evidence',
    title: titles.evidence,
    blocks: [
      text(
        `${plural(total, 'capture')} in ${plural(held.length, 'recording')}. ${few ? FEW_TEXT : MANY_TEXT} Commands are constants of the catalog; no part of them comes from a node.`,
      ),
      text(WHERE),
      ...(few ? held.flatMap(answerBlocks) : nodeLines(held)),
      ...redactionBlocks(held),
      ...sudoSection(sudo ?? new Map(), few),
    ],
  }
}

const FEW_TEXT =
  'Captures cited by an observation in this report are listed; the others are counted. Exit is the exit status of the command. Bytes and SHA-256 refer to the output as stored; “e” marks captures with error output only. Times are on the date stated for the node.'
const MANY_TEXT =
  'Each recording has one line. The folder of a node in the pack is data/nodes/NODE unless another is stated.'
const WHERE = `A capture is stored as sha256/DIGEST in the folder of its node; empty output has the digest ${sha256('')}. Every capture, cited or not, is listed with its exact command, privilege, times, sizes and digests in captures.jsonl in that folder and in evidence.csv next to the pack. The digest of a recording is the SHA-256 over recording.json followed by captures.jsonl and therefore covers every line of both.`

const BARE = /^[A-Za-z0-9_@%+=:,./*?[\]{}-]+$/

/** The command as passed to the node’s shell: constants unquoted where possible, patterns unquoted, with sudo where it was used. */
export function commandLine({ argv, privilege, source }: Pick<Capture, 'argv' | 'privilege' | 'source'>): string {
  const words = argv.map((word) => (BARE.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
  return plain(source === 'node' && privilege === 'sudo' ? `sudo -n ${words.join(' ')}` : words.join(' '), 2000)
}
