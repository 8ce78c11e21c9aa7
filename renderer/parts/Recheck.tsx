import { useState } from 'react'
import type { Source } from '../../schemas/ipc-views.ts'
import type { CheckResult } from '../../schemas/types.ts'
import { type Verdict, verdictWords } from '../../schemas/words.ts'
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
  readonly finding: CheckResult | null
}

type Said = { readonly same: boolean; readonly words: string } | null

/** Re-evaluates a result from the stored evidence, and shows whether it is identical. */
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
        Re-evaluate from stored evidence
      </Button>
      <p role="status" className="recheck-said">
        {said !== null && (
          <span className={`status tone-${said.same ? 'satisfied' : 'not-satisfied'}`}>
            <Shape mark={said.same ? 'ring-tick' : 'square-cross'} tone={said.same ? 'satisfied' : 'not-satisfied'} />
            <span>{said.words}</span>
          </span>
        )}
      </p>
      {error !== null && <FailureNote error={error} />}
    </div>
  )
}

const wordOf = (verdict: Verdict | null): string => (verdict === null ? 'no result' : verdictWords[verdict].label)
const IDENTICAL = { same: true, words: 'Identical: same verdict, same observations.' } as const

async function inRun(
  open: Action<'runs.open'>,
  get: Action<'node.get'>,
  { run, node, check, finding }: Pick<RecheckProps, 'run' | 'node' | 'check' | 'finding'>,
): Promise<Said> {
  if ((await open.run({ run })) === null) return null
  const again = await get.run({ of: 'run', node })
  if (again === null) return null
  const found = again.assessment.results.find((one) => one.check === check) ?? null
  if (JSON.stringify(found) === JSON.stringify(finding)) return IDENTICAL
  const word = (one: CheckResult | null): string => wordOf(one?.verdict ?? 'not-tested')
  return {
    same: false,
    words:
      word(found) === word(finding)
        ? 'Different: same verdict, other observations.'
        : `Different: previously ${word(finding)}, now ${word(found)}.`,
  }
}

async function inPack(pack: Action<'pack.re-evaluate'>, node: string, check: string): Promise<Said> {
  const again = await pack.run(null)
  if (again === null) return null
  const other = again.report.differences.find((one) => one.node === node && one.check === check)
  return other === undefined
    ? IDENTICAL
    : { same: false, words: `Different: stated ${wordOf(other.stated)}, re-evaluated ${wordOf(other.derived)}.` }
}
