import type { Bridge } from '../../../schemas/ipc.ts'

/** A page that only writes down which events it heard, as text. */
const { barewitness } = window as unknown as { readonly barewitness: Bridge }
barewitness.onEvent((event) => {
  const item = document.createElement('li')
  item.textContent = JSON.stringify(event)
  document.getElementById('events')?.append(item)
})
