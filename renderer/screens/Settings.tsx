import { Appearance } from '../parts/Appearance.tsx'
import { Identities } from '../parts/Identities.tsx'
import { Page } from '../parts/Page.tsx'
import { Privacy } from '../parts/Privacy.tsx'
import { SshSettings } from '../parts/SshSettings.tsx'
import { TimeStamping } from '../parts/TimeStamping.tsx'
import { TrustAnchors } from '../parts/TrustAnchors.tsx'
import type { SettingsPart } from '../routes.ts'
import { replace, useStore } from '../store.ts'
import { Tabs } from '../ui/Tabs.tsx'

/** Settings, and what Barewitness stores. */
export function Settings() {
  const { route } = useStore()
  const part = route.screen === 'settings' ? (route.part ?? 'identity') : 'identity'
  return (
    <Page title="Settings">
      <Tabs<SettingsPart>
        label="Settings sections"
        selected={part}
        onSelect={(chosen) => replace({ screen: 'settings', part: chosen })}
        tabs={[
          { id: 'identity', title: 'Signing identities', content: <Identities /> },
          { id: 'time-stamping', title: 'Time-stamping', content: <TimeStamping /> },
          { id: 'trust', title: 'Trusted signers', content: <TrustAnchors /> },
          { id: 'ssh', title: 'SSH', content: <SshSettings /> },
          { id: 'privacy', title: 'Privacy', content: <Privacy /> },
          { id: 'appearance', title: 'Appearance', content: <Appearance /> },
        ]}
      />
    </Page>
  )
}
