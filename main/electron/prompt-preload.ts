import { contextBridge, ipcRenderer } from 'electron'
import type { PromptBridge } from '../../schemas/prompt.ts'
import { PROMPT_NAME, SECRET_CHANNEL } from './channels.ts'

/** The whole API of the prompt’s page. It receives no events and calls no method of the engine. */
const bridge: PromptBridge = {
  question: () => ipcRenderer.invoke(SECRET_CHANNEL, null),
  answer: (answer) => ipcRenderer.invoke(SECRET_CHANNEL, { answer }),
}

contextBridge.exposeInMainWorld(PROMPT_NAME, Object.freeze(bridge))
