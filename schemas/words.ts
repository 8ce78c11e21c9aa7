/**
 * Labels of every verdict, state and property; failures are in failure-words.ts. Window, command line and PDF use them, so that a concept has
 * one name everywhere. A lint refuses the words in BANNED in all text for people.
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

/** One letter for each verdict, for compact lists. */
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

export const ENVIRONMENTS = [
  'bare-metal',
  'virtual-machine',
  'container',
  'logical-partition',
  'hypervisor-host',
  'undetermined',
] as const
export type Environment = (typeof ENVIRONMENTS)[number]

const GRADES = ['B', 'C', 'D'] as const
export type Grade = (typeof GRADES)[number]

/** `mark` names a shape (see renderer/parts/Mark.tsx and main/adapters/pdf): shape and word carry the meaning, never color alone. */
export interface Word {
  readonly label: string
  readonly meaning: string
}

export const verdictWords: Readonly<Record<Verdict, Word & { readonly mark: string }>> = {
  satisfied: { label: 'Satisfied', meaning: 'The evidence meets the expected condition.', mark: 'ring-tick' },
  'not-satisfied': {
    label: 'Not satisfied',
    meaning: 'The evidence shows a deviation from the expected condition.',
    mark: 'square-cross',
  },
  inconclusive: {
    label: 'Inconclusive',
    meaning: 'The evidence does not decide. Counted as missing, never as support.',
    mark: 'diamond-question',
  },
  'not-applicable': {
    label: 'Not applicable',
    meaning: 'Evidence shows that the check cannot apply to this node.',
    mark: 'bar',
  },
  'not-tested': {
    label: 'Not tested',
    meaning: 'Evidence was not obtained from this node; see the reason.',
    mark: 'dotted-ring',
  },
  informational: { label: 'Informational', meaning: 'A fact was recorded; no criterion applies.', mark: 'dot' },
}

export const propertyWords: Readonly<Record<Property, Word>> = {
  isolation: { label: 'Isolation', meaning: 'Whether the node runs on dedicated hardware, and who uses it.' },
  'encryption-at-rest': { label: 'Encryption at rest', meaning: 'Whether stored data is encrypted.' },
  'encryption-in-transit': { label: 'Encryption in transit', meaning: 'Whether network traffic is encrypted.' },
  location: { label: 'Location', meaning: 'Where the node can be, and which places are excluded.' },
  access: { label: 'Access', meaning: 'Who can log in, how, and with what privileges.' },
  audit: { label: 'Audit and time', meaning: 'Logging, audit trail and time synchronization.' },
  integrity: { label: 'Integrity', meaning: 'Boot, software and malware protection.' },
  operations: {
    label: 'Operations',
    meaning: 'Network exposure, backup, availability and maintenance.',
  },
  evidence: { label: 'Evidence quality', meaning: 'Completeness of collection and identity of the node.' },
}

export const environmentWords: Readonly<Record<Environment, string>> = {
  'bare-metal': 'No hypervisor detected (consistent with bare metal)',
  'virtual-machine': 'Virtual machine',
  container: 'Container',
  'logical-partition': 'Logical partition',
  'hypervisor-host': 'Hypervisor host',
  undetermined: 'Undetermined',
}

/** Printed wherever isolation is reported: the cheapest way to make a system report false facts, which no reading from inside excludes. */
export const imageLimit =
  'An adversary with root in the system image can falsify every result about isolation at no cost; no observation from inside excludes that.'

/** The result of rule R8, in place of “Not decided”. */
export const notEstablished = 'No sign of a hypervisor found; hardware not established'

/** Labels of execution environments, identical in every file and on every screen. */
export const environmentText = ({
  environment,
  rule,
}: {
  readonly environment: Environment
  readonly rule: { readonly id: string }
}): string => (rule.id === 'R8' ? notEstablished : environmentWords[environment])

/** Observed tenancy: who uses the operating system of a node. */
export const tenancyWords: Readonly<Record<'single-observed' | 'shared' | 'undetermined', string>> = {
  'single-observed': 'One tenant observed on this operating system',
  shared: 'Several tenants observed on this operating system',
  undetermined: 'Undetermined',
}

export const gradeWords: Readonly<Record<Grade, string>> = {
  B: 'Actively tested: confirmed by measurements during the run',
  C: 'Passively observed: read from the running system only',
  D: 'Insufficient: minimum evidence not collected',
}

/** Statuses of risk acceptances and documents. They are never shown by color alone and never in place of the verdict. */
export const statusWords = {
  'in-force': 'In effect',
  'not-begun': 'Not yet effective',
  expired: 'Expired',
  withdrawn: 'Withdrawn',
} as const

/** How the effective period of a document relates to the date or period of the engagement. */
export const periodCoverWords = {
  covers: 'Covers the engagement’s period',
  partly: 'Covers only part of the engagement’s period',
  outside: 'Outside the period of the engagement',
} as const
export type PeriodCover = keyof typeof periodCoverWords

/** Control decisions: on an addressable specification, or that a control is not applicable (45 CFR 164.306(d)(3)). */
export const decisionWords = {
  implemented: 'Implemented as specified',
  'equivalent-alternative': 'Equivalent alternative measure implemented',
  'not-implemented': 'Not implemented; no alternative measure',
  'not-applicable': 'Not applicable',
} as const

/** Statuses of a request in the list of an auditor. */
export const auditorStatusWords = {
  open: 'Open',
  ready: 'Ready',
  received: 'Received',
  accepted: 'Accepted',
  returned: 'Returned',
  'not-needed': 'Not needed',
} as const

/** Results of a provider claim for one node, worst first. */
export const CLAIM_ANSWERS = [
  'contradicted',
  'inconclusive',
  'document-required',
  'not-observable',
  'not-applicable',
  'corroborated',
] as const
/** Labels of these results in reports, files, terminal and window; `tone` is a color in addition to mark and word. */
export const claimAnswerWords: Readonly<
  Record<(typeof CLAIM_ANSWERS)[number], Word & { readonly mark: string; readonly tone: Verdict }>
> = {
  contradicted: {
    label: 'Contradicted',
    meaning: 'Node evidence contradicts the claim.',
    mark: 'square-cross',
    tone: 'not-satisfied',
  },
  inconclusive: {
    label: 'Inconclusive',
    meaning: 'The evidence does not decide. Counted as missing, never as support.',
    mark: 'diamond-question',
    tone: 'inconclusive',
  },
  'document-required': {
    label: 'Document required',
    meaning: 'Requires a document from the provider or the entity.',
    mark: 'dotted-ring',
    tone: 'not-tested',
  },
  'not-observable': {
    label: 'Not observable from the node',
    meaning: 'Node evidence can neither support nor contradict it.',
    mark: 'dot',
    tone: 'informational',
  },
  'not-applicable': {
    label: 'Not applicable',
    meaning: 'The condition of the claim does not hold on this node, as the observations show.',
    mark: 'bar',
    tone: 'not-applicable',
  },
  corroborated: {
    label: 'Corroborated',
    meaning: 'Node evidence agrees with the claim at the time of collection.',
    mark: 'ring-tick',
    tone: 'satisfied',
  },
}

/** Parts of a machine that isolation signals are read from. */
export const familyWords = {
  'cpu-identity': 'CPU identification',
  'cpu-features': 'CPU features',
  timing: 'Timing',
  firmware: 'Firmware tables',
  pci: 'Chipset and PCI',
  storage: 'Drives',
  network: 'Network and fabric',
  gpu: 'GPUs',
  management: 'BMC and TPM',
  session: 'SSH session',
} as const

/** Labels of threshold profiles. */
export const profileWords = {
  baseline: {
    label: 'Baseline',
    meaning: 'Barewitness defaults; each value cites its source, or states that it is our choice.',
  },
  cis: {
    label: 'CIS Benchmarks',
    meaning:
      'Values of the CIS Benchmarks for RHEL 9, Ubuntu 24.04 and Debian 13, as published by ComplianceAsCode in August 2026; baseline values where these set none.',
  },
  stig: {
    label: 'DISA STIG',
    meaning:
      'Values of the DISA STIGs for RHEL 9 and Ubuntu 24.04, as published by ComplianceAsCode in August 2026; baseline values where these set none.',
  },
} as const

/** Spoofing efforts: what a provider must change so that a guest shows the same as hardware. */
export const spoofWords = {
  S0: 'a configuration change',
  S1: 'custom firmware or a patched virtual machine monitor',
  S2: 'a patched hypervisor with consistent virtual devices',
  S3: 'the physical component, or a private key',
} as const

/** Indications of a signal on a node. */
export const indicationWords = {
  virtual: { label: 'Indicates virtualization', mark: 'square-cross' },
  'bare-metal': { label: 'Indicates bare metal', mark: 'ring-tick' },
  neutral: { label: 'Neutral', mark: 'dot' },
  unreadable: { label: 'Not readable', mark: 'diamond-question' },
  'not-applicable': { label: 'Not applicable', mark: 'bar' },
} as const

export const anomalyWords = {
  impossible: 'Impossible on the stated hardware',
  unexplained: 'Possible on hardware; needs explanation',
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
  return Math.abs(weight) < 0.05 ? 'even' : `${about} to 1 in favor of ${weight > 0 ? 'virtual' : 'hardware'}`
}

/** Printed in every report and in every file that is read without it, with the same words except for the name of the file. */
export const generalLimitation = (carrier: 'pack records' | 'page sums up' | 'file repeats'): string =>
  `This ${carrier} technical facts collected from the listed nodes at the listed times. It supports, and does not replace, a risk analysis, a HIPAA evaluation or a SOC 2® examination. Facts read from a node depend on the node’s own software and firmware. Controls with documents outstanding require evidence that servers cannot provide.`

/** A number of minutes as people state it: “26 hours”, “2 hours and 40 minutes”. */
export function durationWords(minutes: number): string {
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  const counted = (count: number, one: string): readonly string[] =>
    count === 0 ? [] : [`${count} ${one}${count === 1 ? '' : 's'}`]
  const parts = [...counted(hours, 'hour'), ...counted(rest, 'minute')]
  return parts.length === 0 ? '0 minutes' : parts.join(' and ')
}

/** “21 days” with a no-break space, for display. Not for text that a program reads or a person searches. */
export const dayCount = (count: number | string): string => `${count}\u00a0day${Number(count) === 1 ? '' : 's'}`

/** Words that over-claim. A test refuses them in all text for people, except in quoted titles of frameworks. */
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
