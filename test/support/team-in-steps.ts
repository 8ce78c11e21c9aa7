// First, so that it counts what every other module does.
import './file-steps.ts'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createFakePorts } from './fake-ports.ts'
import { endBefore, endBeforeMatching, stepsTaken } from './file-steps.ts'
import { fakeEngine, serveFake } from './team-kit.ts'

// A team server in a process of its own, which ends before a chosen change of its files. Arguments: its configuration, the time of its engines,
// and regular expressions, before whose last match it ends. On stdin: `end N` counts from then on and ends before step N + 1, `steps` prints the
// steps since, `at TIME` sets the time of its engines.
const [config = '', started = '', ...patterns] = process.argv.slice(2)
let time = started
const fake = createFakePorts({ now: () => time })
// Numbered names would be the same after each start: a run that was started twice would look like one.
const ports = { ...fake, entropy: { bytes: (count: number) => new Uint8Array(randomBytes(count)) } }
endBeforeMatching(patterns.map((pattern) => new RegExp(pattern)))
const made = await serveFake(JSON.parse(readFileSync(config, 'utf8')), {
  openEngine: fakeEngine(ports),
  startEveryMs: 100,
})
if (!made.ok) throw new Error(`${made.error.code}: ${made.error.detail}`)
process.stdout.write(`serving ${made.value.origin}\n`)
createInterface({ input: process.stdin }).on('line', (line) => {
  const [word, value] = line.split(' ')
  if (word === 'end') {
    endBefore(value === undefined ? Number.POSITIVE_INFINITY : Number(value))
    process.stdout.write('counting\n')
  } else if (word === 'at') {
    time = value ?? ''
    process.stdout.write('set\n')
  } else process.stdout.write(`steps ${JSON.stringify(stepsTaken())}\n`)
})
