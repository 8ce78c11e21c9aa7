/** Section titles, so that one section can refer to another by name; section numbers follow from the order alone. */
export const titles = {
  cover: 'Report information',
  summary: 'Summary',
  boundary: 'Scope and boundary',
  population: 'Population and completeness',
  gaps: 'Findings',
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
  limits: 'Limitations',
  'sign-off': 'Sign-off',
  custody: 'Chain of custody',
  howto: 'Independent verification',
  evidence: 'Evidence index',
  glossary: 'Glossary',
} as const

/** A section’s title as printed inside a sentence. */
export const see = (part: keyof typeof titles): string => `“${titles[part]}”`
