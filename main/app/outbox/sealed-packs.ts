import { type Failure, ok } from '../../core/base/failure.ts'
import { notePlanned, noteRefused, openNotes, packsBelow } from './pack-notes.ts'
import { type SendDeps, type SendReport, sendPack } from './send.ts'

/** The result of sending the packs of a data folder. */
export interface SentPacks {
  /** The last sending that reached the outbox; null where none did. */
  readonly report: SendReport | null
  /** Failures to send a pack, or all of them; the next time tries again. */
  readonly failures: readonly Failure[]
}

/**
 * Sends the packs below a data folder that were sealed since its outbox was first used and are not in it yet, one
 * after the other, then the waiting items. A pack is noted next to the outbox after it was planned: after a kill
 * between both, planning it again changes nothing. The reason for a refusal is noted there too. A pack of demo data
 * is not tried again, and is no failure.
 */
export async function sendSealed(
  deps: SendDeps,
  { folder, file }: { readonly folder: string; readonly file: string },
): Promise<SentPacks> {
  const { ports } = deps
  const read = await ports.integrations.read(file)
  if (!read.ok) return { report: null, failures: [read.error] }
  const config = read.value
  const packs = await packsBelow(ports, folder)
  if (!packs.ok) return { report: null, failures: [packs.error] }
  const opened = await openNotes(ports, config, packs.value)
  if (!opened.ok) return { report: null, failures: [opened.error] }
  const notes = opened.value
  const failures: Failure[] = []
  let report: SendReport | null = null
  const isStopped = (): boolean => deps.signal?.aborted === true
  const send = async (pack: string | null): Promise<void> => {
    const path = pack === null ? null : `${folder}/${pack}`
    const sent = await sendPack(deps, { config, pack: path, allowsDemo: false, again: false })
    if (sent.ok) report = sent.value
    else if (isStopped()) return
    const refused = sent.ok
      ? sent.value.files.flatMap(({ written }) => (written.ok ? [] : [written.error]))
      : [sent.error]
    failures.push(...refused.filter(({ code }) => code !== 'pack.demo'))
    const [failure] = refused
    const kept =
      pack === null
        ? ok(null)
        : failure === undefined
          ? await notePlanned(ports, config, pack)
          : await noteRefused(ports, config, { pack, failure, notes })
    if (!kept.ok) failures.push(kept.error)
  }
  for (const pack of packs.value) {
    if (isStopped()) break
    const note = notes.get(pack)
    if (note === undefined || (note !== null && note.code !== 'pack.demo')) await send(pack)
  }
  // Waiting items were sent with a pack, unless each pack was refused.
  if (report === null && !isStopped()) await send(null)
  return { report, failures }
}
