import type { EngagementForm } from '../schemas/ipc-engagement.ts'

/** Unsaved input, kept until the window closes, so that leaving the screen loses nothing. */
let kept: { readonly fleet: string; readonly form: EngagementForm } | null = null

export const keptForm = (fleet: string): EngagementForm | null => (kept?.fleet === fleet ? kept.form : null)
export const keepForm = (fleet: string, form: EngagementForm): void => {
  kept = { fleet, form }
}
/** Drops a form once it is saved; a later one is kept. */
export const forgetForm = (form: EngagementForm | null): void => {
  if (form === null || kept?.form === form) kept = null
}
