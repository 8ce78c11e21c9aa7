import type { ReactNode } from 'react'
import { engagementSectionWords, signOffWords, subserviceMethodWords } from '../../schemas/engagement-words.ts'
import type { EngagementForm, EngagementSection } from '../../schemas/ipc-engagement.ts'
import { categoriesLine, rowsText } from '../engagement-model.ts'
import { day, plural, visible } from '../text.ts'

/** The engagement in a pack, read-only. */
export function EngagementRead({ form }: { readonly form: EngagementForm }) {
  const { reportingBasis, boundary, ephi, population } = form
  return (
    <div className="engagement">
      <Part section="who" of={form}>
        <Facts
          facts={[
            ['Entity', form.entity],
            ['Audience', form.audience],
            ['Purpose', form.purpose],
            [
              'Reporting basis',
              reportingBasis.kind === 'date'
                ? day(reportingBasis.date)
                : `${day(reportingBasis.from)} to ${day(reportingBasis.to)} (planned)`,
            ],
            ['First day of fieldwork', form.fieldwork == null ? 'Not declared' : day(form.fieldwork)],
            ['SOC 2 categories', categoriesLine(form)],
            ['Status', form.status === 'final' ? 'Final' : 'Draft'],
            ['Distribution', form.distribution ?? 'Not stated'],
          ]}
        />
      </Part>
      <Part section="boundary" of={boundary}>
        <Facts
          facts={[
            ['System description', boundary.system],
            ['Services', boundary.services.join('; ')],
            ['Sites', boundary.sites.join('; ')],
          ]}
        />
        <Rows
          label="Exclusions"
          head={['Item', 'Rationale']}
          rows={boundary.outside.map(({ what, why }) => [what, why])}
        />
      </Part>
      <Part section="responsibilities">
        <Rows
          label="Areas"
          head={['Area', 'Provider', 'Customer', 'Owner', 'Date']}
          rows={form.responsibilities.map(({ area, provider, customer, owner, on }) => [
            area,
            provider,
            customer,
            owner,
            day(on),
          ])}
        />
      </Part>
      <Part section="subservice">
        <Rows
          label="Organizations"
          head={['Name', 'Description', 'Method', 'Report', 'Controls of the organization', 'Owner', 'Date']}
          rows={form.subserviceOrganizations.map(({ name, services, method, report, controls, owner, on }) => [
            name,
            services,
            subserviceMethodWords[method].label,
            report === null
              ? 'None'
              : `${report.title}, ${day(report.from)} to ${day(report.to)}${report.bridgedUntil === null ? '' : `, bridge letter until ${day(report.bridgedUntil)}`}`,
            controls
              .map(({ text: says, controls: rows }) => [says, rowsText(rows)].filter((text) => text !== '').join(': '))
              .join('; '),
            owner,
            day(on),
          ])}
        />
      </Part>
      <Part section="user-entity">
        <Rows
          label="Controls"
          head={['Number', 'Report of', 'Requirement', 'Related controls', 'Related checks', 'Owner', 'Date']}
          rows={form.complementaryUserEntityControls.map(
            ({ id, of, text: says, controls: rows, checks, owner, on }) => [
              id,
              of,
              says,
              rowsText(rows),
              checks.join('\n'),
              owner,
              day(on),
            ],
          )}
        />
      </Part>
      <Part section="ephi" of={ephi}>
        <Rows
          label="ePHI locations"
          head={['Name', 'Path on the node', 'Content', 'Nodes']}
          rows={ephi.stores.map(({ name, path, what, nodes }) => [name, path, what, nodes.join(', ')])}
        />
        <Rows
          label="ePHI flows"
          head={['Name', 'From', 'To', 'Protection']}
          rows={ephi.flows.map(({ name, from, to, protection }) => [name, from, to, protection])}
        />
      </Part>
      <Part section="population" of={population}>
        <Facts
          facts={[
            ['Source of the list', population.source],
            ['Nodes', plural(population.nodes.length, 'node')],
          ]}
        />
      </Part>
      <Part section="sign-off">
        <Rows
          label="People"
          head={['Name', 'Title', 'Role', 'Signed on']}
          rows={form.signOff.map(({ role, name, title, on }) => [
            name,
            title,
            signOffWords[role],
            on === null ? 'Not signed' : day(on),
          ])}
        />
      </Part>
    </div>
  )
}

function Part({
  section,
  of,
  children,
}: {
  readonly section: EngagementSection
  readonly of?: { readonly owner: string; readonly on: string }
  readonly children: ReactNode
}) {
  const id = `stated-${section}`
  return (
    <section aria-labelledby={id} className="stated">
      <h2 id={id}>{engagementSectionWords[section].label}</h2>
      {children}
      {of !== undefined && (
        <p className="note">
          Owner {visible(of.owner)}, {day(of.on)}
        </p>
      )}
    </section>
  )
}

const Facts = ({ facts }: { readonly facts: readonly (readonly [string, string])[] }) => (
  <dl className="stated-facts">
    {facts.map(([label, value]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value === '' ? 'Not stated' : visible(value)}</dd>
      </div>
    ))}
  </dl>
)

function Rows({
  label,
  head,
  rows,
}: {
  readonly label: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}) {
  if (rows.length === 0) return <p className="quiet">{label}: none.</p>
  return (
    <section className="scroll" aria-label={label}>
      <table className="stated-table">
        <caption>{label}</caption>
        <thead>
          <tr>
            {head.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the order of the rows never changes
            <tr key={at}>
              {cells.map((cell, column) =>
                column === 0 ? (
                  <th key={head[column]} scope="row">
                    {visible(cell)}
                  </th>
                ) : (
                  <td key={head[column]}>{visible(cell)}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
