import { useState } from 'react'
import { timerWords, type UnitPreview } from '../../schemas/ipc-schedules.ts'
import { useAnswer } from '../bridge.ts'
import { visible } from '../text.ts'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Ask } from './Ask.tsx'
import { Copy } from './Copy.tsx'

/** The timer units of a schedule, exactly as written to disk; those of this computer first. */
export function UnitTexts({ name }: { readonly name: string }) {
  const [open, setOpen] = useState(false)
  return (
    <Disclosure
      title={
        <>
          Unit text<span className="said"> of {visible(name)}</span>
        </>
      }
      isOpen={open}
      onToggle={setOpen}
    >
      {open && <Previews name={name} />}
    </Disclosure>
  )
}

function Previews({ name }: { readonly name: string }) {
  const answer = useAnswer('schedules.preview', { name })
  return (
    <Ask answer={answer}>
      {(previews) => {
        const [own, others] = [true, false].map((wanted) => previews.filter(({ here }) => here === wanted))
        return (
          <>
            {own?.map((preview) => (
              <Preview key={preview.kind} preview={preview} />
            ))}
            <Disclosure title="Units for other computers" level={4}>
              {others?.map((preview) => (
                <Preview key={preview.kind} preview={preview} />
              ))}
            </Disclosure>
          </>
        )
      }}
    </Ask>
  )
}

const Preview = ({ preview: { kind, units, warnings } }: { readonly preview: UnitPreview }) => (
  <div className="unit">
    <p className="unit-kind">{timerWords[kind]}</p>
    {units.map((unit) => (
      <figure key={unit.name} className="unit-file">
        <figcaption>
          <span className="mono">{visible(unit.name)}</span>
          <Copy text={unit.text} what={`${visible(unit.name)}, ${timerWords[kind]}`} />
        </figcaption>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: lines wider than the window are scrolled with the arrow keys */}
        <section className="unit-text" tabIndex={0} aria-label={`Text of ${visible(unit.name)}, ${timerWords[kind]}`}>
          <pre className="mono">{visible(unit.text.replaceAll('\r\n', '\n'))}</pre>
        </section>
      </figure>
    ))}
    {warnings.map((warning) => (
      <p key={warning} className="quiet">
        {visible(warning)}
      </p>
    ))}
  </div>
)
