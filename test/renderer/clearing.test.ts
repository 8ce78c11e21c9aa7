import { expect, test } from 'vitest'
import { allowClearing } from '../../renderer/clearing.ts'

test('an element is emptied without markup being read, and any other markup is refused as before', () => {
  const refused: unknown[] = []
  class FakeElement {
    emptied = 0
    replaceChildren(): void {
      this.emptied += 1
    }
    get innerHTML(): string {
      return 'what it holds'
    }
    set innerHTML(value: string) {
      refused.push(value)
      throw new TypeError('This document requires TrustedHTML assignment.')
    }
  }
  allowClearing(FakeElement.prototype as unknown as Element)
  const element = new FakeElement()
  element.innerHTML = ''
  expect([element.emptied, refused, element.innerHTML]).toEqual([1, [], 'what it holds'])
  expect(() => {
    element.innerHTML = '<b>bold</b>'
  }).toThrow(TypeError)
  expect([element.emptied, refused]).toEqual([1, ['<b>bold</b>']])
})
