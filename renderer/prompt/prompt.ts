import '../styles/fonts.css'
import '../styles/tokens.css'
import './prompt.css'
import type { PromptBridge } from '../../schemas/prompt.ts'

/** From the preload of this page; it has no other access. */
const { barewitnessPrompt } = window as unknown as { readonly barewitnessPrompt: PromptBridge }

const byId = <T extends HTMLElement>(id: string, kind: abstract new () => T): T => {
  const element = document.getElementById(id)
  if (!(element instanceof kind)) throw new Error(`the page has no ${id}`)
  return element
}

const form = byId('form', HTMLFormElement)
const secret = byId('secret', HTMLInputElement)
const show = byId('show', HTMLButtonElement)

function give(answer: string | null): void {
  secret.value = ''
  void barewitnessPrompt.answer(answer)
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  give(secret.value)
})
byId('cancel', HTMLButtonElement).addEventListener('click', () => give(null))
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') give(null)
})
show.addEventListener('click', () => {
  const hidden = secret.type === 'password'
  secret.type = hidden ? 'text' : 'password'
  show.setAttribute('aria-pressed', String(hidden))
  secret.focus()
})

const question = await barewitnessPrompt.question()
byId('question', HTMLLabelElement).textContent = question ?? 'No secret is requested.'
secret.focus()
