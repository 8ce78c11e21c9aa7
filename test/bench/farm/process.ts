import { peakOf } from '../peak.ts'
import { type FarmOptions, startFarm } from './farm.ts'

// A farm in a process of its own, so that its processor time is not the client's. Argument: FarmOptions as JSON. Tells its parent where it
// is, and its figures whenever it is asked; ends with its parent.

const farm = await startFarm(JSON.parse(process.argv[2] ?? '{}') as FarmOptions)
const { user, system } = process.cpuUsage()
process.on('message', () => {
  const now = process.cpuUsage()
  process.send?.({
    cpuMs: (now.user + now.system - user - system) / 1000,
    peakMiB: peakOf('self'),
    sessions: farm.sessions(),
  })
})
process.once('disconnect', () => process.exit(0))
process.send?.({ port: farm.port, fingerprint: farm.fingerprint, login: farm.login, fleet: farm.fleet('LOGIN') })
