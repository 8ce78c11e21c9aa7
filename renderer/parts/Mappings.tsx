import { IconFileImport } from '@tabler/icons-react'
import { useState } from 'react'
import type { MappingItem } from '../../schemas/ipc-engagement.ts'
import { useAction } from '../actions.ts'
import { useAnswer, useKept } from '../bridge.ts'
import { announce, go, outdated, useStore } from '../store.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Ask, FailureNote } from './Ask.tsx'

/** Custom frameworks: import, list, remove. */
export function Mappings() {
  const { runs } = useStore()
  return (
    <Ask answer={useKept(useAnswer('mappings.list', null, runs), 'mappings')}>{(list) => <List list={list} />}</Ask>
  )
}

function List({ list }: { readonly list: readonly MappingItem[] }) {
  const bring = useAction('mappings.import-choose')
  const remove = useAction('mappings.remove')
  const [asks, setAsks] = useState<MappingItem | null>(null)
  const done = (reply: readonly MappingItem[] | null, said: string): void => {
    if (reply === null) return
    announce(said)
    outdated()
  }
  return (
    <div className="population">
      <p className="prose">
        A custom framework is a mapping file in YAML or JSON, with the OSCAL catalog it names, if any. Each control
        lists its mapped checks. A check that is not in the catalog is rejected with its line number.
      </p>
      <div className="actions">
        <Button
          icon={IconFileImport}
          busy={bring.busy}
          onPress={() => void bring.run(null).then((reply) => done(reply, 'Framework imported.'))}
        >
          Import framework…
        </Button>
      </div>
      {bring.error !== null && <FailureNote error={bring.error} />}
      {remove.error !== null && <FailureNote error={remove.error} />}
      {list.length === 0 ? (
        <p className="empty">No custom frameworks.</p>
      ) : (
        <section className="scroll" aria-label="Custom frameworks">
          <table>
            <thead>
              <tr>
                <th scope="col">Framework</th>
                <th scope="col">Version</th>
                <th scope="col">Controls with a check</th>
                <th scope="col">Action</th>
              </tr>
            </thead>
            <tbody>
              {list.map((one) => (
                <tr key={one.id}>
                  <th scope="row" className="source">
                    <Button kind="link" onPress={() => go({ screen: 'controls', of: 'run', framework: one.id })}>
                      {visible(one.title)}
                    </Button>
                    <span className="note mono">{one.id}</span>
                  </th>
                  <td className="source">{visible(one.version)}</td>
                  <td className="number">
                    {one.mapped} of {plural(one.rows, 'control')}
                  </td>
                  <td>
                    <Button small label={`Remove ${visible(one.title)}`} onPress={() => setAsks(one)}>
                      Remove framework
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {asks !== null && (
        <Dialog
          title="Remove framework?"
          size="small"
          alert
          onClose={() => setAsks(null)}
          actions={
            <>
              <Button
                kind="primary"
                busy={remove.busy}
                onPress={() =>
                  void remove.run({ id: asks.id }).then((reply) => {
                    setAsks(null)
                    done(reply, 'Framework removed.')
                  })
                }
              >
                Remove framework
              </Button>
              <Button onPress={() => setAsks(null)}>Cancel</Button>
            </>
          }
        >
          <p>{visible(asks.title)} will no longer be evaluated. Sealed packs keep it, and your file is not deleted.</p>
        </Dialog>
      )}
    </div>
  )
}
