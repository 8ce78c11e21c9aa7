import type { SavedFile } from '../../schemas/ipc-views.ts'
import { useAction } from '../actions.ts'
import { announce } from '../store.ts'
import { visible } from '../text.ts'
import { Menu } from '../ui/Menu.tsx'
import { FailureNote } from './Ask.tsx'

/** Saves the worksheet as a workbook, a PDF document or CSV. */
export function SaveWorksheet() {
  const xlsx = useAction('review.save-workbook')
  const pdf = useAction('review.save-worksheet-pdf')
  const csv = useAction('review.save-worksheet')
  const error = xlsx.error ?? pdf.error ?? csv.error
  const save = async (saving: Promise<SavedFile | null>): Promise<void> => {
    const saved = await saving
    if (saved !== null) announce(`Worksheet saved as ${visible(saved.file)}.`)
  }
  return (
    <>
      <Menu
        title="Save worksheet…"
        entries={[
          { id: 'xlsx', title: 'Workbook (XLSX)', onAction: () => void save(xlsx.run(null)) },
          { id: 'pdf', title: 'PDF document', onAction: () => void save(pdf.run(null)) },
          { id: 'csv', title: 'CSV', onAction: () => void save(csv.run(null)) },
        ]}
      />
      {error !== null && <FailureNote error={error} />}
    </>
  )
}
