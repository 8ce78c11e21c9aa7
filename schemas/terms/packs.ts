import type { TermOfGroup } from './term.ts'

/** Terms of isolation and location, and of packs, verification and history. */

export const PLACE: readonly TermOfGroup[] = [
  {
    term: 'execution environment',
    definition: 'What the operating system runs on: bare metal, virtual machine, container or logical partition.',
    source: 'NIST SP 800-125',
    avoid: [],
  },
  { term: 'tenancy', definition: 'Who uses the operating system.', source: 'NIST SP 800-145', avoid: [] },
  {
    term: 'device attachment',
    definition:
      'How a GPU, network adapter or disk is attached: physical, virtual function, passthrough, virtual or remote.',
    source: 'PCI-SIG',
    avoid: [],
  },
  {
    term: 'evidence grade',
    definition:
      'Strength of the isolation evidence, never of the node: actively tested, passively observed or insufficient.',
    source: 'NIST SP 800-115',
    avoid: [],
  },
  {
    term: 'isolation signal',
    definition: 'One characteristic that differs between hardware and a guest.',
    source: 'common usage',
    avoid: [],
  },
  {
    term: 'indication',
    definition: 'What a signal showed on a node: virtualization, bare metal, neutral or not readable.',
    source: 'common usage',
    avoid: ['as on a guest', 'as on hardware', 'says neither'],
  },
  {
    term: 'spoofing effort',
    definition:
      'What a provider must change to falsify a signal: configuration, firmware, hypervisor or the physical part.',
    source: 'NIST SP 800-30',
    avoid: ['what it costs to fake'],
  },
  {
    term: 'anomaly',
    definition: 'Fact that is inconsistent with the stated hardware: impossible on it, or in need of explanation.',
    source: 'statistics',
    avoid: ['oddity', 'oddities'],
  },
  {
    term: 'isolation analysis',
    definition: 'The full argument for one node, the effort of an attack on it, and the evidence that would decide.',
    source: 'NIST SP 800-30',
    avoid: ['dossier', 'dossiers'],
  },
  {
    term: 'location result',
    definition: 'One of six results for a declared place or a residency rule.',
    source: 'this project',
    avoid: ['bounded inside', 'asserted only', 'statements disagree'],
  },
  {
    term: 'collecting computer',
    definition:
      'Computer that collects from the nodes and times their responses, usually one of the audited organization.',
    source: 'this project',
    avoid: ['auditor’s clock', 'auditor’s computer', 'measured by the auditor', 'timed by the auditor'],
  },
  {
    term: 'vantage point',
    definition: 'Declared place from which round trips are timed.',
    source: 'network measurement',
    avoid: [],
  },
  {
    term: 'distance bound',
    definition: 'Farthest distance at which the holder of the SSH session keys can be.',
    source: 'physics, RFC 4253',
    avoid: ['answering party', 'answering parties'],
  },
  { term: 'residency rule', definition: 'Area in which nodes must be.', source: 'common usage', avoid: [] },
  {
    term: 'source class',
    definition:
      'Origin of location evidence: measured, signed by the provider, address database, operator or document.',
    source: 'AICPA (reliability of evidence)',
    avoid: [],
  },
]

export const PACKS: readonly TermOfGroup[] = [
  {
    term: 'evidence pack',
    definition: 'Signed archive of recordings, results, catalog, register and report. Short: pack.',
    source: 'BagIt, RFC 8493',
    avoid: [],
  },
  {
    term: 'seal',
    definition: 'Signature over every file of a pack, with its time-stamps.',
    source: 'eIDAS Art. 3(25)',
    avoid: [],
  },
  {
    term: 'signing identity',
    definition: 'Key, certificate chain and subject that seal packs.',
    source: 'PKIX',
    avoid: ['who seals'],
  },
  {
    term: 'additional outputs',
    definition: 'Files derived from the pack: CSV, XLSX, OSCAL, HDF and further PDFs.',
    source: 'common usage',
    avoid: ['written besides'],
  },
  {
    term: 'verification check',
    definition: 'One of six independent tests of a file.',
    source: 'common usage',
    avoid: ['six answers'],
  },
  { term: 'integrity', definition: 'Every file is unchanged since sealing.', source: 'EN 319 102-1', avoid: [] },
  {
    term: 'signature',
    definition: 'The signature is valid, and the reader trusts the signer.',
    source: 'EN 319 102-1',
    avoid: [],
  },
  {
    term: 'time',
    definition: 'An independent time-stamp shows when the file existed.',
    source: 'RFC 3161, EN 319 102-1',
    avoid: [],
  },
  {
    term: 'completeness',
    definition: 'Every declared node is accounted for, and every cited capture is present.',
    source: 'AICPA (information produced by the entity)',
    avoid: [],
  },
  {
    term: 'reproducibility',
    definition: 'Evaluating the raw evidence again gives the same results.',
    source: 'this project',
    avoid: [
      'came out the same',
      'comes out the same',
      'came out otherwise',
      'come out otherwise',
      'came out differently',
    ],
  },
  {
    term: 'continuity',
    definition: 'The run chain extends the checkpoint that the reader kept.',
    source: 'RFC 9162',
    avoid: ['chain continuous'],
  },
  {
    term: 'indeterminate',
    definition: 'A verification check that neither passed nor failed. The reader’s next step is given.',
    source: 'EN 319 102-1',
    avoid: [],
  },
  {
    term: 'signer trust',
    definition: 'The reader’s decision about the signer: trusted key, trusted issuer or unconfirmed signer.',
    source: 'RFC 5914',
    avoid: [],
  },
  {
    term: 'redacted copy',
    definition: 'Copy of a pack in which salted commitments replace parts. The seal stays valid.',
    source: 'FOIA usage, SD-JWT',
    avoid: ['withhold', 'withholds', 'withheld', 'withholding'],
  },
  {
    term: 'reveal',
    definition: 'File that restores one redacted part for a recipient.',
    source: 'selective disclosure',
    avoid: [],
  },
  {
    term: 'pack excerpt',
    definition: 'Selected nodes of one run under the seal of that run.',
    source: 'common usage',
    avoid: [],
  },
  {
    term: 'run chain',
    definition: 'Append-only Merkle log of runs, schedules, missed runs and deletions.',
    source: 'RFC 9162',
    avoid: ['chain of runs'],
  },
  {
    term: 'checkpoint',
    definition: 'Size and root hash of a run chain, kept by an auditor.',
    source: 'RFC 9162',
    avoid: ['head of the chain', 'heads of chains', 'head you kept', 'last head', 'chain head'],
  },
  {
    term: 'missed run',
    definition: 'Scheduled run that did not take place, explained or unexplained.',
    source: 'AICPA',
    avoid: ['signed gap', 'recorded gap', 'planned run', 'planned runs'],
  },
  {
    term: 'run trace',
    definition: 'Sealed summary of one run: its verdicts and the digests of its facts.',
    source: 'this project',
    avoid: [],
  },
  {
    term: 'drift',
    definition: 'Changes in evidence, rules or scope between two runs.',
    source: 'common usage',
    avoid: [],
  },
  {
    term: 'hardware change',
    definition: 'Component that was added, removed, moved or duplicated.',
    source: 'NIST SP 800-53 CM-8',
    avoid: ['parts that moved'],
  },
  {
    term: 'scheduled run',
    definition: 'Run that is due under a schedule in the run chain.',
    source: 'systemd.timer(5)',
    avoid: [],
  },
  {
    term: 'delete under retention policy',
    definition: 'Remove runs older than the retention period, after an entry in the run chain.',
    source: '45 CFR 164.316(b)(2)(i)',
    avoid: ['let go', 'lets go', 'letting go'],
  },
  {
    term: 'node test',
    definition: 'One node in one run: the item that conclusions over a period count.',
    source: 'AU-C 530 (sampling unit)',
    avoid: [],
  },
  {
    term: 'period report',
    definition: 'Signed report over all runs between two dates.',
    source: 'AICPA (Type 2)',
    avoid: ['account of a period', 'accounts of periods'],
  },
  {
    term: 'sampled items',
    definition: 'Items that a printed seed selected from a complete list.',
    source: 'AU-C 530',
    avoid: ['drawn row', 'drawn rows', 'drawn node', 'drawn nodes', 'rows drawn', 'nodes drawn', 'drawn by'],
  },
  {
    term: 'notification',
    definition: 'Message about a state change.',
    source: 'common usage',
    avoid: [],
  },
  {
    term: 'independent verifier',
    definition: 'Third party that verifies without Barewitness or its author.',
    source: 'AICPA',
    avoid: ['stranger', 'strangers'],
  },
]
