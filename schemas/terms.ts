/**
 * The settled vocabulary: one concept, one term, the same in code, JSON, command line, window and reports. docs/glossary.md is generated
 * from this file. `avoid` lists words that people-facing text must not use for a term; test/words-lint.test.ts searches for them.
 */

export const TERM_GROUPS = [
  'Results and conclusions',
  'Evidence',
  'Frameworks, documents and decisions',
  'Scope',
  'Isolation and location',
  'Packs, verification and history',
] as const
export type TermGroup = (typeof TERM_GROUPS)[number]

export interface Term {
  readonly term: string
  readonly group: TermGroup
  readonly definition: string
  /** Where the term comes from: a standard, a regulation, common usage, or this project. */
  readonly source: string
  /** Words and phrases that must not be used for it, whole words in any case. */
  readonly avoid: readonly string[]
}

type TermOfGroup = Omit<Term, 'group'>

const RESULTS: readonly TermOfGroup[] = [
  {
    term: 'check',
    definition:
      'One condition that is tested on each node, with its evidence, its limitations and its mapped controls.',
    source: 'OSCAL, SCAP',
    avoid: [],
  },
  { term: 'verdict', definition: 'Outcome of one check on one node.', source: 'ISO/IEC 9646-1', avoid: [] },
  {
    term: 'satisfied',
    definition: 'The evidence meets the expected condition.',
    source: 'NIST SP 800-53A, OSCAL',
    avoid: ['bears out', 'bear out', 'borne out', 'bore out'],
  },
  {
    term: 'not satisfied',
    definition: 'The evidence shows a deviation from the expected condition.',
    source: 'OSCAL (NIST SP 800-53A: other than satisfied)',
    avoid: [
      'check is contradicted',
      'check was contradicted',
      'checks contradicted',
      'finding is contradicted',
      'findings contradicted',
      'contradicted claim',
      'contradicted check',
      'contradicted checks',
    ],
  },
  {
    term: 'inconclusive',
    definition: 'The check was tested and the evidence does not decide. It is counted as missing, never as support.',
    source: 'ISO/IEC 9646-1',
    avoid: ['not decided', 'undecided', 'not enough evidence'],
  },
  {
    term: 'not tested',
    definition: 'The evidence of the check was not obtained; a reason is given.',
    source: 'AICPA, NIST SP 800-53A',
    avoid: [],
  },
  {
    term: 'not applicable',
    definition: 'The evidence shows that the check cannot apply to the node.',
    source: 'OSCAL',
    avoid: [],
  },
  {
    term: 'informational',
    definition: 'A fact was recorded and no criterion applies. It is in no count of satisfied checks.',
    source: 'common usage',
    avoid: [],
  },
  {
    term: 'check result',
    definition: 'Verdict of one check on one node, with its observations.',
    source: 'OSCAL',
    avoid: [],
  },
  {
    term: 'observation',
    definition: 'One statement about evidence. It cites the captures that it rests on.',
    source: 'OSCAL',
    avoid: [],
  },
  {
    term: 'direction',
    definition: 'Which way an observation points: it supports, it contradicts, or it is unclear.',
    source: 'common usage',
    avoid: ['speaks for', 'speak for', 'spoke for', 'speaks against', 'speak against', 'spoke against'],
  },
  {
    term: 'expected condition',
    definition: 'The state that a check tests for.',
    source: 'NIST SP 800-53A (determination statement)',
    avoid: [],
  },
  {
    term: 'condition found',
    definition: 'The sentence that states the deviation of a check that is not satisfied.',
    source: 'GAO Yellow Book',
    avoid: [],
  },
  { term: 'limitations', definition: 'What a satisfied verdict does not show.', source: 'AICPA', avoid: [] },
  {
    term: 'deviation',
    definition:
      'One node that does not meet the expected condition of one check. Always counted out of the nodes tested.',
    source: 'AICPA SOC 2 guide',
    avoid: ['nodes apart', 'gaps found'],
  },
  {
    term: 'finding',
    definition:
      'All deviations of one check written up: condition, criteria, cause, effect, severity and recommendation.',
    source: 'GAO Yellow Book',
    avoid: [],
  },
  {
    term: 'management response',
    definition:
      'Owner, due day, plan and status of a finding, as management states them. It changes no verdict and closes no finding.',
    source: 'IIA Global Internal Audit Standards',
    avoid: [],
  },
  {
    term: 'severity',
    definition: 'Impact and exposure of a finding: Critical, High, Moderate, Low or Informational.',
    source: 'FIPS 199',
    avoid: [],
  },
  {
    term: 'recommendation',
    definition: 'Configuration change that would satisfy the check, followed by a new collection.',
    source: 'AICPA, SCAP',
    avoid: [],
  },
  {
    term: 'threshold',
    definition:
      'Value that a check compares with, and its source. A threshold is relaxed when it is weaker than its profile.',
    source: 'common usage',
    avoid: ['loosened', 'looser'],
  },
  {
    term: 'conclusion',
    definition: 'What all evidence for one control comes to, in a server part and a document part.',
    source: 'AT-C 205',
    avoid: [],
  },
  {
    term: 'role',
    definition:
      'How a check counts for a control: required, counter, supporting or context. Required and counter checks decide.',
    source: 'this project',
    avoid: ['bears on', 'bear on', 'bore on', 'bearing on'],
  },
  {
    term: 'server part',
    definition: 'Conclusion on one control from the checks on nodes alone.',
    source: 'this project',
    avoid: ['node part'],
  },
  {
    term: 'document part',
    definition: 'Conclusion on one control from the documents that it requires.',
    source: 'this project',
    avoid: [],
  },
  {
    term: 'no deviations noted',
    definition: 'Every deciding check is satisfied on every node of the population.',
    source: 'AICPA SOC 2 guide',
    avoid: ['evidence supports it'],
  },
  {
    term: 'deviations noted',
    definition: 'A deciding check is not satisfied on a node, or an inspected document does not support the control.',
    source: 'AICPA SOC 2 guide',
    avoid: [],
  },
  {
    term: 'scope limitation',
    definition: 'No deviations noted on the nodes tested; other nodes of the population were not tested.',
    source: 'AT-C 205',
    avoid: [],
  },
  {
    term: 'unable to conclude',
    definition: 'Server evidence is inconclusive, missing or stale, or does not cover the whole population.',
    source: 'AT-C 205',
    avoid: [],
  },
  {
    term: 'documents outstanding',
    definition: 'No deviation was noted; required documents are missing, expired or were not inspected.',
    source: 'PBC (provided-by-client) practice',
    avoid: ['needs records from people'],
  },
  {
    term: 'supported',
    definition: 'No deviations noted on the whole population, and every required document inspected.',
    source: 'this project',
    avoid: [],
  },
  {
    term: 'stale evidence',
    definition:
      'Evidence older than its validity limit at the evaluation date. It supports nothing; a deviation on it remains.',
    source: 'common usage',
    avoid: [],
  },
  {
    term: 'evaluation date',
    definition: 'Moment at which ages and expiries are computed.',
    source: 'AICPA (as of)',
    avoid: ['judged as of'],
  },
  {
    term: 'assessment',
    definition: 'All check results and conclusions derived from recordings at one evaluation date.',
    source: 'NIST SP 800-53A, OSCAL',
    avoid: ['judge', 'judges', 'judged', 'judging'],
  },
]

const EVIDENCE: readonly TermOfGroup[] = [
  { term: 'node', definition: 'One server that runs one operating system.', source: 'common usage', avoid: [] },
  { term: 'fleet', definition: 'The nodes of one fleet file.', source: 'common usage', avoid: [] },
  { term: 'population', definition: 'All nodes that the audit is meant to cover.', source: 'AICPA', avoid: [] },
  {
    term: 'probe',
    definition: 'Fixed, read-only commands and the parser of their output.',
    source: 'osquery, common usage',
    avoid: [
      'question was put',
      'questions were put',
      'question is put',
      'put a question',
      'put questions',
      'root-only question',
      'root-only questions',
      'administrator question',
      'administrator questions',
    ],
  },
  {
    term: 'capture',
    definition: 'Exact bytes of one command’s output, with exit status, times and digest.',
    source: 'this project',
    avoid: ['raw answer', 'raw answers'],
  },
  {
    term: 'fact',
    definition: 'Value that a probe parsed from its captures, or the reason why there is none.',
    source: 'sslyze, Ansible',
    avoid: [],
  },
  { term: 'recording', definition: 'All captures of one node in one run.', source: 'this project', avoid: [] },
  {
    term: 'run',
    definition: 'One collection over a fleet, identified by its start time.',
    source: 'common usage',
    avoid: [],
  },
  {
    term: 'collection status',
    definition: 'How much of a node’s evidence was obtained: collected, partial, failed or missing.',
    source: 'common usage',
    avoid: [],
  },
  {
    term: 'privileged probe',
    definition: 'Probe that needs root; it runs through sudo.',
    source: 'common usage',
    avoid: [],
  },
  {
    term: 'masking',
    definition: 'Removing secrets from command output before it is stored. Not the redaction of a copy.',
    source: 'common usage',
    avoid: [],
  },
  {
    term: 'host key verification',
    definition: 'How the SSH host key of a node was checked before login.',
    source: 'OpenSSH',
    avoid: [],
  },
  {
    term: 'synthetic recording',
    definition: 'Recording that was not captured unmodified from a real node.',
    source: 'common usage',
    avoid: ['made up or edited'],
  },
]

const DOCUMENTS: readonly TermOfGroup[] = [
  { term: 'framework', definition: 'A set of controls.', source: 'OSCAL', avoid: [] },
  {
    term: 'control',
    definition: 'One requirement of a framework, such as a HIPAA specification or a SOC 2 criterion.',
    source: 'OSCAL',
    avoid: [],
  },
  {
    term: 'proposed rule',
    definition: 'Framework that is not in force. It is never part of a conclusion.',
    source: 'Federal Register (NPRM)',
    avoid: [],
  },
  {
    term: 'mapping',
    definition: 'Relation of a check to a control, with a role.',
    source: 'OSCAL, NIST SP 800-53A',
    avoid: [],
  },
  {
    term: 'off-node check',
    definition: 'Mapped check that a document, the pack, the run history or the reconciliation decides.',
    source: 'this project',
    avoid: ['cannot bear', 'can not bear'],
  },
  {
    term: 'document',
    definition: 'File or note supplied as evidence and stored by its digest.',
    source: 'AICPA (inspection of documents)',
    avoid: [
      'records from people',
      'record from people',
      'record that somebody brings',
      'record to bring',
      'attached record',
      'attached records',
      'needs a record',
      'needs records',
      'brought',
      'bring',
      'brings',
    ],
  },
  {
    term: 'evidence request',
    definition: 'One document that is asked for, with owner, due date and status.',
    source: 'PBC practice',
    avoid: [],
  },
  {
    term: 'auditor request',
    definition:
      'One item of the request list of an auditor, found by its reference, with the status that the auditor gives it. It changes no verdict and no document.',
    source: 'PBC practice',
    avoid: [],
  },
  {
    term: 'evidence level',
    definition:
      'How far a document was examined: inquiry, received, inspected or reperformed. Inquiry alone supports nothing.',
    source: 'AT-C 105, AT-C 205',
    avoid: [],
  },
  {
    term: 'provided by',
    definition: 'Person or body that supplied a document.',
    source: 'PBC practice',
    avoid: ['said by'],
  },
  {
    term: 'register',
    definition:
      'Append-only file of risk acceptances, control decisions, documents, evidence requests, management responses and auditor requests.',
    source: 'common usage (risk register)',
    avoid: [],
  },
  {
    term: 'risk acceptance',
    definition: 'Management accepts a deviation until a date. The verdict stays as it is.',
    source: 'NIST SP 800-39, ISO/IEC 27005',
    avoid: ['exception', 'exceptions', 'excepted'],
  },
  {
    term: 'compensating control',
    definition: 'Control that reduces the accepted risk.',
    source: 'PCI DSS, NIST SP 800-53',
    avoid: ['measure in its place', 'compensating measure'],
  },
  {
    term: 'control decision',
    definition: 'Documented decision on an addressable specification, or that a control is not applicable.',
    source: '45 CFR 164.306(d)(3)',
    avoid: ['decisions about rows', 'decision about a row'],
  },
  {
    term: 'segregation of duties',
    definition: 'Requester and approver are different persons with different keys.',
    source: 'AICPA, COSO',
    avoid: [],
  },
]

const SCOPE: readonly TermOfGroup[] = [
  {
    term: 'engagement',
    definition: 'Entity, purpose, boundary, responsibilities and population of one audit.',
    source: 'AICPA',
    avoid: [],
  },
  {
    term: 'reporting basis',
    definition: 'As of a date (Type 1) or over a period (Type 2).',
    source: 'AICPA',
    avoid: [],
  },
  {
    term: 'provider inventory',
    definition: 'The provider’s own listing of the customer’s servers.',
    source: 'AICPA (information produced by the entity)',
    avoid: [],
  },
  {
    term: 'population reconciliation',
    definition: 'Comparison of declared population, fleet file, provider inventory and collection.',
    source: 'AICPA (completeness)',
    avoid: ['lists against each other'],
  },
  {
    term: 'unreconciled',
    definition: 'Listed in the provider inventory; no node matches.',
    source: 'AICPA',
    avoid: ['not accounted for', 'nobody accounts for', 'unaccounted for'],
  },
  {
    term: 'excluded',
    definition: 'Removed from the population by a documented decision with a rationale.',
    source: 'AICPA',
    avoid: ['left out, with a reason'],
  },
  {
    term: 'complementary user entity control',
    definition: 'Control that the provider expects of its customer (CUEC).',
    source: 'AICPA SOC 2 guide',
    avoid: [],
  },
  {
    term: 'subservice organization',
    definition: 'Organization whose controls the entity relies on, such as the hosting provider.',
    source: 'AICPA SOC 2 guide',
    avoid: [],
  },
  {
    term: 'provider claim',
    definition: 'Public or contractual statement of the provider, tested on each node.',
    source: 'common usage',
    avoid: ['promise', 'promises', 'promised'],
  },
  {
    term: 'corroborated',
    definition: 'Node evidence agrees with a provider claim.',
    source: 'AICPA',
    avoid: [],
  },
  {
    term: 'threshold profile',
    definition: 'Named set of thresholds: baseline, CIS or STIG.',
    source: 'SCAP',
    avoid: [],
  },
  {
    term: 'authorized accounts',
    definition: 'Accounts that may exist on a node, with kind, owner and end date.',
    source: 'NIST SP 800-53 AC-2',
    avoid: [],
  },
  {
    term: 'ePHI map',
    definition: 'Where electronic protected health information is stored and transmitted.',
    source: 'HHS OCR, NIST SP 800-66',
    avoid: [],
  },
  { term: 'sign-off', definition: 'Preparer, reviewer and approver of the report.', source: 'AICPA', avoid: [] },
]

const PLACE: readonly TermOfGroup[] = [
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

const PACKS: readonly TermOfGroup[] = [
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

const grouped = (group: TermGroup, terms: readonly TermOfGroup[]): readonly Term[] =>
  terms.map((one) => ({ ...one, group }))

export const TERMS: readonly Term[] = [
  ...grouped('Results and conclusions', RESULTS),
  ...grouped('Evidence', EVIDENCE),
  ...grouped('Frameworks, documents and decisions', DOCUMENTS),
  ...grouped('Scope', SCOPE),
  ...grouped('Isolation and location', PLACE),
  ...grouped('Packs, verification and history', PACKS),
]

/** Words that were replaced in names of code, with what to write instead. In a text they can have another meaning. */
export const REPLACED_NAMES: readonly { readonly avoid: readonly string[]; readonly instead: string }[] = [
  { avoid: ['locality', 'localities'], instead: 'location' },
  { avoid: ['framing'], instead: 'reporting basis' },
  { avoid: ['enrolled'], instead: 'in fleet, or nodes of the fleet' },
  { avoid: ['left out'], instead: 'excluded, not included or skipped' },
  { avoid: ['settle', 'settles', 'settling'], instead: 'decide or resolve' },
]

/** Words that belong to no term and hide who acts, or make things speak (style rules 9 and 14), with what to write instead. */
export const DIALECT: readonly { readonly avoid: readonly string[]; readonly instead: string }[] = [
  {
    avoid: ['nobody', 'somebody', 'anybody', 'everybody', 'whoever', 'whomever', 'whosoever'],
    instead: 'Name the actor: the node, the signer, the provider, an administrator, you.',
  },
  { avoid: ['says', 'said', 'say', 'saying'], instead: 'Evidence shows, documents state, people confirm.' },
  { avoid: ['tells', 'told', 'tell', 'telling'], instead: 'Shows, states, reports or notifies.' },
  { avoid: ['speaks', 'speaking', 'spoken', 'spoke'], instead: 'Supports, contradicts or offers.' },
  { avoid: ['vouch', 'vouches', 'vouched', 'on the word of', 'take its word'], instead: 'Confirms, or rests on.' },
  { avoid: ['stands', 'standing', 'stood'], instead: 'Is, remains, or is listed; for a state: status.' },
  {
    avoid: ['lies in', 'lies beside', 'lies at', 'lies on', 'lie in', 'lie beside', 'lies below'],
    instead: 'Is stored in, is located.',
  },
  { avoid: ['besides', 'beside'], instead: 'Next to, in addition to, also.' },
  { avoid: ['mend', 'mends', 'mended', 'makers'], instead: 'Fix, fixes, fixed; vendors.' },
  { avoid: ['goes on', 'going on', 'went on'], instead: 'Continues.' },
]
