/** Section titles, so that one section can refer to another by name; section numbers follow from the order alone. */
export const titles = {
  cover: 'Report information',
  summary: 'Conclusion',
  findings: 'Findings',
  boundary: 'Scope and boundary',
  population: 'Population and completeness',
  gaps: 'Evidence by finding',
  method: 'Method',
  versions: 'Versions',
  compared: 'Criteria and thresholds',
  checks: 'Checks',
  nodes: 'Results by node',
  isolation: 'Isolation analysis by node',
  location: 'Location results by node',
  undecided: 'Not tested or inconclusive',
  claims: 'Provider claims',
  acceptances: 'Deviations and risk acceptances',
  decisions: 'Control decisions',
  records: 'Document index',
  requests: 'Documents and risk acceptances',
  limits: 'Limitations',
  ceilings: 'Limitations of checks',
  'sign-off': 'Sign-off',
  custody: 'Chain of custody',
  howto: 'Independent verification',
  verification: 'Verification',
  evidence: 'Evidence index',
  glossary: 'Glossary',
} as const

export type Titled = keyof typeof titles

/** Sections of the annexes; all others are in the report. */
export const ANNEXED: ReadonlySet<Titled> = new Set<Titled>([
  'cover',
  'gaps',
  'method',
  'versions',
  'compared',
  'checks',
  'nodes',
  'isolation',
  'location',
  'undecided',
  'claims',
  'acceptances',
  'decisions',
  'records',
  'ceilings',
  'custody',
  'howto',
  'evidence',
  'glossary',
])

/** A section’s title as printed inside a sentence, with the document that has it. */
export const see = (part: Titled): string => `“${titles[part]}” in the ${ANNEXED.has(part) ? 'annexes' : 'report'}`
