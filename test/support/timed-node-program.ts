import { type RelaySettings, startRelay } from './relay.ts'
import { type Reach, timeNode } from './timed-node.ts'

// Times a node from within a network namespace, through a relay that stands there too where one is given, and prints the timing.
const { relay, ...reach } = JSON.parse(process.argv[2] ?? '{}') as Reach & {
  readonly relay?: Omit<RelaySettings, 'to'>
}

const started =
  relay === undefined ? null : await startRelay({ ...relay, to: { host: reach.address, port: reach.port } })
const way = started === null ? reach : { ...reach, address: '127.0.0.1', port: started.port }
process.stdout.write(`${JSON.stringify(await timeNode(way))}\n`)
process.exit(0)
