import { IconFileImport } from '@tabler/icons-react'
import { useState } from 'react'
import type { MappingItem } from '../../schemas/ipc-engagement.ts'
import { useAction } from '../actions.ts'
import { useAnswer } from '../bridge.ts'
import { useKept } from '../kept.ts'
import { go, outdated, say, useStore } from '../store.ts'
import { plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Ask } from './Ask.tsx'
import { FailureNote } from './Failure.tsx'

/** Frameworks of the customer's own: imported, listed, taken out. */
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
    say(said)
    outdated()
  }
  return (
    <div className="population">
      <p className="prose">
        A framework of your own is a mapping file in YAML or JSON, with an OSCAL catalog where it names one. Each row
        names the checks that bear on it; a check that this catalog does not have is refused with its line.
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
        <p className="empty">No framework of your own is imported.</p>
      ) : (
        <section className="scroll" aria-label="Your frameworks">
          <table>
            <thead>
              <tr>
                <th scope="col">Framework</th>
                <th scope="col">Version</th>
                <th scope="col">Rows with a check</th>
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
                    {one.mapped} of {plural(one.rows, 'row')}
                  </td>
                  <td>
                    <Button small label={`Take out ${visible(one.title)}`} onPress={() => setAsks(one)}>
                      Take out framework
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
          title="Take out this framework?"
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
                    done(reply, 'Framework taken out.')
                  })
                }
              >
                Take out framework
              </Button>
              <Button onPress={() => setAsks(null)}>Cancel</Button>
            </>
          }
        >
          <p>
            {visible(asks.title)} is no longer judged. Packs that were sealed with it keep it, and your file stays where
            it is.
          </p>
        </Dialog>
      )}
    </div>
  )
}
