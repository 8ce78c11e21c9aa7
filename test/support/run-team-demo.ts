import { startTeamDemo } from './team-demo.ts'

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const { stop } = await startTeamDemo(print)
print('\nCtrl+C ends everything and removes the folder.')
await new Promise<void>((resolve) => {
  process.once('SIGINT', () => resolve()).once('SIGTERM', () => resolve())
})
await stop()
process.exit(0)
