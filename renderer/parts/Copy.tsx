import { IconCopy } from '@tabler/icons-react'
import { say } from '../store.ts'
import { Button } from '../ui/Button.tsx'

/** Copies an exact text, for comparison elsewhere. */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => say(`Copied ${what}.`),
      () => say(`Could not copy ${what}.`),
    )
  return (
    <Button small kind="quiet" icon={IconCopy} label={`Copy ${what}`} onPress={copy}>
      Copy
    </Button>
  )
}
