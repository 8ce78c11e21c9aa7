import { PACKS, PLACE } from './terms/packs.ts'
import { EVIDENCE, RESULTS } from './terms/results.ts'
import { DOCUMENTS, SCOPE } from './terms/scope.ts'
import type { Term, TermGroup, TermOfGroup } from './terms/term.ts'

export { TERM_GROUPS, type Term, type TermGroup } from './terms/term.ts'

const grouped = (group: TermGroup, terms: readonly TermOfGroup[]): readonly Term[] =>
  terms.map((one) => ({ ...one, group }))

/**
 * The settled vocabulary: one concept, one term, the same in code, JSON, command line, window and reports. docs/glossary.md is generated
 * from this file. `avoid` lists words that people-facing text must not use for a term; test/words-lint.test.ts searches for them.
 */
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
