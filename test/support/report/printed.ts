// What the report prints for what an assessment holds, written down anew: a word that changes is seen here.

/** Lines that stand on every page. */
export const FURNITURE = [
  /^Demo data: not evidence$/,
  /, (evidence report|annexes), draft /,
  /^Not an audit opinion, .*$/,
  /^(As of )?(\d{1,2} \w{3} )?\d{4} \d{2}:\d{2} UTC\.$/,
  /^Page \d+ of \d+$/,
]
export const tight = (text: string): string => text.replace(/\s+/g, '')
export const LABEL: Readonly<Record<string, string>> = {
  deviations: 'Deviations noted',
  'unable-to-conclude': 'Unable to conclude',
  'documents-outstanding': 'Documents outstanding',
  'addressable-decision': 'Addressable decision in place',
  supported: 'Supported',
  'not-applicable': 'Not applicable (approved)',
  'out-of-scope': 'Not in scope',
}

export const COUNTED: Readonly<Record<string, string>> = {
  'not-satisfied': 'not satisfied',
  'not-tested': 'not tested',
  inconclusive: 'inconclusive',
  satisfied: 'satisfied',
  informational: 'informational',
  'not-applicable': 'not applicable',
}

export const SHORT: Readonly<Record<string, string>> = { hipaa: 'HIPAA', soc2: 'SOC 2' }
export const ANSWERS: Readonly<Record<string, string>> = {
  contradicted: 'Contradicted',
  inconclusive: 'Inconclusive',
  'document-required': 'Document required',
  'not-observable': 'Not observable from the node',
  'not-applicable': 'Not applicable',
  corroborated: 'Corroborated',
}
