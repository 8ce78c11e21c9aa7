import { parentPort, workerData } from 'node:worker_threads'
import { indexProblems } from '../../verify/disclosure/copy.ts'
import { filesOf } from './index.ts'
import type { HashedArchive } from './index-apart.ts'

// The thread of indexApart(): answers once, with the problems of the index of the archive that it is given.
parentPort?.postMessage(await indexProblems(filesOf(workerData as HashedArchive)))
