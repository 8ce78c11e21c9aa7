import type { Json } from '../../core/base/canonical-json.ts'
import { ok } from '../../core/base/failure.ts'
import { type Exchange, json } from '../../core/outbox/exchange.ts'
import type { OutboxItem } from '../../core/outbox/item.ts'
import { type Fact, factsOf, headline, LIMITATION } from './text.ts'

/** An item unchanged, for a webhook. The receiver recognizes a repeated item by its key. */
export const webhookBody = (item: OutboxItem): Json => item as unknown as Json

/** Slack allows a header of 150 characters, a section of 3,000 and 50 blocks. */
const SLACK = { header: 150, section: 2900, fact: 600 }

/**
 * A message for an incoming webhook of Slack, in blocks of plain text, where Slack reads no markup. `text` is what notifications show; in it,
 * three characters are escaped as documented.
 */
export function slackBody(item: OutboxItem): Json {
  const title = headline(item, SLACK.header)
  return {
    text: title.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    blocks: [
      { type: 'header', text: plainText(title) },
      ...sections(factsOf(item)).map((text) => ({ type: 'section', text: plainText(text) })),
      { type: 'context', elements: [plainText(LIMITATION)] },
    ],
  }
}

const plainText = (text: string) => ({ type: 'plain_text', text, emoji: false })

/** Facts as texts that are short enough for one block each. */
function sections(facts: readonly Fact[]): readonly string[] {
  const texts: string[] = []
  for (const [label, value] of facts) {
    const line = `${label}: ${cut(value)}`
    const last = texts.at(-1)
    if (last !== undefined && last.length + line.length < SLACK.section) texts[texts.length - 1] = `${last}\n${line}`
    else texts.push(line)
  }
  return texts
}

const cut = (value: string): string => (value.length > SLACK.fact ? `${value.slice(0, SLACK.fact)}…` : value)

/** A message for a Teams workflow that is started by a webhook: an Adaptive Card. */
export const teamsBody = (item: OutboxItem): Json => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.2',
        body: [
          { type: 'TextBlock', text: headline(item), weight: 'Bolder', wrap: true },
          { type: 'FactSet', facts: factsOf(item).map(([title, value]) => ({ title, value: cut(value) })) },
          { type: 'TextBlock', text: LIMITATION, isSubtle: true, wrap: true },
        ],
      },
    },
  ],
})

/** One POST of a body; its answer has no meaning beyond its status. */
function* posted(body: Json, headers: Readonly<Record<string, string>> = {}): Exchange {
  yield { method: 'POST', path: '', headers, body: json(body), assumed: null }
  return ok(null)
}

export const webhookExchange = (item: OutboxItem): Exchange =>
  posted(webhookBody(item), { 'barewitness-delivery': item.key })
export const slackExchange = (item: OutboxItem): Exchange => posted(slackBody(item))
export const teamsExchange = (item: OutboxItem): Exchange => posted(teamsBody(item))
