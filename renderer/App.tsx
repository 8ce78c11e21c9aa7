import { assertNever } from './assert-never.ts'
import { Frame } from './parts/Frame.tsx'
import { type Route, routeKey } from './routes.ts'
import { Collecting } from './screens/Collecting.tsx'
import { Controls } from './screens/Controls.tsx'
import { Evidence } from './screens/Evidence.tsx'
import { Export } from './screens/Export.tsx'
import { FirstRun } from './screens/FirstRun.tsx'
import { Nodes } from './screens/Nodes.tsx'
import { Overview } from './screens/Overview.tsx'
import { Preview } from './screens/Preview.tsx'
import { Review } from './screens/Review.tsx'
import { Why } from './screens/Why.tsx'
import { useStore } from './store.ts'

export function App() {
  const { route } = useStore()
  return (
    <Frame>
      <Screen key={routeKey(route)} route={route} />
    </Frame>
  )
}

function Screen({ route }: { readonly route: Route }) {
  switch (route.screen) {
    case 'first-run':
      return <FirstRun />
    case 'nodes':
      return <Nodes />
    case 'preview':
      return <Preview />
    case 'collecting':
      return <Collecting />
    case 'overview':
      return <Overview of={route.of} />
    case 'why':
      return <Why of={route.of} node={route.node} property={route.property} />
    case 'evidence':
      return <Evidence of={route.of} node={route.node} capture={route.capture} />
    case 'controls':
      return <Controls of={route.of} />
    case 'export':
      return <Export />
    case 'review':
      return <Review />
    default:
      return assertNever(route)
  }
}
