import { useState } from 'react'
import type { ImportKind, ImportPreview, ImportRow } from '../../schemas/ipc-views.ts'
import { useAction } from '../actions.ts'
import { change, say } from '../store.ts'
import { plural, visible } from '../text.ts'
import { FailureNote } from './Failure.tsx'

const KINDS: Readonly<Record<ImportKind, string>> = {
  'ssh-config': 'SSH config',
  csv: 'CSV (name, address, port, user)',
  ansible: 'Ansible inventory (INI or YAML)',
}
const OUTCOMES: Readonly<Record<ImportRow['outcome'], string>> = {
  'will-add': 'Will add',
  'already-here': 'Already here',
  skipped: 'Skipped',
  used: 'Read',
}

/** Paste or choose a file, see what becomes of every line, then add. Nothing is contacted. */
export function Importer() {
  const [kind, setKind] = useState<ImportKind>('ssh-config')
  const [text, setText] = useState('')
  const [preview, setPreview] = useState<ImportPreview | null>(null)
  const paste = useAction('fleet.import-text')
  const choose = useAction('fleet.import-choose')
  const accept = useAction('fleet.accept')
  const error = paste.error ?? choose.error ?? accept.error
  const show = (found: ImportPreview | null): void => {
    if (found === null) return
    setPreview(found)
    say(`${plural(found.rows.length, 'line')} read, ${plural(found.willAdd, 'node')} will be added.`)
  }
  const add = async (handle: string): Promise<void> => {
    const fleet = await accept.run({ handle })
    if (fleet === null) return
    setPreview(null)
    setText('')
    change({ fleet })
    say(`${plural(fleet.nodes.length, 'node')} in scope now.`)
  }
  return (
    <section aria-labelledby="import">
      <h2 id="import">Import</h2>
      <form
        className="importer"
        onSubmit={(event) => {
          event.preventDefault()
          void paste.run({ kind, text }).then(show)
        }}
      >
        <label>
          Format
          <select value={kind} onChange={(event) => setKind(event.target.value as ImportKind)}>
            {Object.entries(KINDS).map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <label>
          Paste here
          <textarea rows={5} spellCheck={false} value={text} onChange={(event) => setText(event.target.value)} />
        </label>
        <div className="actions">
          <button type="submit" disabled={text.trim() === '' || paste.busy}>
            Preview lines
          </button>
          <button type="button" disabled={choose.busy} onClick={() => void choose.run({ kind }).then(show)}>
            Choose file…
          </button>
        </div>
      </form>
      {error !== null && <FailureNote error={error} />}
      {preview !== null && (
        <div className="preview">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
          <section className="scroll tall" tabIndex={0} aria-label="What becomes of each line">
            <table>
              <caption>
                {preview.file === null ? 'What you pasted' : visible(preview.file)}: what becomes of each line
              </caption>
              <thead>
                <tr>
                  <th scope="col">Line</th>
                  <th scope="col">Text</th>
                  <th scope="col">Outcome</th>
                  <th scope="col">Node</th>
                  <th scope="col">Note</th>
                </tr>
              </thead>
              <tbody>
                {preview.rows.map((row) => (
                  <tr key={row.line} className={`line-${row.outcome}`}>
                    <td className="number">{row.line}</td>
                    <td className="mono source">{visible(row.text)}</td>
                    <td>{OUTCOMES[row.outcome]}</td>
                    <td>{row.node ?? ''}</td>
                    <td>{visible(row.note)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
          <div className="actions">
            <button
              type="button"
              className="primary"
              disabled={preview.willAdd === 0 || accept.busy}
              onClick={() => void add(preview.handle)}
            >
              Add {plural(preview.willAdd, 'node')}
            </button>
            <button type="button" onClick={() => setPreview(null)}>
              Discard preview
            </button>
          </div>
        </div>
      )}
    </section>
  )
}
