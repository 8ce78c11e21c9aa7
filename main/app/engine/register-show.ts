import type { Source } from '../../../schemas/ipc-views.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import { folderIn } from '../../core/layout.ts'
import { plainFileName } from '../../core/register/attachments.ts'
import { viewerExtension } from '../../core/register/media-type.ts'
import type { EngineContext } from './context.ts'
import { hexOf } from './kept-json.ts'
import { bytesInPack, ownBytes, registerOf } from './register-store.ts'

/**
 * Opens a copy of an attached PDF, PNG or JPEG in the system's viewer, under an extension that matches its bytes. The
 * previous copy is deleted. No other file type is ever opened.
 */
export async function showDocument(context: EngineContext, of: Source, id: string): Promise<Outcome<null>> {
  const { world, folder, desktop } = context
  const register = await registerOf(context, of)
  if (!register.ok) return register
  const attachment = register.value.documents.find((one) => one.id === id)
  if (attachment === undefined) return fail('input.refused', 'there is no document of this id')
  const bytes = await (of === 'run' ? ownBytes : bytesInPack)(context, attachment)
  if (!bytes.ok) return bytes
  const extension = viewerExtension(bytes.value)
  if (extension === null) return fail('input.refused', 'only PDF, PNG and JPEG files can be opened')
  const name = plainFileName(attachment.name).replace(/\.[^.]*$/, '')
  // A viewer may still hold the previous copy; it then stays until the next call.
  await world.files.remove(folderIn(folder, 'shown'))
  const copy = `${folderIn(folder, 'shown')}/${hexOf(world.entropy.bytes(4))}-${name === '' ? 'record' : name}.${extension}`
  const written = await world.files.write(copy, bytes.value)
  if (!written.ok) return written
  const locked = await world.files.lock(copy)
  return locked.ok ? await desktop.show(copy) : locked
}
