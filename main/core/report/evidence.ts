import type { Capture } from '../../../schemas/types.ts'
import { sha256 } from '../digest.ts'
import { plain } from '../plain-text.ts'
import { answerBlocks, heldOf, nodeLines, redactionBlocks } from './evidence-manifest.ts'
import type { Matter } from './input.ts'
import { type Section, text } from './model.ts'
import { sudoSection } from './sudo-reconciliation.ts'
import { titles } from './titles.ts'
import { plural } from './wording.ts'

/** Up to so many recordings every cited answer has a line; beyond, every recording has one. */
const FEW = 20

/** The manifest of raw evidence: which answers were recorded, how large, with which digest, and where they lie in the pack. */
export function evidenceSection({ recordings, assessment, sudo }: Matter): Section {
  const held = heldOf(recordings, assessment.nodes)
  const total = recordings.reduce((sum, { captures }) => sum + captures.length, 0)
  const few = held.length <= FEW
  return {
    id: 'evidence',
    title: titles.evidence,
    blocks: [
      text(
        `${plural(total, 'answer')} in ${plural(held.length, 'recording')}. ${few ? FEW_TEXT : MANY_TEXT} Commands are constants of the catalog; nothing in them comes from a node.`,
      ),
      text(WHERE),
      ...(few ? held.flatMap(answerBlocks) : nodeLines(held)),
      ...redactionBlocks(held),
      ...sudoSection(sudo ?? new Map(), few),
    ],
  }
}

const FEW_TEXT =
  'Answers that a reason in this report cites are listed; those that none cites are counted. Exit is the command’s exit status. Bytes and SHA-256 are of its output as stored; “e” marks an answer of error output alone. Times are of the day given at the node.'
const MANY_TEXT =
  'Each recording has one line. The node’s folder in the pack is data/nodes/NODE unless another is named.'
const WHERE = `The bytes of an answer are the file sha256/DIGEST in the node’s folder; an empty one has the digest ${sha256('')}. Every answer, cited or not, with its exact command, rights, times, sizes and both digests, is a line of captures.jsonl in that folder, and a row of evidence.csv beside the pack. The digest of a recording is the SHA-256 over recording.json followed by captures.jsonl, so it fixes every line of both.`

const BARE = /^[A-Za-z0-9_@%+=:,./*?[\]{}-]+$/

/** The command as the node's shell got it: constants bare where they need no quotes, patterns bare, sudo named where it was used. */
export function commandLine({ argv, privilege, source }: Pick<Capture, 'argv' | 'privilege' | 'source'>): string {
  const words = argv.map((word) => (BARE.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
  return plain(source === 'node' && privilege === 'sudo' ? `sudo -n ${words.join(' ')}` : words.join(' '), 2000)
}
