import { useEffect } from 'react'
import { change, useStore } from '../store.ts'
import { Button } from '../ui/Button.tsx'

const SHOWN_MS = 8_000

/** What was just recorded, with its withdrawal while it is shown. Failures are never shown this way. */
export function Toast() {
  const { toast } = useStore()
  useEffect(() => {
    if (toast === null) return
    const timer = setTimeout(() => change({ toast: null }), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [toast])
  return (
    <div className="toast-place" role="status" aria-live="polite">
      {toast !== null && (
        <div className="toast">
          <span>{toast.text}</span>
          {toast.undo !== null && (
            <Button
              kind="link"
              onPress={() => {
                change({ toast: null })
                toast.undo?.()
              }}
            >
              Undo
            </Button>
          )}
        </div>
      )}
    </div>
  )
}
