/** What the page of the secret prompt gains: what it asks, and giving the answer, or null for none. Answering closes the page. */
export interface PromptBridge {
  readonly question: () => Promise<string | null>
  readonly answer: (answer: string | null) => Promise<null>
}
