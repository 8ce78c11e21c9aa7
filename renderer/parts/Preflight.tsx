import type { PreflightItem } from '../../schemas/ipc-packs.ts'
import { useAnswer } from '../bridge.ts'
import { changeExport, useExport } from '../export-store.ts'
import { PREFLIGHT_LINKS, preflightLine } from '../seal-model.ts'
import { go, useStore } from '../store.ts'
import { visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Slowly } from './Ask.tsx'

/** What is open before an export, each item with a link to the place where it is resolved. */
export function Preflight() {
  const { runs } = useStore()
  const { identitiesMade } = useExport()
  const answer = useAnswer('export.preflight', null, `${runs} ${identitiesMade}`)
  return (
    <section aria-labelledby="preflight" className="preflight">
      <h2 id="preflight">Before you export</h2>
      <Slowly answer={answer} does="Checking what is open">
        {(items) => <Items items={items} />}
      </Slowly>
    </section>
  )
}

function Items({ items }: { readonly items: readonly PreflightItem[] }) {
  const open = items.filter(({ state }) => state !== 'done')
  const done = items.filter(({ state }) => state === 'done')
  return (
    <>
      <p>{preflightLine(items)}</p>
      {open.length > 0 && (
        <ul className="preflight-items">
          {open.map((item) => (
            <Item key={item.id} item={item} />
          ))}
        </ul>
      )}
      {done.length > 0 && (
        <Disclosure title="Nothing open" aside={done.length} level={3}>
          <ul className="plain-list">
            {done.map(({ id, title }) => (
              <li key={id}>{title}</li>
            ))}
          </ul>
        </Disclosure>
      )}
    </>
  )
}

function Item({ item: { id, state, title, text } }: { readonly item: PreflightItem }) {
  const { title: link, to } = PREFLIGHT_LINKS[id]
  return (
    <li className="preflight-item">
      <p>
        <strong>{title}</strong>
        {state === 'blocks' && <span className="preflight-required"> Required</span>}
        <span className="note">{visible(text)}</span>
      </p>
      <Button small onPress={() => (to === 'seal' ? changeExport({ step: to }) : go(to))}>
        {link}
      </Button>
    </li>
  )
}
