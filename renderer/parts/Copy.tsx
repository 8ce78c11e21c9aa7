import { IconCopy } from '@tabler/icons-react'
import { inGroups } from '../models/seal-model.ts'
import { announce } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'

/** Copies an exact text, for comparison elsewhere. */
export function Copy({
  text,
  what,
  children = 'Copy',
}: {
  readonly text: string
  readonly what: string
  readonly children?: string
}) {
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => announce(`Copied ${what}.`),
      () => announce(`Could not copy ${what}.`),
    )
  return (
    <Button small kind="quiet" icon={IconCopy} label={`Copy ${what}`} onPress={copy}>
      {children}
    </Button>
  )
}

/** A SHA-256 fingerprint in groups of four for comparison; copied without spaces. */
export function Fingerprint({ of, what = 'the fingerprint' }: { readonly of: string; readonly what?: string }) {
  return (
    <span className="fingerprint-groups mono">
      {/* One text for screen readers and selection; the spacing is visual only. */}
      <span className="groups">
        {inGroups(of).map((group, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups may repeat; their position identifies them
          <span key={place}>{group} </span>
        ))}
      </span>
      <Copy text={of} what={what} />
    </span>
  )
}
