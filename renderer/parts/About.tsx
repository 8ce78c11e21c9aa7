import { TERM_GROUPS, TERMS } from '../../schemas/terms.ts'
import { useAnswer } from '../bridge.ts'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Ask } from './Ask.tsx'
import { Fingerprint } from './Copy.tsx'

/** Version, rules and license of this program, and the terms that it uses. */
export function About() {
  const info = useAnswer('app.info', null)
  return (
    <section aria-labelledby="about" className="settings-part">
      <h2 id="about">About Barewitness</h2>
      <Ask answer={info}>
        {({ version, catalogVersion, rules, license, checks, probes }) => (
          <dl className="seal-facts">
            <div>
              <dt>Version</dt>
              <dd>{version}</dd>
            </div>
            <div>
              <dt>Rules</dt>
              <dd>
                {catalogVersion}: {checks} checks on {probes} probes
              </dd>
            </div>
            <div>
              <dt>Digest of the rules (SHA-256)</dt>
              <dd>
                <Fingerprint of={rules} what="the digest of the rules" />
              </dd>
            </div>
            <div>
              <dt>License</dt>
              <dd>{license}</dd>
            </div>
          </dl>
        )}
      </Ask>
      <p>Barewitness does not search for updates. Compare this version with the one that its publisher announces.</p>
      <h2>Glossary</h2>
      {TERM_GROUPS.map((group) => (
        <Disclosure key={group} title={group} aside={TERMS.filter((one) => one.group === group).length}>
          <dl className="facts">
            {TERMS.filter((one) => one.group === group).map(({ term, definition }) => (
              <div key={term}>
                <dt>{term}</dt>
                <dd>{definition}</dd>
              </div>
            ))}
          </dl>
        </Disclosure>
      ))}
    </section>
  )
}
