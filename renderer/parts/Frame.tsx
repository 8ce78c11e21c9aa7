import {
  IconAlertSquare,
  IconCalendarClock,
  IconClipboardText,
  IconFileCertificate,
  IconFiles,
  IconFlag,
  IconForms,
  IconHistory,
  IconLayoutGrid,
  IconListCheck,
  IconMap2,
  IconMessageQuestion,
  IconPackage,
  IconPlayerPlay,
  IconQuote,
  IconServer,
  IconSettings,
  IconUserCheck,
} from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useEffect, useId } from 'react'
import { isOffered, type Route, railEntryOf } from '../models/routes.ts'
import { counts } from '../models/run-progress.ts'
import { may, openSessions, signedIn, signOut } from '../models/team.ts'
import { plural, visible } from '../models/text.ts'
import { collect, whyNoCollect } from '../state/actions.ts'
import { useAnswer, useKept } from '../state/bridge.ts'
import { useEarlierShown } from '../state/refreshing.ts'
import { canSearch, change, go, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Icon, type TablerIcon } from '../ui/Icon.tsx'
import { CancelEvaluation, FailureNote } from './Ask.tsx'
import { Tour } from './Tour.tsx'

interface Entry {
  readonly title: string
  readonly icon: TablerIcon
  readonly route: Route
}

const PLACES: readonly Entry[] = [
  { title: 'Overview', icon: IconLayoutGrid, route: { screen: 'overview', of: 'run' } },
  { title: 'Findings', icon: IconAlertSquare, route: { screen: 'findings', of: 'run' } },
  { title: 'Controls', icon: IconListCheck, route: { screen: 'controls', of: 'run' } },
  { title: 'Documents', icon: IconFiles, route: { screen: 'documents', of: 'run' } },
  { title: 'Risk acceptances', icon: IconFlag, route: { screen: 'risk-acceptances', of: 'run' } },
  { title: 'Location', icon: IconMap2, route: { screen: 'location', of: 'run' } },
  { title: 'Provider claims', icon: IconQuote, route: { screen: 'claims', of: 'run' } },
  { title: 'Engagement', icon: IconClipboardText, route: { screen: 'engagement', of: 'run' } },
  { title: 'Nodes', icon: IconServer, route: { screen: 'nodes' } },
  { title: 'Declarations', icon: IconForms, route: { screen: 'declarations' } },
  { title: 'Evidence packs', icon: IconPackage, route: { screen: 'packs' } },
  { title: 'Shared packs', icon: IconPackage, route: { screen: 'shared' } },
  { title: 'Auditors', icon: IconUserCheck, route: { screen: 'auditors' } },
  { title: 'Requests', icon: IconMessageQuestion, route: { screen: 'requests' } },
  { title: 'History', icon: IconHistory, route: { screen: 'history' } },
  { title: 'Schedules', icon: IconCalendarClock, route: { screen: 'schedules' } },
]
const SETTINGS: Entry = { title: 'Settings', icon: IconSettings, route: { screen: 'settings' } }

interface FrameProps {
  /** Progress that is shown above every screen. */
  readonly above: ReactNode
  readonly children: ReactNode
}

/** Rail, banners, the screen, and the polite announcement for screen readers. */
export function Frame({ above, children }: FrameProps) {
  const { fleet, problem, announced: announcement } = useStore()
  return (
    <div className="frame">
      <Rail />
      <div className="stage">
        {fleet?.demo === true && (
          <aside className="banner demo" aria-label="Demo data">
            <strong>Demo data.</strong> Recorded or made-up nodes on this computer. Not evidence about your servers.
          </aside>
        )}
        <main data-pane tabIndex={-1} aria-label="Screen">
          {above}
          {problem !== null && (
            <div className="problem">
              <FailureNote error={problem} />
              <Button kind="quiet" small onPress={() => change({ problem: null })}>
                Dismiss message
              </Button>
            </div>
          )}
          {children}
        </main>
        <p className="said" role="status" aria-live="polite">
          {announcement}
        </p>
        <Updating />
        <Toast />
        <Tour />
      </div>
    </div>
  )
}

/**
 * States that results from before the last change are shown, if repeating them takes longer than a second. If that
 * evaluates the run again, its progress is shown, with Cancel where one person may.
 */
function Updating() {
  const isShown = useEarlierShown()
  const { evaluating } = useStore()
  return (
    <div className={isShown ? 'updating' : 'said'}>
      <p role="status">{isShown ? 'Updating. Earlier results are shown until then.' : ''}</p>
      {isShown && evaluating !== null && (
        <>
          <span className="number">
            {evaluating.done} of {plural(evaluating.total, 'node')}
          </span>
          <CancelEvaluation />
        </>
      )}
    </div>
  )
}

function Rail() {
  const { route, progress, over } = useStore()
  const reason = useId()
  const why = whyNoCollect()
  const here = railEntryOf(route)
  return (
    <nav className="rail" aria-label="Main" data-pane tabIndex={-1} onKeyDown={walk}>
      <p className="wordmark">
        <Icon of={IconFileCertificate} size={20} />
        Barewitness
      </p>
      {may('run.start') && (
        <Button
          className="rail-collect"
          icon={IconPlayerPlay}
          isDisabled={why !== null}
          describedBy={reason}
          onPress={() => void collect('all')}
        >
          Collect evidence
        </Button>
      )}
      <p id={reason} className="rail-note">
        {progress?.ended === 'no' ? <Running /> : may('run.start') ? why : null}
      </p>
      <ul>
        {PLACES.filter((one) => isOffered(one.route)).map((entry) => (
          <li key={entry.route.screen}>
            {entry.route.screen === 'findings' ? (
              <OpenFindings entry={entry} here={here} />
            ) : entry.route.screen === 'requests' ? (
              <WaitingRequests entry={entry} here={here} />
            ) : (
              <RailEntry entry={entry} here={here} badge={0} />
            )}
          </li>
        ))}
      </ul>
      <ul className="rail-foot">
        {canSearch() && (
          <li>
            <button
              type="button"
              className="rail-item"
              aria-haspopup="dialog"
              aria-expanded={over === 'palette'}
              onClick={() => change({ over: 'palette' })}
            >
              Search…
              <kbd>Ctrl K</kbd>
            </button>
          </li>
        )}
        <li>
          <RailEntry entry={SETTINGS} here={here} badge={0} />
        </li>
      </ul>
      <SignedIn />
    </nav>
  )
}

/** The person who is signed in to a server. Not shown in the window. */
function SignedIn() {
  const session = signedIn()
  if (session === null) return null
  return (
    <div className="rail-person">
      <p>
        {visible(session.name)}
        <br />
        {session.role}, {session.engagement}
      </p>
      <div className="rail-person-steps">
        <Button kind="link" onPress={openSessions}>
          Your sessions
        </Button>
        <Button kind="link" onPress={() => void signOut()}>
          Sign out
        </Button>
      </div>
    </div>
  )
}

function Running() {
  const { progress } = useStore()
  if (progress === null) return null
  const { finished, total } = counts(progress)
  return (
    <Button kind="link" onPress={() => go({ screen: 'collecting' })}>
      {progress.paused ? 'Paused at' : 'Collecting,'} {finished} of {plural(total, 'node')}
    </Button>
  )
}

/**
 * The entry of the findings, with the number of those that are neither informational nor accepted on every node. It
 * is 0 before the first run, and while results are not evaluated as of today.
 */
function OpenFindings(entry: Omit<RailEntryProps, 'badge'>) {
  const { runs, days, evaluating, isUncounted } = useStore()
  const answer = useKept(useAnswer('home.get', null, `${runs} ${days}`), 'rail')
  const isCounted = answer.state === 'here' && evaluating === null && !isUncounted
  return <RailEntry {...entry} badge={isCounted ? (answer.value.results?.openFindings ?? 0) : 0} />
}

/**
 * The entry of the requests of auditors, with the number of those that wait for this person or have a new comment for
 * them.
 */
function WaitingRequests(entry: Omit<RailEntryProps, 'badge'>) {
  const { portal } = useStore()
  const answer = useKept(useAnswer('portal.requests', null, portal), 'rail requests')
  return (
    <RailEntry
      {...entry}
      badge={
        answer.state === 'here' ? answer.value.filter(({ waits, hasNewComment }) => waits || hasNewComment).length : 0
      }
    />
  )
}

interface RailEntryProps {
  readonly entry: Entry
  /** The screen of the entry that is marked. */
  readonly here: Route['screen']
  /** Not shown where it is 0. */
  readonly badge: number
}

function RailEntry({ entry, here, badge }: RailEntryProps) {
  const { title, icon, route } = entry
  const count = useId()
  return (
    <>
      <button
        type="button"
        className="rail-item"
        aria-current={here === route.screen ? 'page' : undefined}
        aria-describedby={badge === 0 ? undefined : count}
        onClick={() => go(route)}
      >
        <Icon of={icon} />
        {title}
        {badge > 0 && (
          <span className="rail-badge number" aria-hidden="true" title={`${badge} open`}>
            {badge}
          </span>
        )}
      </button>
      {badge > 0 && (
        <span id={count} hidden>
          {badge} open
        </span>
      )}
    </>
  )
}

function walk(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('.rail-item')]
  const at = buttons.findIndex((button) => button.matches(':focus'))
  buttons[at + step]?.focus()
  event.preventDefault()
}

const SHOWN_MS = 8_000

/** What was just recorded, and a button to withdraw it. Failures are never shown this way. */
function Toast() {
  const { toast } = useStore()
  useEffect(() => {
    if (toast === null) return
    const timer = setTimeout(() => change({ toast: null }), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [toast])
  return (
    <div className="toast-place" role="status" aria-live="polite">
      {toast !== null && (
        <div className="toast">
          <span>{toast.text}</span>
          {toast.undo !== null && (
            <Button
              kind="link"
              onPress={() => {
                change({ toast: null })
                toast.undo?.()
              }}
            >
              Undo
            </Button>
          )}
        </div>
      )}
    </div>
  )
}
