import type { Source } from '../../schemas/ipc-views.ts'
import type { ListedDocument } from '../document-model.ts'
import { go } from '../store.ts'
import { Button } from '../ui/Button.tsx'

/** The controls that a document serves, each a link to its page. */
export const ServedControls = ({ of, rows }: { readonly of: Source; readonly rows: ListedDocument['rows'] }) => (
  <span className="note served">
    Serves{' '}
    {rows.map(({ framework, control }) => (
      <Button
        key={`${framework} ${control.key}`}
        kind="link"
        label={`${control.id} ${control.title}`}
        onPress={() => go({ screen: 'control', of, framework, key: control.key })}
      >
        {control.id}
      </Button>
    ))}
  </span>
)
