import type { TermOfGroup } from './term.ts'

/** Terms of frameworks, documents and decisions, and of the scope. */

export const DOCUMENTS: readonly TermOfGroup[] = [
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

export const SCOPE: readonly TermOfGroup[] = [
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
