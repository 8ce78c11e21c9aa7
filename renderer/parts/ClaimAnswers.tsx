import { useState } from 'react'
import type { ClaimOnNode, ClaimRow, ClaimWord } from '../../schemas/ipc-engagement.ts'
import type { CatalogView } from '../../schemas/ipc-results.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { claimAnswerWords } from '../../schemas/words.ts'
import { countsOfClaim } from '../claims-model.ts'
import { ledgerOf } from '../ledger.ts'
import { go } from '../store.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { SearchField } from '../ui/SearchField.tsx'
import { Select } from '../ui/Select.tsx'
import { Ledger } from './Ledger.tsx'
import { Shape } from './Mark.tsx'

/** The result of a provider claim, as mark and label. */
export function ClaimMark({ word, text }: { readonly word: ClaimWord; readonly text?: string }) {
  const { label, mark, tone } = claimAnswerWords[word]
  return (
    <span className={`status tone-${tone}`}>
      <Shape mark={mark} tone={tone} />
      <span>{text ?? label}</span>
    </span>
  )
}

/** Nodes per result, worst first. */
export function ClaimCounts({ claim }: { readonly claim: ClaimRow }) {
  const counts = countsOfClaim(claim)
  if (counts.length === 0) return <span className="quiet">No node collected yet</span>
  return (
    <ul className="claim-counts">
      {counts.map(({ word, text }) => (
        <li key={word}>
          <ClaimMark word={word} text={text} />
        </li>
      ))}
    </ul>
  )
}

const SHOWN_AT_FIRST = 50

export interface ClaimAnswersProps {
  readonly of: Source
  readonly claim: ClaimRow
  readonly answers: readonly ClaimOnNode[]
  readonly catalog: CatalogView
}

/** One claim on each node that it covers, contradicted first; each opens to its observations. */
export function ClaimAnswers({ of, claim, answers, catalog }: ClaimAnswersProps) {
  const [text, setText] = useState('')
  const [word, setWord] = useState<ClaimWord | 'all'>('all')
  const [most, setMost] = useState(SHOWN_AT_FIRST)
  const wanted = text.trim().toLowerCase()
  const found = answers.filter(
    ({ node, result }) => (word === 'all' || result === word) && node.toLowerCase().includes(wanted),
  )
  return (
    <>
      <div className="table-bar">
        <SearchField label="Find a node" value={text} onChange={setText} isFilter />
        <Select
          label="Result"
          hideLabel
          value={word}
          onChange={setWord}
          options={[
            { id: 'all', title: `All results · ${answers.length}` },
            ...countsOfClaim(claim).map((one) => ({
              id: one.word,
              title: `${claimAnswerWords[one.word].label} · ${claim.counts[one.word]} of ${claim.nodes}`,
            })),
          ]}
        />
        <span className="note" role="status">
          {found.length} of {plural(answers.length, 'node')}
        </span>
      </div>
      {found.length === 0 && <p className="empty">No matching nodes.</p>}
      <div className="claim-nodes">
        {found.slice(0, most).map((one) => (
          <OnNode key={one.node} of={of} claim={claim} one={one} catalog={catalog} />
        ))}
      </div>
      {found.length > most && (
        <Button kind="link" onPress={() => setMost(Number.POSITIVE_INFINITY)}>
          Show {plural(found.length - most, 'more node')}
        </Button>
      )}
    </>
  )
}

function OnNode({
  of,
  claim,
  one: { node, result, observations },
  catalog,
}: Omit<ClaimAnswersProps, 'answers'> & { readonly one: ClaimOnNode }) {
  const [wasOpened, setOpened] = useState(false)
  return (
    <Disclosure
      level={3}
      title={visible(node)}
      aside={<ClaimMark word={result} />}
      onToggle={(open) => setOpened(wasOpened || open)}
    >
      {wasOpened &&
        (observations.length === 0 ? (
          <p className="quiet">{claimAnswerWords[result].meaning}</p>
        ) : (
          <Ledger sides={ledgerOf(observations, catalog.probes)} of={of} node={node} onAllow={null} />
        ))}
      {wasOpened && (
        <p className="actions">
          {claim.tests.map(
            ({ check }) =>
              check !== null && (
                <Button
                  key={check.id}
                  small
                  label={`Result details: ${check.id} on ${visible(node)}`}
                  onPress={() => go({ screen: 'why', of, node, property: check.property, check: check.id })}
                >
                  Result: {check.id}
                </Button>
              ),
          )}
          <Button
            small
            kind="quiet"
            label={`Open node ${visible(node)}`}
            onPress={() => go({ screen: 'node', of, node })}
          >
            Open node
          </Button>
        </p>
      )}
    </Disclosure>
  )
}
