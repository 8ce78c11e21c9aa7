import { defineProbe, known, run, unknown } from '../../core/probe.ts'
import { lines } from '../read-text.ts'

export interface GpuTopology {
  /** GPU name → how it reaches each other column (NV18, PIX, PXB, NODE, SYS). */
  readonly links: ReadonlyMap<string, readonly string[]>
}

/** nvidia-smi topo -m. SYS and PHB everywhere is what a virtual machine shows; switches and NVLink are what boards have. */
export const gpuTopology = defineProbe({
  id: 'gpu.topology',
  title: 'How the GPUs are connected',
  why: 'Shows whether GPUs and fabric adapters sit behind real switches.',
  commands: { matrix: run(['nvidia-smi', 'topo', '-m'], { timeoutSeconds: 60 }) },
  parse({ matrix }) {
    if (matrix.exitCode !== 0) return unknown('the GPU driver did not answer')
    // Headings of the matrix are underlined on a terminal.
    const rows = lines(matrix.text.replace(/\x1b\[[0-9;]*m/g, '')).filter((line) => /^GPU\d+\s+\S/.test(line))
    if (rows.length === 0) return unknown('the answer of nvidia-smi holds no GPU')
    return known<GpuTopology>({
      links: new Map(
        rows.map((row) => {
          const [name = '', ...cells] = row.trim().split(/\s+/)
          return [name, cells.filter((cell) => /^(X|SYS|NODE|PHB|PXB|PIX|NV\d+)$/.test(cell))]
        }),
      ),
    })
  },
})
