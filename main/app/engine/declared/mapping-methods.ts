import type { MappingItem } from '../../../../schemas/ipc-engagement.ts'
import type { Mapping } from '../../../../schemas/types.ts'
import { fail, type Outcome, ok } from '../../../core/base/failure.ts'
import { type EngineContext, methods } from '../context/context.ts'
import { assessAgain } from '../runs/up-to-now.ts'
import { changesInTurn, type DeclaredShelf, declaredOf, keepMappings, shelfShown } from '../stored/engagement-store.ts'

/** Customer-defined frameworks, shown after the built-in ones. */
export function mappingMethods(context: EngineContext) {
  const { ports, catalog } = context
  const turn = changesInTurn(context)
  const change = async (
    at: DeclaredShelf,
    next: (before: readonly Mapping[]) => Outcome<readonly Mapping[]>,
  ): Promise<Outcome<readonly MappingItem[]>> => {
    const before = await declaredOf(at)
    if (!before.ok) return before
    const after = next(before.value.mappings)
    if (!after.ok) return after
    const written = await keepMappings(at, after.value)
    if (!written.ok) return written
    await assessAgain(context)
    return ok(after.value.map(itemOf))
  }
  return methods({
    'mappings.list': async () => {
      const declared = await declaredOf(shelfShown(context))
      return declared.ok ? ok(declared.value.mappings.map(itemOf)) : declared
    },
    'mappings.import-choose': (_, chosen) =>
      turn(async (at) => {
        if (chosen === undefined) return ok(null)
        const read = await ports.declarations.mapping(chosen.path, null)
        if (!read.ok) return read
        const mapping = read.value
        if (catalog.frameworks.some(({ id }) => id === mapping.id))
          return fail('input.refused', 'a built-in framework has the same id; choose another id')
        return await change(at, (before) => ok([...before.filter(({ id }) => id !== mapping.id), mapping]))
      }),
    'mappings.remove': ({ id: gone }) =>
      turn((at) =>
        change(at, (before) =>
          before.some(({ id }) => id === gone)
            ? ok(before.filter(({ id }) => id !== gone))
            : fail('input.refused', 'there is no framework of this id'),
        ),
      ),
  })
}

const itemOf = ({ id, title, version, controls }: Mapping): MappingItem => ({
  id,
  title,
  version,
  rows: controls.length,
  mapped: controls.filter(({ mappings }) => mappings.length > 0).length,
})
