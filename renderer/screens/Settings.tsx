import { useState } from 'react'
import type { CallFailure, Settings as SettingValues } from '../../schemas/ipc-views.ts'
import { TERM_GROUPS, TERMS } from '../../schemas/terms.ts'
import { isOffered, type SettingsPart } from '../models/routes.ts'
import { settingsWords } from '../models/settings-model.ts'
import { may, signedIn } from '../models/team.ts'
import { visible } from '../models/text.ts'
import { Ask, FailureNote } from '../parts/Ask.tsx'
import { Fingerprint } from '../parts/Copy.tsx'
import { Identities } from '../parts/Identities.tsx'
import { Page } from '../parts/Page.tsx'
import { ShortcutTable } from '../parts/ShortcutTable.tsx'
import { startTour } from '../parts/Tour.tsx'
import { TrustAnchors } from '../parts/TrustAnchors.tsx'
import { SortedTable, textColumn } from '../parts/WholeTable.tsx'
import { useAction } from '../state/actions.ts'
import { useAnswer } from '../state/bridge.ts'
import { announce, change, getState, replace, useStore } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { Fact } from '../ui/Fact.tsx'
import { TextField } from '../ui/Field.tsx'
import { NumberField } from '../ui/NumberField.tsx'
import { Tabs } from '../ui/Tabs.tsx'

/** The part that is shown first, where it is offered. */
const FIRST_PARTS: readonly SettingsPart[] = ['identity', 'time-stamping', 'trust']

/** Settings, and what Barewitness stores. */
export function Settings() {
  const { route } = useStore()
  const first = FIRST_PARTS.find((one) => isOffered({ screen: 'settings', part: one })) ?? 'about'
  const part = route.screen === 'settings' ? (route.part ?? first) : first
  return (
    <Page title="Settings">
      <Tabs<SettingsPart>
        label="Settings sections"
        selected={part}
        onSelect={(chosen) => replace({ screen: 'settings', part: chosen })}
        tabs={[
          { id: 'identity' as const, title: 'Signing identities', content: <Identities /> },
          { id: 'time-stamping' as const, title: 'Time-stamping', content: <TimeStamping /> },
          { id: 'trust' as const, title: 'Trusted signers', content: <TrustAnchors /> },
          { id: 'ssh' as const, title: 'SSH', content: <SshSettings /> },
          { id: 'privacy' as const, title: 'Privacy', content: <Privacy /> },
          { id: 'appearance' as const, title: 'Appearance', content: <Appearance /> },
          { id: 'about' as const, title: 'About', content: <About /> },
        ].filter(({ id }) => isOffered({ screen: 'settings', part: id }))}
      />
    </Page>
  )
}

/** A team server stores no identities. */
const IDENTITIES = 'Signing identities'

const KEPT: readonly { readonly what: string; readonly where: string }[] = [
  { what: 'Fleet and host keys', where: 'Names, addresses and accounts of your nodes, and confirmed host keys.' },
  {
    what: 'Evidence',
    where: 'Captures of each run, unchanged. They may contain user names, addresses and serial numbers.',
  },
  {
    what: 'Risk acceptances and documents',
    where: 'Risk acceptances, control decisions and documents with the names of people, and copies of added files.',
  },
  {
    what: 'Engagement and provider profile',
    where: 'Engagement, provider inventory, and the selected provider profile.',
  },
  {
    what: 'Schedules',
    where: 'Times, receivers of notifications and packs, and passphrases that unattended runs read.',
  },
  { what: 'Sealed packs', where: 'Every export that was sealed here, including unsaved drafts.' },
  {
    what: IDENTITIES,
    where: 'Encrypted with a passphrase. Settings, Signing identities shows where each passphrase is stored.',
  },
  { what: 'Trusted signers', where: 'Trusted certificates, and how you verified them.' },
  { what: 'Worksheets', where: 'Your notes on reviewed packs. They are never included in a pack.' },
  { what: 'Recent packs', where: 'File names and paths, and the last run chain you saw. No contents.' },
  { what: 'Settings', where: 'Settings of this window.' },
]

/** Network connections, and stored data. */
function Privacy() {
  const onServer = signedIn() !== null
  const words = settingsWords(onServer)
  return (
    <section aria-labelledby="privacy" className="settings-part">
      <h2 id="privacy">Privacy</h2>
      <p className="lead">{words.contacts}</p>
      <h3>{words.storedTitle}</h3>
      <p className="prose">{words.stored}</p>
      <SortedTable<(typeof KEPT)[number]>
        className="told-table"
        columns={[
          textColumn('data', 'Data', ({ what }) => what, { isRowHeader: true }),
          textColumn('content', 'Content', ({ where }) => where),
        ]}
        rows={KEPT.filter(({ what }) => !onServer || what !== IDENTITIES)}
        keyOf={({ what }) => what}
      />
      <h3>Data sent</h3>
      <p className="prose">{words.sent}</p>
    </section>
  )
}

const MOST = 256

/** SSH connections and privileges. */
function SshSettings() {
  const { settings, busy, error, keep } = useSettings()
  const [count, setCount] = useState(settings.concurrency)
  const wrong = !Number.isInteger(count) || count < 1 || count > MOST
  return (
    <section aria-labelledby="ssh" className="settings-part">
      <h2 id="ssh">SSH</h2>
      <form
        className="settings-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!wrong) void keep({ concurrency: count })
        }}
      >
        <NumberField
          label="Concurrent nodes"
          description="Use fewer for jump hosts and networks that limit new connections."
          minValue={1}
          maxValue={MOST}
          value={count}
          onChange={setCount}
          error={wrong ? `Enter a whole number from 1 to ${MOST}.` : undefined}
        />
        <div className="actions">
          <Button type="submit" kind="primary" busy={busy} isDisabled={wrong || count === settings.concurrency}>
            Save setting
          </Button>
        </div>
      </form>
      {error !== null && <FailureNote error={error} />}
      <dl className="told">
        <Fact term="Login">
          Uses your SSH agent, and the key files named in the SSH configuration or the fleet file. One attempt per run,
          to avoid account lockout. A separate window asks for the passphrase of an encrypted key file.
        </Fact>
        <Fact term="Passwords">
          Requested in a separate window, if a node accepts no other method. Sent to that node only, and never stored.
        </Fact>
        <Fact term="Host keys">Verified before login. No login to a node with an unverified or changed key.</Fact>
        <Fact term="Privileged checks (sudo)">
          Set by node under Nodes. If allowed, each command runs separately with “sudo -n”, exactly as listed in the
          command preview. No root shell is opened, and no password is entered. Without sudo, their checks are
          inconclusive.
        </Fact>
        <Fact term="On the node">
          Nothing is installed and nothing is written. The logs of the node record the login and each sudo command.
          Agent and X11 forwarding are never requested.
        </Fact>
      </dl>
    </section>
  )
}

const ADDRESS = /^https?:\/\/[!-~]{1,490}$/

/** The time-stamp authority, and the data it receives. */
function TimeStamping() {
  const { settings, busy, error, keep } = useSettings()
  const words = settingsWords(signedIn() !== null)
  const [address, setAddress] = useState(settings.authority ?? '')
  const typed = address.trim()
  const wrong = typed !== '' && !ADDRESS.test(typed)
  return (
    <section aria-labelledby="time-stamping" className="settings-part">
      <h2 id="time-stamping">Time-stamp authority</h2>
      <p className="prose">{words.stampPurpose}</p>
      <p>{settings.authority === null ? 'Not set.' : `In use: ${visible(settings.authority)}`}</p>
      <form
        className="settings-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!wrong) void keep({ authority: typed === '' ? null : typed })
        }}
      >
        <TextField
          label="Authority address"
          description="Begins with https:// or http://. Leave empty for none."
          isRequired={false}
          mono
          maxLength={498}
          value={address}
          onChange={setAddress}
          error={wrong ? 'Enter an address that begins with https:// or http:// and contains no spaces.' : undefined}
        />
        <div className="actions">
          <Button type="submit" kind="primary" busy={busy} isDisabled={wrong || typed === (settings.authority ?? '')}>
            Save address
          </Button>
        </div>
      </form>
      {error !== null && <FailureNote error={error} />}
      <h3>Data sent to the authority</h3>
      <p className="prose">{words.stampData}</p>
      <h3>Test</h3>
      <p className="prose">{words.stampTest}</p>
    </section>
  )
}

const THEMES: readonly { readonly id: SettingValues['theme']; readonly title: string }[] = [
  { id: 'system', title: 'System' },
  { id: 'light', title: 'Light' },
  { id: 'dark', title: 'Dark' },
]

/** Theme and keyboard shortcuts. */
function Appearance() {
  const { settings, error, keep } = useSettings()
  return (
    <section aria-labelledby="appearance" className="settings-part">
      <h2 id="appearance">Appearance</h2>
      <RadioGroup
        label="Theme"
        inline
        options={THEMES}
        value={settings.theme}
        onChange={(theme) => void keep({ theme })}
      />
      <Checkbox
        isSelected={settings.singleKeys}
        onChange={(singleKeys) => void keep({ singleKeys })}
        note="Turn them off if you use speech input or press keys by accident."
      >
        Single-key shortcuts
      </Checkbox>
      {error !== null && <FailureNote error={error} />}
      <div className="scroll">
        <ShortcutTable className="told-table" caption="Keyboard shortcuts" off="Turned off" />
      </div>
    </section>
  )
}

interface SettingsInUse {
  readonly settings: SettingValues
  readonly busy: boolean
  readonly error: CallFailure | null
  /** Saves the changes, which are shown only once saved. Returns whether they were. */
  readonly keep: (part: Partial<SettingValues>) => Promise<boolean>
}

/** The settings and a function to change them. */
function useSettings(): SettingsInUse {
  const { settings } = useStore()
  const { busy, error, run } = useAction('settings.set')
  const keep = async (part: Partial<SettingValues>): Promise<boolean> => {
    const kept = await run({ ...getState().settings, ...part })
    if (kept === null) return false
    change({ settings: kept })
    announce('Setting saved.')
    return true
  }
  return { settings, busy, error, keep }
}

/** Version, rules and license of this program, and the terms that it uses. */
function About() {
  const info = useAnswer('app.info', null)
  return (
    <section aria-labelledby="about" className="settings-part">
      <h2 id="about">About Barewitness</h2>
      <Ask answer={info}>
        {({ version, catalogVersion, rules, rulesState, license, checks, probes }) => (
          <dl className="seal-facts">
            <Fact term="Version">{version}</Fact>
            <Fact term="Rules">
              {catalogVersion}: {checks} checks on {probes} probes; {rulesState}
            </Fact>
            <Fact term="Digest of the rules (SHA-256)">
              <Fingerprint of={rules} what="the digest of the rules" />
            </Fact>
            <Fact term="License">{license}</Fact>
          </dl>
        )}
      </Ask>
      {may('demo.open') && (
        <div className="actions">
          <Button onPress={() => void startTour()}>Tour of the demo fleet</Button>
        </div>
      )}
      <p>Barewitness does not search for updates. Compare this version with the one that its publisher announces.</p>
      <h2>Glossary</h2>
      {TERM_GROUPS.map((group) => (
        <Disclosure key={group} title={group} aside={TERMS.filter((one) => one.group === group).length}>
          <dl className="facts">
            {TERMS.filter((one) => one.group === group).map(({ term, definition }) => (
              <Fact key={term} term={term}>
                {definition}
              </Fact>
            ))}
          </dl>
        </Disclosure>
      ))}
    </section>
  )
}
