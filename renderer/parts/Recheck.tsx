import { useState } from 'react'
import type { Source } from '../../schemas/ipc-views.ts'
import type { Finding } from '../../schemas/types.ts'
import { verdictWords } from '../../schemas/words.ts'
import type { Action } from '../actions.ts'
import { useAction } from '../actions.ts'
import { Button } from '../ui/Button.tsx'
import { FailureNote } from './Failure.tsx'
import { Shape } from './Mark.tsx'

export interface RecheckProps {
  readonly of: Source
  readonly run: string
  readonly node: string
  readonly check: string
  readonly finding: Finding | null
}

type Said = { readonly same: boolean; readonly words: string } | null

/** Derives the finding again from the stored evidence, and says whether it is the same. */
export function Recheck({ of, run, node, check, finding }: RecheckProps) {
  const open = useAction('runs.open')
  const pack = useAction('pack.re-evaluate')
  const get = useAction('node.get')
  const [said, setSaid] = useState<Said>(null)
  const ask = async (): Promise<void> => {
    setSaid(null)
    setSaid(of === 'pack' ? await inPack(pack, node, check) : await inRun(open, get, { run, node, check, finding }))
  }
  const error = open.error ?? pack.error ?? get.error
  return (
    <div className="recheck">
      <Button small busy={open.busy || pack.busy || get.busy} onPress={() => void ask()}>
        Re-check now from the stored evidence
      </Button>
      <p role="status" className="recheck-said">
        {said !== null && (
          <span className={`status tone-${said.same ? 'met' : 'not-met'}`}>
            <Shape mark={said.same ? 'ring-tick' : 'square-cross'} tone={said.same ? 'met' : 'not-met'} />
            <span>{said.words}</span>
          </span>
        )}
      </p>
      {error !== null && <FailureNote error={error} />}
    </div>
  )
}

const IDENTICAL = { same: true, words: 'Identical: the same verdict for the same reasons.' } as const

async function inRun(
  open: Action<'runs.open'>,
  get: Action<'node.get'>,
  { run, node, check, finding }: Pick<RecheckProps, 'run' | 'node' | 'check' | 'finding'>,
): Promise<Said> {
  if ((await open.run({ run })) === null) return null
  const again = await get.run({ of: 'run', node })
  if (again === null) return null
  const found = again.assessment.findings.find((one) => one.check === check) ?? null
  if (JSON.stringify(found) === JSON.stringify(finding)) return IDENTICAL
  const word = (one: Finding | null): string => verdictWords[one?.verdict ?? 'not-tested'].label
  return {
    same: false,
    words:
      word(found) === word(finding)
        ? 'Different: the same verdict, for other reasons.'
        : `Different: ${word(finding)} before, ${word(found)} now.`,
  }
}

async function inPack(pack: Action<'pack.re-evaluate'>, node: string, check: string): Promise<Said> {
  const again = await pack.run(null)
  if (again === null) return null
  const other = again.report.differences.find((one) => one.node === node && one.check === check)
  return other === undefined
    ? IDENTICAL
    : { same: false, words: `Different: the pack states ${other.stated}, derived here ${other.derived}.` }
}
