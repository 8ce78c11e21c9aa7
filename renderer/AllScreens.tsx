import type { Route } from './models/routes.ts'
import { RiskAcceptances } from './screens/Acceptances.tsx'
import { Documents } from './screens/Attachments.tsx'
import { Auditors } from './screens/Auditors.tsx'
import { Checks, OneCheck } from './screens/Checks.tsx'
import { Collecting } from './screens/Collecting.tsx'
import { Control } from './screens/Control.tsx'
import { Controls } from './screens/Controls.tsx'
import { Declarations } from './screens/Declarations.tsx'
import { Engagement } from './screens/Engagement.tsx'
import { Evidence } from './screens/Evidence.tsx'
import { Export } from './screens/Export.tsx'
import { Finding } from './screens/Finding.tsx'
import { Findings } from './screens/Findings.tsx'
import { History } from './screens/History.tsx'
import { Home } from './screens/Home.tsx'
import { Location } from './screens/Location.tsx'
import { Node } from './screens/Node.tsx'
import { Nodes } from './screens/Nodes.tsx'
import { Packs } from './screens/Packs.tsx'
import { PeriodExport } from './screens/PeriodExport.tsx'
import { Preview } from './screens/Preview.tsx'
import { Properties } from './screens/Properties.tsx'
import { ProviderClaims } from './screens/ProviderClaims.tsx'
import { Requests } from './screens/Requests.tsx'
import { Schedules } from './screens/Schedules.tsx'
import { Settings } from './screens/Settings.tsx'
import { Shared } from './screens/Shared.tsx'
import { Why } from './screens/Why.tsx'

export { NotEvaluated } from './parts/NoResults.tsx'
export { Palette } from './parts/Palette.tsx'
export { ShortcutList } from './parts/ShortcutTable.tsx'
export { Verifying } from './parts/Verifying.tsx'
export { ReviewWindow } from './screens/ReviewWindow.tsx'

/** The screen of a route, other than the first one. */
export function Screen({ route }: { readonly route: Exclude<Route, { readonly screen: 'first-run' }> }) {
  switch (route.screen) {
    case 'nodes':
      return <Nodes part={route.part ?? 'list'} edit={route.edit ?? null} />
    case 'declarations':
      return <Declarations part={route.part ?? 'fleet'} nodes={route.nodes ?? null} />
    case 'preview':
      return <Preview />
    case 'collecting':
      return <Collecting />
    case 'overview':
      return route.of === 'pack' ? <Properties of="pack" filter={null} /> : <Home />
    case 'findings':
      return <Findings of={route.of} filter={route.filter ?? null} respond={route.respond === true} />
    case 'finding':
      return <Finding of={route.of} reference={route.reference} />
    case 'properties':
      return <Properties of={route.of} filter={route.filter ?? null} />
    case 'checks':
      return <Checks of={route.of} state={route.state} />
    case 'check':
      return <OneCheck of={route.of} check={route.check} nodes={route.nodes} />
    case 'why':
      return <Why of={route.of} node={route.node} property={route.property} check={route.check} />
    case 'node':
      return <Node of={route.of} node={route.node} />
    case 'controls':
      return <Controls of={route.of} framework={route.framework} state={route.state} />
    case 'control':
      return <Control of={route.of} framework={route.framework} controlKey={route.key} />
    case 'evidence':
      return <Evidence of={route.of} node={route.node} capture={route.capture} />
    case 'risk-acceptances':
      return <RiskAcceptances of={route.of} />
    case 'documents':
      return <Documents of={route.of} {...(route.find === undefined ? {} : { find: route.find })} />
    case 'engagement':
      return <Engagement of={route.of} part={route.part ?? 'declared'} begin={route.begin === true} />
    case 'claims':
      return <ProviderClaims of={route.of} claim={route.claim ?? null} />
    case 'location':
      return <Location of={route.of} />
    case 'packs':
      return <Packs />
    case 'shared':
      return <Shared />
    case 'auditors':
      return <Auditors part={route.part ?? 'packs'} />
    case 'requests':
      return <Requests id={route.id ?? null} />
    case 'history':
      return <History part={route.part ?? 'days'} at={route.at ?? null} pair={route.pair ?? null} />
    case 'schedules':
      return <Schedules />
    case 'export':
      return <Export step={route.step ?? null} run={route.run ?? null} />
    case 'period-export':
      return <PeriodExport />
    case 'review':
      return null
    case 'settings':
      return <Settings />
    default:
      return assertNever(route)
  }
}

/** Makes a `switch` over a closed union fail to compile when a member is added and not handled. */
function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`)
}
