import { IconDownload } from '@tabler/icons-react'
import type { ExportedFileView } from '../../schemas/ipc-packs.ts'
import { OFFLINE_FILE, type SharedPack } from '../../schemas/ipc-portal.ts'
import { packSubject } from '../../schemas/period-words.ts'
import { bytes, visible, when } from '../models/text.ts'
import { useAction } from '../state/actions.ts'
import { announce } from '../state/store.ts'
import { Button } from '../ui/Button.tsx'
import { Disclosure } from '../ui/Disclosure.tsx'
import { FailureNote } from './Ask.tsx'
import { Copy } from './Copy.tsx'
import { SortedTable, textColumn } from './WholeTable.tsx'

/** Who shared a pack, when, and what they wrote. */
export const SharedBy = ({ pack: { shared, isCopy, note } }: { readonly pack: SharedPack }) => (
  <>
    <p className="quiet">
      Shared by {visible(shared.by)}, {when(shared.at)}.{isCopy && ' Redacted copy: the complete pack is not shared.'}
    </p>
    {note !== '' && <p className="prose source">{visible(note)}</p>}
  </>
)

/** The files of a shared pack with their digests, each to be downloaded, and the instructions for verifying them elsewhere. */
export function SharedFiles({ pack: { id, files, run, pack } }: { readonly pack: SharedPack }) {
  const save = useAction('portal.save')
  const download = (file: string): void =>
    void save.run({ id, file }).then((saved) => {
      if (saved !== null) announce(`${visible(saved.file)} is downloaded.`)
    })
  const leads = ({ name }: ExportedFileView): boolean => name === pack || name.endsWith('_report.pdf')
  const [leading, others] = [files.filter(leads), files.filter((one) => !leads(one))]
  return (
    <>
      <FileRows caption={`Pack and report of ${visible(packSubject(run))}`} files={leading} onDownload={download} />
      {others.length > 0 && (
        <Disclosure title={`Additional outputs (${others.length})`}>
          <FileRows
            caption={`Additional outputs of ${visible(packSubject(run))}`}
            files={others}
            onDownload={download}
          />
        </Disclosure>
      )}
      <div className="actions">
        <Button
          icon={IconDownload}
          onPress={() => download(OFFLINE_FILE)}
          label={`Download offline instructions, ${run}`}
        >
          Offline instructions
        </Button>
      </div>
      {save.error !== null && <FailureNote error={save.error} />}
    </>
  )
}

function FileRows({
  caption,
  files,
  onDownload,
}: {
  readonly caption: string
  readonly files: readonly ExportedFileView[]
  readonly onDownload: (file: string) => void
}) {
  return (
    <SortedTable<ExportedFileView>
      className="files"
      caption={caption}
      columns={[
        textColumn('file', 'File', ({ name }) => name, { isRowHeader: true, cellClass: 'source' }),
        textColumn('size', 'Size', ({ size }) => bytes(size), { className: 'amount', cellClass: 'number' }),
        textColumn('digest', 'Digest (SHA-256)', ({ sha256 }) => sha256, { cellClass: 'mono fingerprint digest' }),
        {
          id: 'action',
          title: 'Action',
          cell: ({ name, sha256 }) => (
            <>
              <Button small label={`Download ${visible(name)}`} onPress={() => onDownload(name)}>
                Download
              </Button>
              <Copy text={sha256} what={`the digest of ${visible(name)}`} />
            </>
          ),
        },
      ]}
      rows={files}
      keyOf={({ name }) => name}
    />
  )
}
