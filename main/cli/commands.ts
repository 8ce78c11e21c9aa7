import { catalogCommand } from './commands/catalog.ts'
import { chainCommand } from './commands/chain.ts'
import { collectCommand } from './commands/collect.ts'
import { collectorCommand } from './commands/collector.ts'
import { completionCommand } from './commands/completion.ts'
import { demoCommand } from './commands/demo.ts'
import { disclosureCommand } from './commands/disclosure.ts'
import { engagementCommand } from './commands/engagement.ts'
import { exceptCommand } from './commands/except.ts'
import { findingCommand } from './commands/finding.ts'
import { fixesCommand } from './commands/fixes.ts'
import { fleetCommand } from './commands/fleet.ts'
import { historyCommand } from './commands/history.ts'
import { identityCommand } from './commands/identity.ts'
import { objectsCommand } from './commands/objects.ts'
import { recordCommand } from './commands/record.ts'
import { requestCommand } from './commands/request.ts'
import { assessCommand, runCommand } from './commands/run.ts'
import { scheduleCommand } from './commands/schedule.ts'
import { exportCommand, sealCommands } from './commands/seal.ts'
import { sealerCommand } from './commands/sealer.ts'
import { sendCommand } from './commands/send.ts'
import { serveCommand } from './commands/serve.ts'
import { vantageCommand } from './commands/vantage.ts'
import { verifyCommand } from './commands/verify.ts'
import type { Context } from './parts/options.ts'

/** Adds a command to the program. */
export type AddCommand = (context: Context) => void

/** Every command, in the order that help lists them. */
export const COMMANDS: readonly AddCommand[] = [
  demoCommand,
  fleetCommand,
  engagementCommand,
  collectCommand,
  assessCommand,
  exportCommand,
  findingCommand,
  fixesCommand,
  runCommand,
  vantageCommand,
  scheduleCommand,
  historyCommand,
  chainCommand,
  exceptCommand,
  recordCommand,
  requestCommand,
  disclosureCommand,
  sealCommands,
  verifyCommand,
  sendCommand,
  catalogCommand,
  identityCommand,
  serveCommand,
  objectsCommand,
  collectorCommand,
  sealerCommand,
  completionCommand,
]
