import { type ReactNode, useState } from 'react'
import {
  CADENCE_KINDS,
  type CadenceDraft,
  type ChosenFile,
  type IntegrationsSource,
  type PassphraseSource,
  type ScheduleDraft,
  type SchedulesView,
  type ScheduleView,
} from '../../schemas/ipc-schedules.ts'
import {
  cadenceWords,
  clockText,
  type DraftProblems,
  draftProblems,
  firstDraft,
  HOUR_STEPS,
  integrationsOptions,
  minutesOf,
  passphraseOptions,
  stampWords,
  WEEKDAY_NAMES,
} from '../models/schedule-model.ts'
import { plural, visible } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { announce } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Checkbox, RadioGroup } from '../ui/Choice.tsx'
import { bound, TextField } from '../ui/Field.tsx'
import { NumberField } from '../ui/NumberField.tsx'
import { Select } from '../ui/Select.tsx'
import { FailureNote } from './Ask.tsx'
import { FormDialog } from './FormDialog.tsx'
import { useSigningKey } from './SignEntry.tsx'

interface ScheduleFormProps {
  readonly view: SchedulesView
  /** The schedule that is changed; without it, one is added. */
  readonly edited?: ScheduleView
  readonly onClose: () => void
  readonly onSaved: (view: SchedulesView) => void
}

const KIND_TITLES: Readonly<Record<CadenceDraft['every'], string>> = {
  hours: 'Several times a day',
  day: 'Every day',
  week: 'Every week',
  month: 'Every month',
}

/** A schedule built from choices, without timer syntax. */
export function ScheduleForm({ view, edited, onClose, onSaved }: ScheduleFormProps) {
  const save = useAction(edited === undefined ? 'schedules.add' : 'schedules.change')
  const isServed = view.startedBy === 'server'
  const { identity, choice } = useSigningKey(edited?.draft?.identity ?? null, 'schedules.add')
  const [draft, setDraft] = useState<ScheduleDraft>(() => edited?.draft ?? firstDraft(view.zone, view.startedBy))
  const [time, setTime] = useState(clockText(draft.cadence.at))
  const [tried, setTried] = useState(false)
  const { cadence, retries } = draft
  const taken = edited === undefined ? view.schedules.map(({ name }) => name) : []
  const found = draftProblems(draft, time, taken)
  const problems = tried ? found : {}
  const set = (part: Partial<ScheduleDraft>): void => setDraft({ ...draft, ...part })
  const due = (part: Partial<CadenceDraft>): void => set({ cadence: { ...cadence, ...part } })
  const submit = async (): Promise<void> => {
    setTried(true)
    if (Object.keys(found).length > 0) return
    const saved = await save.run({ ...draft, identity })
    if (saved === null) return
    announce(
      edited === undefined
        ? `Schedule ${draft.name} added.${isServed ? '' : ' Install a timer to have it start.'}`
        : `Schedule ${draft.name} changed.`,
    )
    onSaved(saved)
  }
  return (
    <FormDialog
      title={edited === undefined ? 'Add schedule' : `Edit schedule ${visible(edited.name)}`}
      size="large"
      verb={edited === undefined ? 'Add schedule' : 'Save schedule'}
      action={save}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>
        {isServed
          ? `Each run collects from ${visible(view.fleet ?? '')}. It counts as the scheduled run once an officer exports it with a sealer. The schedule is recorded in the run chain, digitally signed, so that missed runs are detectable.`
          : `Each run collects from ${visible(view.fleet ?? '')}, seals a pack, and is recorded in the run chain. The schedule is recorded there too, digitally signed, so that missed runs are detectable.`}
      </p>
      <TextField
        label="Name"
        {...bound(draft, set, 'name')}
        mono
        maxLength={63}
        error={problems.name}
        isReadOnly={edited !== undefined}
        autoFocus
      />
      <RadioGroup
        label="Frequency"
        inline
        {...bound(cadence, due, 'every')}
        options={CADENCE_KINDS.map((id) => ({ id, title: KIND_TITLES[id] }))}
      />
      <div className="schedule-fields">
        {cadence.every === 'hours' && (
          <>
            <Select
              label="Interval"
              value={String(cadence.hours)}
              onChange={(hours) => due({ hours: Number(hours) })}
              options={HOUR_STEPS.map((hours) => ({ id: String(hours), title: plural(hours, 'hour') }))}
            />
            <NumberField
              label="Minutes past the hour"
              value={cadence.at % 60}
              onChange={(at) => due({ at: Number.isNaN(at) ? 0 : at })}
              minValue={0}
              maxValue={59}
            />
          </>
        )}
        {cadence.every === 'week' && (
          <Select
            label="Day of the week"
            value={String(cadence.weekday)}
            onChange={(weekday) => due({ weekday: Number(weekday) })}
            options={WEEKDAY_NAMES.map((title, index) => ({ id: String(index + 1), title }))}
          />
        )}
        {cadence.every === 'month' && (
          <NumberField
            label="Day of the month"
            description="1 to 28, which exist in every month."
            value={cadence.day}
            onChange={(day) => due({ day: Number.isNaN(day) ? 1 : day })}
            minValue={1}
            maxValue={28}
          />
        )}
        {cadence.every !== 'hours' && (
          <TextField
            label="Time of day"
            value={time}
            onChange={(text) => {
              setTime(text)
              const at = minutesOf(text)
              if (at !== null) due({ at })
            }}
            mono
            maxLength={5}
            error={problems.at}
          />
        )}
        <TextField label="Time zone" {...bound(draft, set, 'zone')} mono maxLength={60} error={problems.zone} />
      </div>
      <p role="status">{cadenceWords(cadence, visible(draft.zone))}</p>
      <NumberField
        label="Random delay (maximum, minutes)"
        description="Different for each run, so that many computers do not start at the same time."
        {...bound(draft, set, 'jitterMinutes')}
        minValue={0}
        maxValue={720}
        error={problems.jitter}
      />
      <div className="schedule-fields">
        <NumberField
          label="Retries for unreachable nodes"
          value={retries.times}
          onChange={(times) => set({ retries: { ...retries, times } })}
          minValue={0}
          maxValue={10}
          error={problems.times}
        />
        <NumberField
          label="Retry interval (minutes)"
          value={retries.waitMinutes}
          onChange={(waitMinutes) => set({ retries: { ...retries, waitMinutes } })}
          minValue={1}
          maxValue={720}
          error={problems.wait}
        />
      </div>
      {draft.sealHours !== null && (
        <NumberField
          label="Time for sealing (hours)"
          description="How long a person may take to seal a run. A run that is sealed later counts as late."
          value={draft.sealHours}
          onChange={(sealHours) => set({ sealHours })}
          minValue={1}
          maxValue={720}
          error={problems.seal}
        />
      )}
      <Checkbox
        isSelected={draft.catchUp}
        onChange={(catchUp) => set({ catchUp })}
        note="Once, for the latest run. Earlier runs remain listed as missed."
      >
        {isServed ? 'Run if missed while the server was off' : 'Run if missed while this computer was off'}
      </Checkbox>
      {isServed ? (
        <>
          {choice}
          <p className="quiet">{visible(stampWords(view.authority, 'server'))}</p>
        </>
      ) : (
        <Unattended {...{ draft, set, problems, edited, choice, authority: view.authority }} />
      )}
    </FormDialog>
  )
}

interface UnattendedProps {
  readonly draft: ScheduleDraft
  readonly set: (part: Partial<ScheduleDraft>) => void
  readonly problems: DraftProblems
  readonly edited: ScheduleView | undefined
  /** The choice of the key that seals. */
  readonly choice: ReactNode
  readonly authority: string | null
}

/** The settings of an unattended run: the passphrase of its key, and its notifications. */
function Unattended({ draft, set, problems, edited, choice, authority }: UnattendedProps) {
  const choose = useAction('schedules.choose-passphrase')
  const [secret, setSecret] = useState<ChosenFile | null>(null)
  const chooseIntegrations = useAction('schedules.choose-integrations')
  const [integrations, setIntegrations] = useState<ChosenFile | null>(null)
  const pick = async (): Promise<void> => {
    const chosen = await choose.run(null)
    if (chosen === null) return
    setSecret(chosen)
    set({ passphrase: { use: 'file', handle: chosen.handle } })
  }
  const supply = (use: PassphraseSource['use']): void => {
    if (use !== 'file') set({ passphrase: { use } })
    else if (secret !== null) set({ passphrase: { use, handle: secret.handle } })
    else void pick()
  }
  const pickIntegrations = async (): Promise<void> => {
    const chosen = await chooseIntegrations.run(null)
    if (chosen === null) return
    setIntegrations(chosen)
    set({ integrations: { use: 'file', handle: chosen.handle } })
  }
  const sendBy = (use: IntegrationsSource['use']): void => {
    if (use !== 'file') set({ integrations: { use } })
    else if (integrations !== null) set({ integrations: { use, handle: integrations.handle } })
    else void pickIntegrations()
  }
  return (
    <>
      <Checkbox
        isSelected={draft.gapsExitZero}
        onChange={(gapsExitZero) => set({ gapsExitZero })}
        note="The evidence contains deviations in any case. If this is off, the operating system lists such a run as failed."
      >
        Count a run with deviations as successful
      </Checkbox>
      {choice}
      <RadioGroup
        label="Passphrase file"
        description="Unattended runs read the passphrase of the signing identity from a file. Without it, no run can be sealed."
        value={draft.passphrase.use}
        onChange={supply}
        options={passphraseOptions(edited?.passphraseFile ?? null, secret?.file ?? null).map((one) => ({
          ...one,
          title: visible(one.title),
        }))}
      />
      {secret !== null && (
        <div className="actions">
          <Button small busy={choose.busy} onPress={() => void pick()}>
            Choose another file
          </Button>
        </div>
      )}
      {choose.error !== null && <FailureNote error={choose.error} />}
      <Checkbox
        isSelected={draft.syslog}
        onChange={(syslog) => set({ syslog })}
        note="New and resolved deviations, nodes that are not collected, and missed runs."
      >
        Write notifications to the system log
      </Checkbox>
      <TextField
        label="Notification address (optional)"
        description="An HTTPS address that receives changes as JSON. They name checks and nodes, and contain no evidence."
        value={draft.webhook ?? ''}
        onChange={(webhook) => set({ webhook: webhook === '' ? null : webhook })}
        mono
        maxLength={498}
        error={problems.webhook}
      />
      <RadioGroup
        label="Send packs to other systems"
        description="Ticket systems, chat and platforms for audits, as an integrations file states. If sending fails, the run is unaffected, and the next run tries again."
        value={draft.integrations.use}
        onChange={sendBy}
        options={integrationsOptions(edited?.integrationsFile ?? null, integrations?.file ?? null).map((one) => ({
          ...one,
          title: visible(one.title),
        }))}
      />
      {integrations !== null && (
        <div className="actions">
          <Button small busy={chooseIntegrations.busy} onPress={() => void pickIntegrations()}>
            Choose another integrations file
          </Button>
        </div>
      )}
      {chooseIntegrations.error !== null && <FailureNote error={chooseIntegrations.error} />}
      <p className="quiet">
        Scheduled runs use the nodes and host keys of this window, and its engagement, provider claims, risk acceptances
        and documents at the time of sealing. {visible(stampWords(authority, 'timers'))}
      </p>
    </>
  )
}
