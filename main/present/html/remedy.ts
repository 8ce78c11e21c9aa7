import type { RemediationVariant } from '../../../schemas/types.ts'
import type { Finding } from '../../core/finding/finding.ts'
import type { CheckRemediation } from '../../core/work-order.ts'
import { familiesOf, partsOf } from '../formats/work-order-document.ts'
import { remedyOf } from '../presentation.ts'
import { WHO } from '../report/findings.ts'
import { htmlText } from './marks.ts'

/** The recommendation of a finding: who can change it, and the steps of each alternative. */
export function remedyHtml(finding: Finding, remediation: CheckRemediation | undefined): string {
  if (remediation === undefined) return `${htmlText(remedyOf(finding, undefined))}.`
  const { steps, whoCanChange, sideEffects, alsoSettles } = remediation
  return [
    htmlText(WHO[whoCanChange]),
    ...steps.map(variantHtml),
    `<p class="quiet">Side effects: ${htmlText(sideEffects)}</p>`,
    alsoSettles.length === 0 ? '' : `<p class="quiet">Can settle as well: ${htmlText(alsoSettles.join(', '))}.</p>`,
  ].join('')
}

function variantHtml(variant: RemediationVariant): string {
  const { title, when, inputs, prepare, files, commands, ask, note, verify } = partsOf(variant)
  const where = [familiesOf(variant), ...(when === undefined ? [] : [`where ${when}`])]
  return [
    `<details class="steps"><summary>${htmlText(title)} <span class="quiet">${htmlText(where.join(', '))}</span></summary>`,
    listHtml(
      'Set first',
      inputs.map(({ name, is }) => `<code>${htmlText(name)}</code>: ${htmlText(is)}`),
    ),
    codeHtml('Prepare', prepare),
    ...files.map(({ path, content, mode }) => codeHtml(`File ${path}, mode ${mode}`, [content.replace(/\n$/, '')])),
    codeHtml('Run as root', commands),
    listHtml(
      'Request',
      ask.map((one) =>
        htmlText(`From the ${one.of}: ${one.for}${one.request === undefined ? '' : ` (${one.request})`}`),
      ),
    ),
    note === undefined ? '' : `<p>${htmlText(note)}</p>`,
    verify.command === undefined
      ? `<p>Verify with ${htmlText(verify.inspect ?? '')}.</p>`
      : codeHtml('Verify', [verify.command]),
    `<p>Expected: ${htmlText(verify.expected)}</p></details>`,
  ].join('')
}

const listHtml = (label: string, items: readonly string[]): string =>
  items.length === 0 ? '' : `<p>${label}:</p><ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`

const codeHtml = (label: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `<p>${htmlText(label)}:</p><pre><code>${lines.map(htmlText).join('\n')}</code></pre>`
