/** What the parts are called, so that one part points at another by its name; numbers come from their order alone. */
export const titles = {
  cover: 'About this report',
  summary: 'Summary',
  boundary: 'Scope and boundary',
  population: 'Population and completeness',
  gaps: 'Gaps',
  method: 'Method',
  versions: 'Versions',
  compared: 'What was compared against',
  checks: 'Checks',
  nodes: 'Results by node',
  isolation: 'Isolation, node by node',
  location: 'Location, node by node',
  undecided: 'Not tested or not decided',
  claims: 'What the provider promised',
  exceptions: 'Exceptions and deviations',
  decisions: 'Decisions and rationales',
  records: 'Manual evidence index',
  limits: 'Limitations',
  'sign-off': 'Sign-off',
  custody: 'Chain of custody',
  howto: 'How to check this yourself',
  evidence: 'Evidence index',
  glossary: 'Glossary',
} as const

/** A part's name inside a sentence. */
export const see = (part: keyof typeof titles): string => `“${titles[part]}”`
