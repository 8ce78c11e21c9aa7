#!/usr/bin/env node
import { Command, CommanderError } from 'commander'
import { VERSION } from '../../schemas/version.ts'
import { createWorld } from '../adapters/world.ts'
import { catalog } from '../catalog/index.ts'
import { assessCommand } from './commands/assess.ts'
import { catalogCommand } from './commands/catalog.ts'
import { chainCommand } from './commands/chain.ts'
import { collectCommand } from './commands/collect.ts'
import { demoCommand } from './commands/demo.ts'
import { disclosureCommand } from './commands/disclosure.ts'
import { exportCommand } from './commands/export.ts'
import { fleetCommand } from './commands/fleet.ts'
import { identityCommand } from './commands/identity.ts'
import { runCommand } from './commands/run.ts'
import { sealCommands } from './commands/seal.ts'
import { verifyCommand } from './commands/verify.ts'
import type { Context } from './context.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { sayFailure } from './terminal.ts'

/** Runs one command line and gives its exit code. Anything thrown is our bug: caught here, once. */
async function main(argv: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.done
  const program = new Command('barewitness')
    .description('Evidence of single tenancy, encryption, location and access control on dedicated servers.')
    .version(VERSION)
    .configureOutput({ writeOut: (text) => process.stderr.write(text) })
    .exitOverride()
  const context: Context = {
    world: createWorld(catalog.probes),
    program,
    exit: (next) => {
      code = next
    },
  }
  for (const add of [
    demoCommand,
    fleetCommand,
    collectCommand,
    assessCommand,
    exportCommand,
    runCommand,
    chainCommand,
    disclosureCommand,
    sealCommands,
    verifyCommand,
    catalogCommand,
    identityCommand,
  ])
    add(context)
  try {
    await program.parseAsync([...argv])
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.done : EXIT.usage
    sayFailure({ code: 'bug', detail: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) })
    return EXIT.bug
  }
  return code
}

// Whoever reads us may stop early, as `head` does: that ends the program, and is no mistake of ours.
process.stdout.on('error', (problem: NodeJS.ErrnoException) => {
  if (problem.code !== 'EPIPE') throw problem
  process.exit()
})
process.exitCode = await main(process.argv)
