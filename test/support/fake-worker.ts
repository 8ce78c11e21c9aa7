import { serveEngine } from '../../main/electron/engine-process.ts'
import { createFakeEngine } from './fake-engine.ts'

/** The engine's process of a window under test: as main/electron/worker.ts, with made-up nodes instead of SSH. */
serveEngine(
  {
    post: (message) => process.parentPort.postMessage(message),
    onMessage: (listener) => process.parentPort.on('message', ({ data }) => listener(data)),
  },
  createFakeEngine({
    pace: Number(process.env.BAREWITNESS_TEST_PACE ?? '30'),
    nodes: Number(process.env.BAREWITNESS_TEST_NODES ?? '8'),
    hostile: process.env.BAREWITNESS_TEST_HOSTILE === '1',
    hold: process.env.BAREWITNESS_TEST_HOLD,
    nextDay: process.env.BAREWITNESS_TEST_NEXT_DAY,
  }),
  () => process.exit(0),
)
