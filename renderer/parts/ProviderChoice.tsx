import { IconFileImport } from '@tabler/icons-react'
import type { ProviderList } from '../../schemas/ipc-engagement.ts'
import { useAction } from '../actions.ts'
import { useAnswer } from '../bridge.ts'
import { useKept } from '../kept.ts'
import { outdated, say, useStore } from '../store.ts'
import { day, plural, visible } from '../text.ts'
import { Button } from '../ui/Button.tsx'
import { Select } from '../ui/Select.tsx'
import { Ask } from './Ask.tsx'
import { FailureNote } from './Failure.tsx'

const NONE = 'none'
const OWN = 'own'

/** The provider profile: built-in, custom, or none. */
export function ProviderChoice() {
  const { runs } = useStore()
  return (
    <Ask answer={useKept(useAnswer('provider.list', null, runs), 'provider')}>{(list) => <Choice list={list} />}</Ask>
  )
}

function Choice({ list: { shipped, chosen, own } }: { readonly list: ProviderList }) {
  const { progress } = useStore()
  const choose = useAction('provider.choose')
  const bring = useAction('provider.import-choose')
  const done = (reply: ProviderList | null): void => {
    if (reply === null) return
    say(reply.chosen === null ? 'Provider profile removed.' : `Provider profile ${reply.chosen.name} selected.`)
    outdated()
  }
  const going = progress?.ended === 'no'
  const options = [
    { id: NONE, title: 'None' },
    ...shipped.map(({ id, name, asOf, claims }) => ({
      id,
      title: visible(name),
      note: `${plural(claims, 'claim')}, from public statements as of ${day(asOf)}`,
    })),
    ...(own && chosen !== null
      ? [{ id: OWN, title: visible(chosen.name), note: `${plural(chosen.claims, 'claim')}, from your own file` }]
      : []),
  ]
  const value = chosen === null ? NONE : own ? OWN : chosen.id
  return (
    <div className="provider-choice">
      <Select
        label="Provider profile"
        isDisabled={going}
        {...(going ? { description: 'Collection in progress; change the profile afterwards.' } : {})}
        options={options}
        value={value}
        onChange={(id) => {
          if (id !== value && id !== OWN) void choose.run({ id: id === NONE ? null : id }).then(done)
        }}
      />
      <Button
        icon={IconFileImport}
        isDisabled={going}
        busy={bring.busy}
        onPress={() => void bring.run(null).then(done)}
      >
        Import provider profile…
      </Button>
      {choose.error !== null && <FailureNote error={choose.error} />}
      {bring.error !== null && <FailureNote error={bring.error} />}
    </div>
  )
}
