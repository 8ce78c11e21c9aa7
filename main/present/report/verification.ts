import { plain } from '../../core/plain-text.ts'
import { type Block, monoCell, plainCell, type Section, text } from '../../core/report-document.ts'
import { signerCell } from './cover.ts'
import type { Matter } from './input.ts'
import { see, titles } from './titles.ts'
import { when } from './wording.ts'

/** How a reader checks this file and its pack, in short: the whole procedure is in the annexes and in VERIFY.txt of the pack. */
export function verificationSection(matter: Matter): Section {
  const { evidenceDigest, packName, producer, assessment, signer } = matter
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
  return { id: 'verification', title: titles.verification, flows: true, blocks }
}
