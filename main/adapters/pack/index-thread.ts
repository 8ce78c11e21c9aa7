import { parentPort, workerData } from 'node:worker_threads'
import { indexProblems } from '../../verify/disclosure/cuts/copy.ts'
import { filesOf } from './index.ts'
import type { HashedArchive } from './index-apart.ts'

// The thread of indexApart(): posts the problems of the index of its archive once, and waits to be terminated. A thread that ends by itself
// waits for every task of V8 in the process, and one of them may wait for this thread (nodejs/node, issue 54918).
parentPort?.on('message', () => undefined)
parentPort?.postMessage(await indexProblems(filesOf(workerData as HashedArchive)))
