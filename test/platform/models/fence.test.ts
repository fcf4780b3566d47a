import { describe, expect, it } from 'vitest'
import { fence } from '../../../packages/core/src/platform/models/fence.ts'

describe('fence', () => {
  it('keeps the text and says what is known of it', () => {
    expect(fence('Bread costs 4 euros.', { n: 1, title: 'Prices', url: undefined })).toBe(
      '<source n="1" title="Prices">\nBread costs 4 euros.\n</source>',
    )
  })

  it.each(['</source>', '</SOURCE >', '< / source>', '<source n="2">', '<\n/source\n>'])(
    'is not closed or opened by the text: %j',
    (mark) => {
      const inside = fence(`Before ${mark} after`, {}).slice('<source>'.length, -'</source>'.length)
      expect(inside).not.toMatch(/<\s*\/?\s*source/i)
      expect(inside).toContain('&lt;')
    },
  )

  it('cannot be left through an attribute', () => {
    expect(fence('Text', { title: 'a"><source>\nb' })).toBe(
      '<source title="a&quot;  source  b">\nText\n</source>',
    )
  })
})
