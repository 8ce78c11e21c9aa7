import { useState } from 'react'
import type { AssessmentView, ExportView, FrameworkName } from '../../schemas/ipc-views.ts'
import { FRAMEWORK_NAMES } from '../../schemas/ipc-views.ts'
import { useAction } from '../actions.ts'
import { useAnswer } from '../bridge.ts'
import { wasReached } from '../model.ts'
import { Ask } from '../parts/Ask.tsx'
import { Copy } from '../parts/Copy.tsx'
import { FailureNote } from '../parts/Failure.tsx'
import { Page } from '../parts/Page.tsx'
import { say, useStore } from '../store.ts'
import { bytes, plural, visible, when } from '../text.ts'

const NAMES: Readonly<Record<FrameworkName, string>> = {
  hipaa: 'HIPAA Security Rule',
  soc2: 'SOC 2 trust services criteria',
  nprm: 'HIPAA, proposed changes of 2025 (not in force; shown apart)',
}

/** Scope, seal, and where to: the signed report and the pack. */
export function Export() {
  const { runs } = useStore()
  const answer = useAnswer('assessment.get', { of: 'run' }, runs)
  return (
    <Page title="Export" under="A signed PDF report, and a pack that a stranger can check without Barewitness.">
      <Ask answer={answer}>
        {(view) =>
          view === null ? (
            <p className="empty">There is nothing to export yet: no run has finished.</p>
          ) : (
            <Form view={view} />
          )
        }
      </Ask>
    </Page>
  )
}

function Form({ view }: { readonly view: AssessmentView }) {
  const { assessment } = view
  const [chosen, setChosen] = useState<readonly FrameworkName[]>(assessment.scope.frameworks)
  const [written, setWritten] = useState<ExportView | null>(null)
  const start = useAction('export.start')
  const reached = assessment.nodes.filter(wasReached).length
  const toggle = (id: FrameworkName): void =>
    setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id])
  const send = async (): Promise<void> => {
    const done = await start.run({ frameworks: chosen })
    if (done === null) return
    setWritten(done)
    say('Pack exported.')
  }
  return (
    <>
      <form
        className="export"
        onSubmit={(event) => {
          event.preventDefault()
          void send()
        }}
      >
        <section aria-labelledby="scope">
          <h2 id="scope">Scope</h2>
          <p>
            {reached} of {plural(assessment.nodes.length, 'declared node')} answered, judged as of{' '}
            {when(assessment.asOf)}.
            {reached < assessment.nodes.length &&
              ' The report says on its first page which nodes are missing, and counts them as not collected.'}
          </p>
        </section>
        <fieldset>
          <legend>Frameworks in the report</legend>
          {FRAMEWORK_NAMES.map((id) => (
            <label key={id} className="choice">
              <input type="checkbox" checked={chosen.includes(id)} onChange={() => toggle(id)} />
              {NAMES[id]}
            </label>
          ))}
        </fieldset>
        <section aria-labelledby="seal">
          <h2 id="seal">Seal</h2>
          <p>
            {assessment.demo
              ? 'Demo data is sealed by a key made for demonstrations, which no trust store accepts.'
              : 'Sealed with the signing identity kept on this computer.'}
          </p>
        </section>
        {start.error !== null && <FailureNote error={start.error} />}
        <div className="actions">
          <button type="submit" className="primary" disabled={chosen.length === 0 || start.busy}>
            {start.busy ? 'Exporting…' : 'Export pack…'}
          </button>
        </div>
      </form>
      {written !== null && (
        <section aria-labelledby="exported" className="exported">
          <h2 id="exported">Pack exported</h2>
          <p>
            In <span className="mono">{visible(written.folder)}</span>, sealed by {visible(written.signer)}.
          </p>
          <div className="scroll">
            <table>
              <thead>
                <tr>
                  <th scope="col">File</th>
                  <th scope="col">Size</th>
                  <th scope="col">SHA-256</th>
                </tr>
              </thead>
              <tbody>
                {written.files.map((file) => (
                  <tr key={file.name}>
                    <th scope="row">{file.name}</th>
                    <td className="number">{bytes(file.size)}</td>
                    <td className="mono fingerprint">
                      {file.sha256} <Copy text={file.sha256} what={`the digest of ${file.name}`} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {written.notes.map((note) => (
            <p key={note} className="quiet">
              {note}
            </p>
          ))}
        </section>
      )}
    </>
  )
}
