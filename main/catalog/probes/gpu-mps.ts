import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { isAbsent, lines } from '../read-text.ts'
import type { Process, Processes } from './tenancy-processes.ts'

export interface GpuSharing {
  /** Folders of the multi-process service that exist: the one with its pipes, the one with its logs. */
  readonly folders: readonly string[]
}

/** NVIDIA Multi-Process Service, "Environment variables": the default folders of CUDA_MPS_PIPE_DIRECTORY and CUDA_MPS_LOG_DIRECTORY. */
export const gpuMps = defineProbe({
  id: 'gpu.mps',
  title: 'GPU sharing between processes',
  why: 'Shows traces of the service by which several users’ programs run on one GPU at once.',
  commands: { folders: run(['ls', '-d', '/tmp/nvidia-mps', '/var/log/nvidia-mps']) },
  parse({ folders }) {
    if (folders.exitCode !== 0 && !isAbsent(folders))
      return unknown('the folders of the service could not be looked for')
    return known<GpuSharing>({ folders: lines(folders.text).filter((path) => path.startsWith('/')) })
  },
})

// Names as ps shows them: cut after 15 characters.
const SERVICE = /^nvidia-cuda-mps/

/** Processes of the multi-process service: its control program and its server. */
export const sharingProcesses = ({ processes }: Processes): readonly Process[] =>
  processes.filter(({ command }) => SERVICE.test(command))
