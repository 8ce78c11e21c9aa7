import type { EngagementForm } from '../schemas/ipc-engagement.ts'

/** What was typed and is not saved yet, until the window closes: leaving the screen loses nothing. */
let kept: { readonly fleet: string; readonly form: EngagementForm } | null = null

export const keptForm = (fleet: string): EngagementForm | null => (kept?.fleet === fleet ? kept.form : null)
export const keepForm = (fleet: string, form: EngagementForm): void => {
  kept = { fleet, form }
}
/** Forgets a form once it is saved; a later one stays. */
export const forgetForm = (form: EngagementForm | null): void => {
  if (form === null || kept?.form === form) kept = null
}
