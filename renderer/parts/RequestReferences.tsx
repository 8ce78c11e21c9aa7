import type { PortalRequest, RequestEntry } from '../../schemas/ipc-portal.ts'
import type { CallFailure } from '../../schemas/ipc-views.ts'
import type { Route } from '../models/routes.ts'
import { isAuditorPage } from '../models/team.ts'
import { visible } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { useAnswer, useKept } from '../state/bridge.ts'
import { documentName, packOfAnswers, packPlaces, piecesOf, runPlaces } from '../state/request-references.ts'
import { go, showShared, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { FailureNote } from './Ask.tsx'

/** The screens that the references in the texts of a request open. */
export interface References {
  readonly places: ReadonlyMap<string, Route>
  readonly open: (to: Route) => void
  /** Why the last reference could not be opened, or null. */
  readonly error: CallFailure | null
}

/** The references that an officer can open: everything of the run that is shown. */
export function useRunReferences(): References {
  const { fleet, runs } = useStore()
  const found = useKept(useAnswer('search.index', { of: 'run' }, runs), 'references')
  const nodes = fleet?.nodes.map(({ name }) => name) ?? []
  return { places: runPlaces(found.state === 'here' ? found.value : [], nodes), open: go, error: null }
}

/** The references that an auditor can open: in a pack named by an answer, after it was verified. */
export function usePackReferences(request: PortalRequest): References {
  const verify = useAction('portal.open')
  const id = packOfAnswers(request)
  const open = (to: Route): void => {
    if (id === null) return
    void verify.run({ id }).then((review) => {
      if (review !== null) showShared(true, to)
    })
  }
  return { places: packPlaces(request), open, error: verify.error }
}

/** A text with links for its references. */
export const WithReferences = ({
  text,
  references: { places, open },
}: {
  readonly text: string
  readonly references: References
}) => (
  <>
    {piecesOf(text, places).map(({ text: piece, to }, at) =>
      to === null ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text have no other name
        <span key={at}>{visible(piece)}</span>
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <Button key={at} kind="link" onPress={() => open(to)}>
          {visible(piece)}
        </Button>
      ),
    )}
  </>
)

interface Item {
  readonly id: string
  readonly label: string
  /** Null where it cannot be opened. */
  readonly open: (() => void) | null
}

/**
 * The evidence named by an answer. Officers open it in the run that is shown, auditors in the first pack of the
 * answer that is shared with them.
 */
export function NamedEvidence({
  entry,
  references: { places },
}: {
  readonly entry: RequestEntry
  readonly references: References
}) {
  const open = useAction('portal.open')
  const { packs, documents, findings } = entry
  const isAuditor = isAuditorPage()
  const inPack = (id: string, first?: Route): void =>
    void open.run({ id }).then((review) => {
      if (review !== null) showShared(true, first)
    })
  const opens = (reference: string, first: Route): Item['open'] => {
    const [pack] = packs
    if (isAuditor) return pack === undefined ? null : () => inPack(pack.id, first)
    const to = places.get(reference)
    return to === undefined ? null : () => go(to)
  }
  const filed = documents.map(({ id, label }): Item => {
    const name = documentName(label)
    return { id, label, open: opens(name, { screen: 'documents', of: 'pack', find: name }) }
  })
  const found = findings.map(
    ({ id, label }): Item => ({
      id,
      label: `${id}: ${label}`,
      open: opens(id, { screen: 'finding', of: 'pack', reference: id }),
    }),
  )
  const hasText = [...filed, ...found].some((one) => one.open === null)
  return (
    <>
      <Named
        title="Shared packs"
        of={packs.map(({ id, label }) => ({
          ...{ id, label },
          open: isAuditor ? () => inPack(id) : () => go({ screen: 'auditors', part: 'packs' }),
        }))}
      />
      <Named title="Documents" of={filed} />
      <Named title="Findings" of={found} />
      {hasText && (
        <p className="note">
          {isAuditor
            ? 'No pack of this answer is shared with you, so that what it names cannot be opened here.'
            : 'What is not a link is not in the run that is shown.'}
        </p>
      )}
      {open.error !== null && <FailureNote error={open.error} />}
    </>
  )
}

const Named = ({ title, of }: { readonly title: string; readonly of: readonly Item[] }) =>
  of.length === 0 ? null : (
    <div className="source">
      {title}:
      <ul className="plain-list">
        {of.map(({ id, label, open }) => (
          <li key={id}>
            {open === null ? (
              visible(label)
            ) : (
              <Button kind="link" onPress={open}>
                {visible(label)}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
