import type { Catalog } from '../../core/catalog.ts'
import { fail, type Outcome } from '../../core/failure.ts'
import type { Control } from '../../core/framework.ts'
import { quote } from '../../core/plain-text.ts'
import { ok } from '../../core/result.ts'

/** What people mean by what they type on a command line. */

const SHORTEST_ID = 6

/** The one id that a text is, or begins. Fails with input.refused for none, several, and for a beginning of fewer than six characters. */
export function idNamed(ids: readonly string[], text: string): Outcome<string> {
  const fits = [...new Set(ids.filter((id) => id.startsWith(text)))]
  if (text.length >= SHORTEST_ID && fits.length > 1)
    return fail('input.refused', `several entries begin with ${quote(text)}; name more of the id`)
  const [id] = fits
  return id === undefined || text.length < SHORTEST_ID
    ? fail('input.refused', `there is no entry ${quote(text)}; “except list” shows each with its id`)
    : ok(id)
}

export interface NamedRow {
  readonly framework: string
  readonly control: Control
}

/** The row that is meant by, for example, hipaa:164.308(b)(1). Fails with input.refused. */
export function rowNamed({ frameworks }: Pick<Catalog, 'frameworks'>, text: string): Outcome<NamedRow> {
  for (const { id: framework, controls } of frameworks) {
    const control = controls.find(({ key, id }) => key === text || `${framework}:${id}` === text)
    if (control !== undefined) return ok({ framework, control })
  }
  return fail('input.refused', `there is no row ${quote(text)}; name it as framework:item, such as hipaa:164.308(b)(1)`)
}

/** The one record among those a row needs that a text is, or is part of. Fails with input.refused, listing them. */
export function needNamed(needs: readonly string[], text: string): Outcome<string> {
  const part = text.trim().toLowerCase()
  const exact = needs.find((need) => need.toLowerCase() === part)
  const fits = part === '' ? [] : needs.filter((need) => need.toLowerCase().includes(part))
  const found = exact ?? (fits.length === 1 ? fits[0] : undefined)
  return found === undefined
    ? fail(
        'input.refused',
        `${quote(text)} is not one of the records that this row needs: ${needs.map((one) => quote(one, 300)).join(', ')}`,
      )
    : ok(found)
}
