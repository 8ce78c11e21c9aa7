import { TERM_GROUPS, TERMS } from '../../schemas/terms.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|')

/** docs/glossary.md, from schemas/terms.ts. `npx tsx test/support/write-words.ts` writes it; test/words-lint.test.ts fails when it is stale. */
export const glossaryPage = (): string =>
  [
    '# Glossary',
    '',
    'One concept has one term, the same in the window, the reports, the command line and the documents.',
    'This page is generated from `schemas/terms.ts`.',
    ...TERM_GROUPS.flatMap((group) => [
      '',
      `## ${group}`,
      '',
      '| Term | Definition | Source |',
      '|---|---|---|',
      ...TERMS.filter((one) => one.group === group).map(
        ({ term, definition, source }) => `| **${term}** | ${cell(definition)} | ${cell(source)} |`,
      ),
    ]),
    '',
  ].join('\n')
