import { IconFileImport } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { engagementSectionWords, signOffWords, subserviceMethodWords } from '../../schemas/engagement-words.ts'
import type { EngagementForm, EngagementSection, EngagementView, MappingItem } from '../../schemas/ipc-engagement.ts'
import type { Source } from '../../schemas/ipc-views.ts'
import { categoriesLine, rowsShown } from '../models/engagement-model.ts'
import type { EngagementPart } from '../models/routes.ts'
import type { ColumnPart } from '../models/table-model.ts'
import { day, plural, visible } from '../models/text.ts'
import { Ask, FailureNote } from '../parts/Ask.tsx'
import { EngagementEditor } from '../parts/EngagementEditor.tsx'
import { FormDialog } from '../parts/FormDialog.tsx'
import { NextStep } from '../parts/NextStep.tsx'
import { Page } from '../parts/Page.tsx'
import { Population } from '../parts/Population.tsx'
import { textColumn, type WholeColumn, WholeTable } from '../parts/WholeTable.tsx'
import { useAction, useResults } from '../state/actions.ts'
import { useAnswer, useKept } from '../state/bridge.ts'
import { go, recorded, replace, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Fact } from '../ui/Fact.tsx'
import { EmptyState } from '../ui/Notice.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { Whole } from '../ui/Whole.tsx'

interface EngagementProps {
  readonly of: Source
  readonly part: EngagementPart
  /** Starts with an empty form where there is none yet. */
  readonly begin: boolean
}

/** The engagement and its population; read-only in a pack. */
export function Engagement({ of, part, begin }: EngagementProps) {
  const { runs, fleet } = useStore()
  // Another fleet has another engagement, so nothing of the previous one is kept on the screen.
  const about = `${of} ${fleet?.name ?? ''} ${fleet?.demo === true}`
  const answer = useKept(useAnswer('engagement.get', { of }, runs), about)
  return (
    <Page
      title="Engagement"
      over={of === 'pack' ? 'As stated in the pack' : 'Scope and terms of one audit'}
      under="Entity, purpose, boundary, responsibilities and population. It changes no verdict."
      {...(of === 'run' ? { actions: <NextStep within={['engagement', 'audit-day', 'reconcile']} /> } : {})}
    >
      <Ask answer={answer}>
        {(view) => (
          <Tabs<EngagementPart>
            label="Engagement sections"
            selected={part}
            onSelect={(chosen) => replace({ screen: 'engagement', of, part: chosen })}
            tabs={[
              {
                id: 'declared',
                title: 'Declared',
                content: <Declared key={about} of={of} view={view} begin={begin} />,
              },
              { id: 'population', title: 'Population', content: <Population of={of} engagement={view} /> },
              ...(of === 'run'
                ? [{ id: 'frameworks' as const, title: 'Custom frameworks', content: <Mappings /> }]
                : []),
            ]}
          />
        )}
      </Ask>
    </Page>
  )
}

function Declared({ of, view, begin }: Pick<EngagementProps, 'of' | 'begin'> & { readonly view: EngagementView }) {
  if (of === 'run') return <EngagementEditor first={view} begin={begin} />
  return view.form === null ? (
    <EmptyState title="No engagement in this pack">
      The pack does not state the entity, the purpose or the source of its population.
    </EmptyState>
  ) : (
    <EngagementRead form={view.form} />
  )
}

/** Custom frameworks: import, list, remove. */
function Mappings() {
  return <Ask answer={useResults('mappings.list', null)}>{(list) => <List list={list} />}</Ask>
}

const MAPPED: ColumnPart = { id: 'mapped', title: 'Controls with a check' }

const MAPPING_COLUMNS: readonly WholeColumn<MappingItem>[] = [
  {
    id: 'framework',
    title: 'Framework',
    isRowHeader: true,
    cellClass: 'source',
    text: ({ title }) => title,
    cell: ({ id, title }) => (
      <>
        <Button kind="link" onPress={() => go({ screen: 'controls', of: 'run', framework: id })}>
          {visible(title)}
        </Button>
        <span className="note mono">{id}</span>
      </>
    ),
  },
  textColumn('version', 'Version', ({ version }) => version, { cellClass: 'source' }),
  {
    id: 'mapped',
    title: 'Controls with a check',
    part: MAPPED,
    cellClass: 'number',
    text: ({ mapped }) => mapped,
    cell: ({ mapped, rows }) => `${mapped} of ${plural(rows, 'control')}`,
  },
  { id: 'controls', title: 'Controls', part: MAPPED, text: ({ rows }) => rows },
]

function List({ list }: { readonly list: readonly MappingItem[] }) {
  const bring = useAction('mappings.import-choose')
  const remove = useAction('mappings.remove')
  const [asks, setAsks] = useState<MappingItem | null>(null)
  const done = (reply: readonly MappingItem[] | null, announcement: string): boolean => {
    if (reply === null) return false
    recorded(announcement)
    return true
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
      {list.length === 0 ? (
        <p className="empty">No custom frameworks.</p>
      ) : (
        <WholeTable
          table="frameworks"
          label="Custom frameworks"
          columns={[
            ...MAPPING_COLUMNS,
            {
              id: 'action',
              title: 'Action',
              cell: (one) => (
                <Button small label={`Remove ${visible(one.title)}`} onPress={() => setAsks(one)}>
                  Remove framework
                </Button>
              ),
            },
          ]}
          rows={list}
          keyOf={({ id }) => id}
        />
      )}
      {asks !== null && (
        <FormDialog
          title="Remove framework?"
          size="small"
          alert
          verb="Remove framework"
          action={remove}
          onSubmit={async () => {
            if (done(await remove.run({ id: asks.id }), 'Framework removed.')) setAsks(null)
          }}
          onClose={() => setAsks(null)}
        >
          <p>{visible(asks.title)} will no longer be evaluated. Sealed packs keep it, and your file is not deleted.</p>
        </FormDialog>
      )}
    </div>
  )
}

/** The engagement in a pack, read-only. */
function EngagementRead({ form }: { readonly form: EngagementForm }) {
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
            on,
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
              .map(({ text: words, controls: rows }) =>
                [words, rowsShown(rows)].filter((text) => text !== '').join(': '),
              )
              .join('; '),
            owner,
            on,
          ])}
        />
      </Part>
      <Part section="user-entity">
        <Rows
          label="Controls"
          head={['Number', 'Report of', 'Requirement', 'Related controls', 'Related checks', 'Owner', 'Date']}
          rows={form.complementaryUserEntityControls.map(
            ({ id, of, text: words, controls: rows, checks, owner, on }) => [
              id,
              of,
              words,
              rowsShown(rows),
              checks.join('\n'),
              owner,
              on,
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
          rows={form.signOff.map(({ role, name, title, on }) => [name, title, signOffWords[role], on ?? 'Not signed'])}
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
      <Fact key={label} term={label}>
        {value === '' ? 'Not stated' : visible(value)}
      </Fact>
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
  const table = label.toLowerCase().replaceAll(' ', '-')
  const columns = head.map((title, at): WholeColumn<StatedRow> => {
    const text = ({ cells }: StatedRow): string => cells[at] ?? ''
    const common = { id: title, title, isRowHeader: at === 0, text }
    return DATES.includes(title)
      ? { ...common, cellClass: 'whole', cell: (row) => day(text(row)) }
      : { ...common, cell: (row) => <Whole text={text(row)} /> }
  })
  return (
    <WholeTable
      table={table}
      className="stated-table"
      label={label}
      caption={label}
      columns={columns}
      rows={rows.map((cells, at) => ({ at, cells }))}
      keyOf={({ at }) => `${at}`}
    />
  )
}

interface StatedRow {
  readonly at: number
  readonly cells: readonly string[]
}

/** Columns of days, which are YYYY-MM-DD where one is stated. */
const DATES = ['Date', 'Signed on']
