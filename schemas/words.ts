/**
 * Every verdict, state and property in plain language; failures are in failure-words.ts. The window, the command line and the PDF all speak from here,
 * so that a thing has one name everywhere. The banned words (see BANNED) are a lint over everything a person can read.
 */

export const VERDICTS = [
  'satisfied',
  'not-satisfied',
  'inconclusive',
  'not-applicable',
  'not-tested',
  'informational',
] as const
export type Verdict = (typeof VERDICTS)[number]

/** One letter for each verdict, for lists with one of a check on every node. */
export const verdictLetters: Readonly<Record<Verdict, string>> = {
  satisfied: 'm',
  'not-satisfied': 'c',
  inconclusive: 'i',
  'not-applicable': 'n',
  'not-tested': 't',
  informational: 'r',
}

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

export const GRADES = ['B', 'C', 'D'] as const
export type Grade = (typeof GRADES)[number]

/** `mark` names a shape (see renderer/parts/Mark.tsx and main/adapters/pdf): shape and word carry the meaning, never color alone. */
export interface Word {
  readonly label: string
  readonly meaning: string
}

export const verdictWords: Readonly<Record<Verdict, Word & { readonly mark: string }>> = {
  satisfied: { label: 'Supported', meaning: 'What was observed on this node supports the claim.', mark: 'ring-tick' },
  'not-satisfied': {
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

/** Stands wherever isolation is reported: the cheapest way to make a system answer falsely, which no reading from inside excludes. */
export const imageLimit =
  'Whoever has root in the system’s image can make every answer about isolation false, at no cost; no reading from inside excludes that.'

/** The answer of rule R8, in place of "Not decided". */
export const notEstablished = 'No sign of a hypervisor found; hardware not established'

/** What a node runs on, in the only words for it, in every file and on every screen. */
export const layerSaid = ({
  layer,
  rule,
}: {
  readonly layer: Layer
  readonly rule: { readonly id: string }
}): string => (rule.id === 'R8' ? notEstablished : layerWords[layer])

export const gradeWords: Readonly<Record<Grade, string>> = {
  B: 'Live-tested: measurements during the run agree',
  C: 'Passive: read from the running system only',
  D: 'Insufficient: the minimum evidence was not collected',
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
export const CLAIM_ANSWERS = [
  'contradicted',
  'not-decided',
  'needs-record',
  'not-observable',
  'not-applicable',
  'observed',
] as const
export type ClaimAnswerWord = (typeof CLAIM_ANSWERS)[number]
/** The only words for these answers, in reports, files, terminal and window; `tone` is the color of a verdict, beside mark and word. */
export const claimAnswerWords: Readonly<
  Record<ClaimAnswerWord, Word & { readonly mark: string; readonly tone: Verdict }>
> = {
  contradicted: {
    label: 'Contradicted',
    meaning: 'What was observed on the node contradicts the promise.',
    mark: 'square-cross',
    tone: 'not-satisfied',
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
    mark: 'dot',
    tone: 'informational',
  },
  'not-applicable': {
    label: 'Does not apply',
    meaning: 'The condition of the promise is not met on this node, as the reasons show.',
    mark: 'bar',
    tone: 'not-applicable',
  },
  observed: {
    label: 'Observed',
    meaning: 'What was read on the node agrees with the promise. It is no promise for other times.',
    mark: 'ring-tick',
    tone: 'satisfied',
  },
}

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
