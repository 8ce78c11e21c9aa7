import { say } from '../store.ts'

/** Copies one exact text, to compare it elsewhere. */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => say(`Copied ${what}.`),
      () => say(`We could not copy ${what}.`),
    )
  return (
    <button type="button" className="small" onClick={copy} aria-label={`Copy ${what}`}>
      Copy
    </button>
  )
}
