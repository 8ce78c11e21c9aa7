import { useEffect } from 'react'
import { loadRest, useRest } from './all-screens.ts'
import { routeKey } from './models/routes.ts'
import { Unevaluated, Waiting } from './parts/Ask.tsx'
import { Frame } from './parts/Frame.tsx'
import { Page } from './parts/Page.tsx'
import { FirstRun } from './screens/FirstRun.tsx'
import { useShortcuts } from './state/shortcuts.ts'
import { isReviewWindow, useStore } from './state/store.ts'
import { Button } from './ui/Button.tsx'
import { Notice } from './ui/Notice.tsx'

/**
 * The other screens are loaded after the first one is drawn and accepts input, and before the engine has opened
 * results.
 */
const AFTER_MS = 500

/** The window: the fleet of this computer, or one sealed pack for review. */
export function App() {
  const { route, over, settings, verifying } = useStore()
  const rest = useRest()
  const isFirst = route.screen === 'first-run'
  const isNeeded = !isFirst || isReviewWindow() || over !== null || verifying !== null
  useShortcuts()
  useEffect(() => {
    document.documentElement.dataset.theme = settings.theme
  }, [settings.theme])
  useEffect(() => {
    if (isNeeded) return loadRest()
    const timer = setTimeout(loadRest, AFTER_MS)
    return () => clearTimeout(timer)
  }, [isNeeded])
  const all = rest.state === 'loaded' ? rest.screens : null
  const screen =
    rest.state === 'failed' && isNeeded ? (
      <NotLoaded />
    ) : isFirst ? (
      <FirstRun />
    ) : all === null ? (
      <Waiting />
    ) : (
      <all.Screen key={routeKey(route)} route={route} />
    )
  return (
    <Unevaluated value={all === null ? null : <all.NotEvaluated />}>
      {!isReviewWindow() ? (
        <Frame above={all !== null && <all.Verifying />}>{screen}</Frame>
      ) : all === null ? (
        <main>{screen}</main>
      ) : (
        <all.ReviewWindow>{screen}</all.ReviewWindow>
      )}
      {all !== null && over === 'palette' && <all.Palette />}
      {all !== null && over === 'shortcuts' && <all.ShortcutList />}
    </Unevaluated>
  )
}

const NotLoaded = () => (
  <Page title="Screen not loaded">
    <Notice
      kind="failure"
      interrupts
      title="The code of this screen could not be read."
      means="Stored evidence is unchanged, and a collection in progress continues."
      next="Load it again. If this fails again, close Barewitness and start it again."
      actions={<Button onPress={loadRest}>Load again</Button>}
    />
  </Page>
)
