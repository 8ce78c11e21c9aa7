/**
 * Every verdict, state, failure and property in plain language. The window, the command line and the PDF all speak from here,
 * so that a thing has one name everywhere. The banned words (see BANNED) are a lint over everything a person can read.
 */

export const VERDICTS = ['met', 'not-met', 'inconclusive', 'not-applicable', 'not-tested', 'informational'] as const
export type Verdict = (typeof VERDICTS)[number]

/** One letter for each verdict, for lists with one of a check on every node. */
export const verdictLetters: Readonly<Record<Verdict, string>> = {
  met: 'm',
  'not-met': 'c',
  inconclusive: 'i',
  'not-applicable': 'n',
  'not-tested': 't',
  informational: 'r',
}

export const CONTROL_STATES = [
  'not-supported',
  'insufficient-evidence',
  'manual-evidence-required',
  'supported-with-exceptions',
  'supported',
  'not-applicable',
  'out-of-scope',
] as const
export type ControlState = (typeof CONTROL_STATES)[number]

export const PROPERTIES = [
  'isolation',
  'encryption-at-rest',
  'encryption-in-transit',
  'location',
  'access',
  'audit',
  'integrity',
  'operations',
  'evidence',
] as const
export type Property = (typeof PROPERTIES)[number]

export const LAYERS = ['metal', 'vm', 'container', 'lpar', 'hypervisor-host', 'unknown'] as const
export type Layer = (typeof LAYERS)[number]

export const GRADES = ['A', 'B', 'C', 'D'] as const
export type Grade = (typeof GRADES)[number]

/** `mark` names a shape (see renderer/parts/Mark.tsx and main/adapters/pdf): shape and word carry the meaning, never color alone. */
export interface Word {
  readonly label: string
  readonly meaning: string
}

export const verdictWords: Readonly<Record<Verdict, Word & { readonly mark: string }>> = {
  met: { label: 'Supported', meaning: 'What was observed on this node supports the claim.', mark: 'ring-tick' },
  'not-met': {
    label: 'Contradicted',
    meaning: 'What was observed on this node contradicts the claim.',
    mark: 'square-cross',
  },
  inconclusive: {
    label: 'Not enough evidence',
    meaning: 'What was collected does not decide the claim. It counts as missing, never as support.',
    mark: 'diamond-question',
  },
  'not-applicable': {
    label: 'Doesn’t apply',
    meaning: 'The node shows that the claim cannot apply to it.',
    mark: 'bar',
  },
  'not-tested': {
    label: 'Not collected',
    meaning: 'The question was not put to this node; the reason is given.',
    mark: 'dotted-ring',
  },
  informational: { label: 'Recorded', meaning: 'A fact was recorded; no expectation is set.', mark: 'dot' },
}

export const controlStateWords: Readonly<Record<ControlState, Word & { readonly mark: string }>> = {
  supported: {
    label: 'Evidence supports',
    meaning: 'Every mapped check is supported on every declared node, fresh, and no listed record is outstanding.',
    mark: 'ring-tick',
  },
  'supported-with-exceptions': {
    label: 'Supported, with accepted exceptions',
    meaning: 'As above, except findings that a named person accepted until a date.',
    mark: 'ring-tick',
  },
  'not-supported': {
    label: 'Gap',
    meaning: 'At least one mapped check is contradicted on at least one node.',
    mark: 'square-cross',
  },
  'insufficient-evidence': {
    label: 'Not enough evidence',
    meaning: 'A mapped check is undecided, was not collected, is stale, or the declared nodes are not all covered.',
    mark: 'diamond-question',
  },
  'manual-evidence-required': {
    label: 'Needs records from people',
    meaning: 'Part or all of this item rests on records that no server can show; people have to judge them.',
    mark: 'dotted-ring',
  },
  'not-applicable': { label: 'Doesn’t apply', meaning: 'Justified in writing and approved.', mark: 'bar' },
  'out-of-scope': {
    label: 'Out of scope',
    meaning: 'Outside what this tool can observe or the declared boundary.',
    mark: 'bar',
  },
}

/** Said instead of the meaning of “supported” where no node bears on an item and its records are all there. */
export const heldByRecords = 'Every record that it needs is held. No answer of a node bears on it.'

export const propertyWords: Readonly<Record<Property, Word>> = {
  isolation: { label: 'Isolation', meaning: 'Whether the node runs on hardware of its own, and who shares it.' },
  'encryption-at-rest': { label: 'Encryption at rest', meaning: 'Whether stored data passes an encrypting layer.' },
  'encryption-in-transit': { label: 'Encryption in transit', meaning: 'Whether data leaving the node is encrypted.' },
  location: { label: 'Location', meaning: 'Where the node can and cannot be.' },
  access: { label: 'Access', meaning: 'Who can log in, how, and with which rights.' },
  audit: { label: 'Audit and time', meaning: 'What the node records about itself, and by which clock.' },
  integrity: { label: 'Integrity', meaning: 'What started, what is installed, and what protects it.' },
  operations: {
    label: 'Operations',
    meaning: 'What listens and connects, what is backed up, and what keeps the node running.',
  },
  evidence: { label: 'About this evidence', meaning: 'How complete the collection was and what ties it to this node.' },
}

export const layerWords: Readonly<Record<Layer, string>> = {
  metal: 'Consistent with running directly on hardware',
  vm: 'Virtual machine',
  container: 'Container',
  lpar: 'Logical partition',
  'hypervisor-host': 'Host of virtual machines',
  unknown: 'Not decided',
}

export const gradeWords: Readonly<Record<Grade, string>> = {
  A: 'Hardware-rooted: a hardware key or a separate management controller agrees',
  B: 'Live-tested: measurements during the run agree',
  C: 'Passive: read from the running system only',
  D: 'Insufficient: the minimum evidence was not collected',
}

export const FAILURE_CODES = [
  'input.refused',
  'input.not-found',
  'ssh.unreachable',
  'ssh.lost',
  'ssh.timed-out',
  'ssh.host-key-unknown',
  'ssh.host-key-changed',
  'ssh.host-key-revoked',
  'ssh.auth-refused',
  'ssh.no-credential',
  'ssh.passphrase-needed',
  'ssh.no-common-algorithm',
  'ssh.jump-failed',
  'ssh.client-missing',
  'ssh.channel-refused',
  'collector.no-answer',
  'collector.truncated',
  'collector.garbled',
  'collector.output-too-large',
  'collector.timed-out',
  'collector.restarted',
  'run.cancelled',
  'recording.invalid',
  'recording.altered',
  'store.failed',
  'store.newer',
  'identity.missing',
  'identity.passphrase-wrong',
  'identity.exists',
  'identity.unreadable',
  'key.refused',
  'token.unavailable',
  'timestamp.unreachable',
  'timestamp.refused',
  'timestamp.wrong',
  'revocation.unavailable',
  'pdf.unsuitable',
  'chain.broken',
  'pack.unreadable',
  'pack.unsafe',
  'pack.altered',
  'seal.invalid',
  'register.unreadable',
  'attachment.altered',
  'engagement.unreadable',
  'notice.undelivered',
  'bug',
] as const
export type FailureCode = (typeof FAILURE_CODES)[number]

/** What happened, what it means for the evidence, what to do next. */
export interface FailureWords {
  readonly title: string
  readonly meaning: string
  readonly next: string
}

export const failureWords: Readonly<Record<FailureCode, FailureWords>> = {
  'input.refused': {
    title: 'The input was not accepted',
    meaning: 'Nothing was collected or written.',
    next: 'Correct what is named, then run the command again.',
  },
  'input.not-found': {
    title: 'The file or folder was not found',
    meaning: 'Nothing was collected or written.',
    next: 'Check the path and the permissions of the file.',
  },
  'ssh.unreachable': {
    title: 'We could not reach the node',
    meaning: 'There is no evidence from this node in this run; it counts as not collected.',
    next: 'Check the address, the port and the route from this computer, then collect what is missing.',
  },
  'ssh.lost': {
    title: 'The connection ended early',
    meaning: 'Answers received before that are kept; the rest counts as not collected.',
    next: 'Collect what is missing. If it happens again, look at the server’s SSH log.',
  },
  'ssh.timed-out': {
    title: 'The node did not answer in time',
    meaning: 'Answers received before that are kept; the rest counts as not collected.',
    next: 'Check the load on the node and the network, then collect what is missing.',
  },
  'ssh.host-key-unknown': {
    title: 'The node’s host key is not known',
    meaning: 'We did not log in, so nothing was collected from it.',
    next: 'Compare the shown fingerprint with one from your provider or console, then record it with the shown command.',
  },
  'ssh.host-key-changed': {
    title: 'The node’s host key is not the one on record',
    meaning: 'We did not log in. Another machine may be answering at this address.',
    next: 'Ask the owner of the node whether the key was replaced. Record the new key only after verifying it.',
  },
  'ssh.host-key-revoked': {
    title: 'The node’s host key is marked as revoked',
    meaning: 'We did not log in.',
    next: 'Ask the owner of the node for its current host key.',
  },
  'ssh.auth-refused': {
    title: 'The node refused our login',
    meaning: 'Nothing was collected from it. We tried once, so that no account gets locked.',
    next: 'Check the user name and the key that the node accepts.',
  },
  'ssh.no-credential': {
    title: 'There was no usable key or agent for this node',
    meaning: 'We did not try to log in.',
    next: 'Name an identity file in the fleet file, or load the key into an SSH agent.',
  },
  'ssh.passphrase-needed': {
    title: 'The key file is protected by a passphrase',
    meaning: 'We did not log in.',
    next: 'Load the key into an SSH agent, or run the command on a terminal and type the passphrase.',
  },
  'ssh.no-common-algorithm': {
    title: 'The node offers no algorithm that this client has',
    meaning: 'We did not log in. Servers that offer only post-quantum key exchange need the system ssh program.',
    next: 'Install the OpenSSH client on this computer, or set “transport: openssh” for the node.',
  },
  'ssh.jump-failed': {
    title: 'The jump host did not let us through',
    meaning: 'There is no evidence from this node in this run.',
    next: 'Check the login on the jump host and whether it allows forwarding.',
  },
  'ssh.client-missing': {
    title: 'The system ssh program was not found',
    meaning: 'This node needs it and was not collected.',
    next: 'Install the OpenSSH client on this computer.',
  },
  'ssh.channel-refused': {
    title: 'The node refused to run the collector',
    meaning: 'Login worked, but no question could be put.',
    next: 'Check the account’s shell and any forced command, or use “collect --script” on the node.',
  },
  'collector.no-answer': {
    title: 'The account runs something else than our questions',
    meaning: 'Login worked, but a forced command or a special shell answered instead.',
    next: 'Use an account with an ordinary shell, or use “collect --script” on the node.',
  },
  'collector.truncated': {
    title: 'The node stopped answering part way',
    meaning: 'Answers received before that are kept; the rest counts as not collected.',
    next: 'Collect what is missing.',
  },
  'collector.garbled': {
    title: 'The node’s answer could not be read as ours',
    meaning: 'The unreadable part counts as not collected.',
    next: 'Look at the raw answer; something on the node may be writing into the session.',
  },
  'collector.output-too-large': {
    title: 'The node sent more than the agreed limit',
    meaning: 'We stopped reading. A cut answer supports nothing.',
    next: 'Look at which question it was, and collect what is missing.',
  },
  'collector.timed-out': {
    title: 'The collection took longer than allowed',
    meaning: 'Answers received before that are kept; the rest counts as not collected.',
    next: 'Check the load on the node, then collect what is missing.',
  },
  'collector.restarted': {
    title: 'The node restarted in the middle of this run',
    meaning: 'Its answers are from before and after the restart, and do not describe one state of it.',
    next: 'Resume the run: what was answered before the restart is asked again.',
  },
  'run.cancelled': {
    title: 'You stopped the run',
    meaning: 'What was collected is kept; the rest counts as not collected.',
    next: 'Resume with “run --resume”.',
  },
  'recording.invalid': {
    title: 'This is not a recording we can read',
    meaning: 'It supports nothing.',
    next: 'Check that the folder holds recording.json, captures.jsonl and sha256/.',
  },
  'recording.altered': {
    title: 'Stored bytes do not match their digest',
    meaning: 'The recording was altered or damaged after collection and supports nothing.',
    next: 'Restore the folder from a copy, or collect again.',
  },
  'store.failed': {
    title: 'The evidence could not be written',
    meaning: 'What was stored before is untouched.',
    next: 'Check the path, its permissions and the free space, then run the command again.',
  },
  'store.newer': {
    title: 'A newer Barewitness made this index',
    meaning: 'Nothing was read or changed; evidence, packs and history are untouched.',
    next: 'Use the newer version. Or move the named file to another place: this version makes an index of its own from the files.',
  },
  'identity.missing': {
    title: 'There is no signing identity',
    meaning: 'Nothing was sealed.',
    next: 'Create one with “barewitness identity create”.',
  },
  'identity.passphrase-wrong': {
    title: 'The passphrase does not open the identity',
    meaning: 'Nothing was sealed.',
    next: 'Try again; there is no way to recover a lost passphrase.',
  },
  'identity.exists': {
    title: 'An identity of that name exists',
    meaning: 'Nothing was changed.',
    next: 'Choose another name.',
  },
  'identity.unreadable': {
    title: 'The files of the identity cannot be read',
    meaning: 'Nothing was sealed.',
    next: 'Restore its folder from a copy, or create a new identity.',
  },
  'key.refused': {
    title: 'This key or certificate cannot seal',
    meaning: 'Nothing was sealed or imported.',
    next: 'Use a P-256 or RSA key of at least 2048 bits, with a certificate that may sign documents and its whole chain.',
  },
  'token.unavailable': {
    title: 'The security token did not answer as needed',
    meaning: 'Nothing was sealed.',
    next: 'Check that the token is plugged in, that the named module, label and PIN are right, and that the optional module pkcs11js is built.',
  },
  'timestamp.unreachable': {
    title: 'The time-stamp authority did not answer',
    meaning: 'The seal stands without a time by somebody else; what was sealed is kept.',
    next: 'Run “barewitness seal” on the file later, or carry a query to the authority with --export-tsq.',
  },
  'timestamp.refused': {
    title: 'The time-stamp authority refused the query',
    meaning: 'The seal stands without a time by somebody else; what was sealed is kept.',
    next: 'Look at the authority’s reason, and ask it or choose another one.',
  },
  'timestamp.wrong': {
    title: 'The time-stamp is not an answer to what was asked',
    meaning: 'It was thrown away. The seal stands without a time by somebody else.',
    next: 'Do not rely on this authority. Choose another one, then run “barewitness seal” on the file.',
  },
  'revocation.unavailable': {
    title: 'Revocation lists could not be had for every certificate',
    meaning: 'The report cannot carry what its long-term check takes, and stays at the level before.',
    next: 'Name the missing lists with --crl, and issuers that are not in the file with --certificate; then run “barewitness seal” on it.',
  },
  'pdf.unsuitable': {
    title: 'This PDF is not in the form that we write',
    meaning: 'Nothing was added to it.',
    next: 'Use a report that Barewitness wrote, as it was written.',
  },
  'chain.broken': {
    title: 'The chain of runs does not fit together',
    meaning: 'Nothing was added to it. Earlier packs are untouched.',
    next: 'Restore the chain’s folder from a copy, or begin a new chain and tell your auditors why.',
  },
  'pack.unreadable': {
    title: 'This is not a pack we can read',
    meaning: 'Nothing in it was accepted.',
    next: 'Ask the sender for the file again.',
  },
  'pack.unsafe': {
    title: 'The archive is built in a way that can harm its reader',
    meaning: 'We refused to open it; nothing was written to this computer.',
    next: 'Tell the sender, and ask for a fresh pack.',
  },
  'pack.altered': {
    title: 'The pack is not as it was sealed',
    meaning: 'The named files and findings cannot be relied on.',
    next: 'Ask the sender for the original pack.',
  },
  'seal.invalid': {
    title: 'The seal does not verify',
    meaning: 'The pack cannot be tied to its signer.',
    next: 'Ask the sender for the original pack.',
  },
  'register.unreadable': {
    title: 'The list of exceptions and records cannot be read',
    meaning: 'Nothing was changed. Until it can be read, nothing is added to it and nothing is sealed.',
    next: 'Correct the named line, or put back the latest copy from the folder “register-earlier” beside it.',
  },
  'attachment.altered': {
    title: 'A stored record is missing or is not what was attached',
    meaning: 'Nothing was sealed or opened.',
    next: 'Withdraw that record and attach the file again.',
  },
  'engagement.unreadable': {
    title: 'What was declared about this fleet cannot be read',
    meaning: 'Nothing was changed. Until it can be read, it counts nowhere and nothing is sealed.',
    next: 'Put back the latest copy from the folder beside the named file that ends on “-earlier”, or import the file again.',
  },
  'notice.undelivered': {
    title: 'A notice did not reach whom it was for',
    meaning: 'The run and its evidence are untouched by that.',
    next: 'Correct what is named; the notice is kept and sent again with the next planned run.',
  },
  bug: {
    title: 'Barewitness made a mistake',
    meaning: 'This is our fault, not the node’s. What was stored is kept.',
    next: 'Report it with the technical detail.',
  },
}

/** How an accepted exception or an attached record stands. Never by color alone, and never instead of the verdict. */
export const standingWords = {
  'in-force': 'In force',
  'not-begun': 'Not yet in force',
  expired: 'Ended',
  withdrawn: 'Withdrawn',
} as const

/** What named people decided about an addressable specification, or why a row does not apply (45 CFR 164.306(d)(3)). */
export const decisionWords = {
  implemented: 'Implemented as specified',
  'equivalent-alternative': 'Another measure in its place',
  'not-implemented': 'Not implemented, and nothing in its place',
  'not-applicable': 'Does not apply',
} as const

/** How a provider's promise is answered for one node, worst first. */
export const CLAIM_ANSWERS = ['contradicted', 'not-decided', 'needs-record', 'not-observable', 'observed'] as const
export type ClaimAnswerWord = (typeof CLAIM_ANSWERS)[number]
/** The only words for these answers, in reports, files, terminal and window; `tone` is the color of a verdict, beside mark and word. */
export const claimAnswerWords: Readonly<
  Record<ClaimAnswerWord, Word & { readonly mark: string; readonly tone: Verdict }>
> = {
  contradicted: {
    label: 'Contradicted',
    meaning: 'What was observed on the node contradicts the promise.',
    mark: 'square-cross',
    tone: 'not-met',
  },
  'not-decided': {
    label: 'Not decided',
    meaning: 'What was collected does not decide it. It counts as missing, never as support.',
    mark: 'diamond-question',
    tone: 'inconclusive',
  },
  'needs-record': {
    label: 'Needs a record',
    meaning: 'Only a record that somebody brings can show it.',
    mark: 'dotted-ring',
    tone: 'not-tested',
  },
  'not-observable': {
    label: 'Not observable from inside',
    meaning: 'Nothing on a node shows it, either way.',
    mark: 'bar',
    tone: 'not-applicable',
  },
  observed: {
    label: 'Observed',
    meaning: 'What was read on the node agrees with the promise. It is no promise for other times.',
    mark: 'ring-tick',
    tone: 'met',
  },
}

/** How somebody came to know what a record shows. */
export const methodWords = {
  examined: 'Examined it',
  asked: 'Asked the people concerned',
  received: 'Received it',
} as const

/** Parts of a machine that isolation signals come from. */
export const familyWords = {
  'cpu-identity': 'Identity of the processor',
  'cpu-features': 'Workings of the processor',
  timing: 'Time',
  firmware: 'Firmware tables',
  pci: 'Chipset and buses',
  storage: 'Drives',
  network: 'Network and fabric',
  gpu: 'GPUs',
  management: 'Management and hardware keys',
  session: 'Our session',
} as const

/** Where the numbers that checks compare against come from. */
export const profileWords = {
  baseline: {
    label: 'Baseline',
    meaning: 'Values that each name their own source, or say that they are our choice.',
  },
  cis: {
    label: 'CIS Benchmarks',
    meaning:
      'Values of the CIS Benchmarks for RHEL 9, Ubuntu 24.04 and Debian 13, as ComplianceAsCode wrote them down in August 2026. Where these set none, the baseline’s.',
  },
  stig: {
    label: 'DISA STIG',
    meaning:
      'Values of the DISA STIGs for RHEL 9 and Ubuntu 24.04, as ComplianceAsCode wrote them down in August 2026. Where these set none, the baseline’s.',
  },
} as const

/** What bears a mapped check that a look from inside a node cannot. */
export const notFromNodesWords = {
  record: 'It takes a record from people',
  runs: 'It takes more than one run',
  pack: 'The pack itself shows it',
  outside: 'It takes a look from outside the node',
} as const

/** What it costs a provider to make a guest show what hardware shows. */
export const spoofWords = {
  S0: 'a setting or a text',
  S1: 'rebuilt firmware or a patched machine monitor',
  S2: 'a patched hypervisor kernel with coherent devices',
  S3: 'the part itself, or a private key',
} as const

/** How a signal reads on a node. */
export const readsWords = {
  virtual: { label: 'As on a guest', mark: 'square-cross' },
  metal: { label: 'As on hardware', mark: 'ring-tick' },
  neutral: { label: 'Says neither', mark: 'dot' },
  unreadable: { label: 'Not read', mark: 'diamond-question' },
  'not-applicable': { label: 'Doesn’t apply', mark: 'bar' },
} as const

export const contradictionWords = {
  K1: 'Cannot happen on the hardware that the machine says it is',
  K2: 'Happens on hardware too, and needs an explanation',
} as const

/** Natural-log weight of evidence as odds in words, without a claim of precision. */
export const oddsWords = (weight: number): string => {
  const times = Math.exp(Math.abs(weight))
  const about =
    times >= 1000
      ? 'over 1,000'
      : times >= 20
        ? `about ${Math.round(times / 10) * 10}`
        : `about ${Math.round(times * 10) / 10}`
  return Math.abs(weight) < 0.05 ? 'even' : `${about} to 1 toward ${weight > 0 ? 'virtual' : 'hardware'}`
}

/** Stands in every report and in every file that leaves it behind, word for word but for what carries it. */
export const standingLimitation = (carrier: 'pack records' | 'page sums up' | 'file repeats'): string =>
  `This ${carrier} technical facts collected from the listed nodes at the listed times. It supports, and does not replace, a risk analysis, a HIPAA evaluation or a SOC 2® examination. Facts read from a node rely on the node’s own software and firmware. Items marked manual or outstanding need records that no server can show.`

/** Words that over-claim. Tested over everything a person can read; quotations of a framework's own title are exempt. */
export const BANNED: readonly RegExp[] = [
  /\b(non-?)?complian(t|ce)\b(?! (officer|date))/i,
  /\bcertif(y|ied|ies)\b/i,
  /\bguarantee/i,
  /\bpro(ve|ves|ved|ven)\b/i,
  /\bfully\b/i,
  /\bscore\b/i,
  /\b100 ?%/,
  /\b(is|are) secure\b/i,
]
