import type { TermOfGroup } from './term.ts'

/** Terms of results and conclusions, and of the evidence behind them. */

export const RESULTS: readonly TermOfGroup[] = [
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
    definition: 'Every deciding check is satisfied on every node of the population to which it applies.',
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

export const EVIDENCE: readonly TermOfGroup[] = [
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
