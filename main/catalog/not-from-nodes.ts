import type { ConclusionSettings, OffNodeCheck } from '../core/catalog.ts'

/** Checks that frameworks map and that are not built, because no capture of a node would decide them. */
export const OFF_NODE_CHECKS: readonly OffNodeCheck[] = [
  {
    id: 'encryption.module.cmvp-reference',
    source: 'document',
    why: 'Validation of a module is shown in the validator’s list, not on the node; a match by name and version does not confirm the binary.',
  },
  {
    id: 'access.privileged-separation',
    source: 'document',
    why: 'A node does not show which accounts belong to one person.',
  },
  {
    id: 'access.break-glass',
    source: 'document',
    why: 'Emergency accounts, and the protection of their secrets, are organizational arrangements.',
  },
  {
    id: 'access.dataset-permissions',
    source: 'document',
    why: 'Only constant commands are run on a node, so that no command can be built from a path; permissions of declared paths are not read.',
  },
  {
    id: 'integrity.data-digest',
    source: 'document',
    why: 'Hashing a data set would read all of it, and its manifest is held by its owner.',
  },
  {
    id: 'integrity.config-drift',
    source: 'runs',
    why: 'A change shows only between two runs.',
  },
  {
    id: 'vuln.kev-match',
    source: 'document',
    why: 'It needs a dated copy of the list of known exploited vulnerabilities, and version numbers mislead where a distribution fixes flaws without raising them.',
  },
  {
    id: 'lifecycle.sanitization-record',
    source: 'document',
    why: 'A drive keeps the result of its last erasure only, and does not show whose data it erased or who requested it.',
  },
  {
    id: 'lifecycle.decommission-verify',
    source: 'document',
    why: 'After a wipe no login is possible.',
  },
  {
    id: 'lifecycle.key-destruction',
    source: 'document',
    why: 'Copies of a key elsewhere cannot be seen from the node.',
  },
  {
    id: 'lifecycle.gpu-memory-scrub',
    source: 'document',
    why: 'What happened to the memory of a GPU before the first login left no trace that a tenant can read.',
  },
  {
    id: 'backup.restore-test-record',
    source: 'document',
    why: 'Only a restore shows that a copy can be restored.',
  },
  {
    id: 'change.config-baseline-diff',
    source: 'runs',
    why: 'A difference needs an approved baseline and a later run.',
  },
  {
    id: 'network.external-exposure',
    source: 'document',
    why: 'Reachability from outside cannot be tested from inside.',
  },
  {
    id: 'inventory.population',
    source: 'population',
    why: 'A node does not list the others. An engagement with the provider’s inventory compares it with the declared nodes.',
  },
  { id: 'evidence.chain-of-custody', source: 'pack', why: 'The pack shows it; verify the pack.' },
  {
    id: 'evidence.rules-version',
    source: 'pack',
    why: 'The pack states it, with the digest of every rule.',
  },
  { id: 'evidence.run-history', source: 'runs', why: 'One run has no history.' },
  { id: 'evidence.exception-register', source: 'pack', why: 'The pack carries the register.' },
]

/** What conclusions read from the catalog in addition to roles (conclusion model, sections 3 and 7). */
export const CONCLUSIONS: ConclusionSettings = {
  periodChecks: ['lifecycle.disk-swap-detection'],
  ephiChecks: ['encryption.at-rest.ephi-paths', 'encryption.in-transit.ephi-flows'],
  dataMap: 'ER-12',
}
