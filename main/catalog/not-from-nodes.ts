import type { NotFromNodes } from '../core/catalog.ts'

/** Checks that frameworks map and that are not built, because an answer of a node would only look like one. */
export const NOT_FROM_NODES: readonly NotFromNodes[] = [
  {
    id: 'encryption.module.cmvp-reference',
    from: 'record',
    why: 'Whether a module is validated stands in the list of its validator, not on the node; a match by name and version is no match of the binary.',
    bring:
      'The certificate of each cryptographic module in use, with its number, its version and its status on a dated copy of the list.',
  },
  {
    id: 'access.privileged-separation',
    from: 'record',
    why: 'A node does not know which two accounts belong to one person.',
    bring: 'A register that ties each person to a daily account and to an administrative one.',
  },
  {
    id: 'access.break-glass',
    from: 'record',
    why: 'Which account is for emergencies, and how its secret is sealed, is an arrangement between people.',
    bring: 'The emergency procedure, the name of the account, and the log of its uses with their reasons.',
  },
  {
    id: 'access.dataset-permissions',
    from: 'record',
    why: 'Only constant commands are run on a node, so that no command can be built from a path; permissions of declared paths are not read.',
    bring: 'A listing of owners, modes and access lists of the declared paths, made and dated by an administrator.',
  },
  {
    id: 'integrity.data-digest',
    from: 'record',
    why: 'Hashing a data set would read all of it, and its own manifest is held by its owner.',
    bring: 'The result of comparing the data set with its manifest, with date and method.',
  },
  {
    id: 'integrity.config-drift',
    from: 'runs',
    why: 'A change shows only between two runs.',
    bring: null,
  },
  {
    id: 'vuln.kev-match',
    from: 'record',
    why: 'It needs a dated copy of the list of known exploited vulnerabilities, and version numbers mislead where a distribution mends without raising them.',
    bring: 'The report of a vulnerability scanner with the date of its list.',
  },
  {
    id: 'lifecycle.sanitization-record',
    from: 'record',
    why: 'A drive keeps the result of its last erasure only, and does not say whose data it erased or who asked.',
    bring: 'The certificate of erasure by serial number, or the provider’s log of hand-overs.',
  },
  {
    id: 'lifecycle.decommission-verify',
    from: 'record',
    why: 'After a wipe there is no login to look from.',
    bring: 'The certificate of disposal or erasure by serial number.',
  },
  {
    id: 'lifecycle.key-destruction',
    from: 'record',
    why: 'Copies of a key elsewhere cannot be seen from the node.',
    bring: 'The record of the key’s destruction in the place where keys are kept.',
  },
  {
    id: 'lifecycle.gpu-memory-scrub',
    from: 'record',
    why: 'What happened to the memory of a GPU before the first login left no trace that a tenant can read.',
    bring: 'The provider’s statement on resets and scrubbing between tenants.',
  },
  {
    id: 'backup.restore-test-record',
    from: 'record',
    why: 'That a copy can be restored shows only where it is restored.',
    bring: 'The record of the last restore test: what, when, by whom, and how it was compared.',
  },
  {
    id: 'change.config-baseline-diff',
    from: 'runs',
    why: 'A difference needs an approved baseline and a later run.',
    bring: 'The approved baseline, and the tickets that its changes belong to.',
  },
  {
    id: 'network.external-exposure',
    from: 'outside',
    why: 'What can be reached from outside is not seen from inside.',
    bring: 'A scan of the node’s public addresses from another network, with date and origin.',
  },
  {
    id: 'inventory.population',
    from: 'record',
    why: 'A node does not know of the others. An engagement that brings the provider’s list has it compared with the declared nodes.',
    bring: 'The provider’s list of servers, or its invoice.',
  },
  { id: 'evidence.chain-of-custody', from: 'pack', why: 'The pack shows it: verify it.', bring: null },
  {
    id: 'evidence.rules-version',
    from: 'pack',
    why: 'The pack states it, with the digest of every rule.',
    bring: null,
  },
  { id: 'evidence.run-history', from: 'runs', why: 'One run has no history.', bring: null },
  { id: 'evidence.exception-register', from: 'pack', why: 'The pack carries the register.', bring: null },
]
