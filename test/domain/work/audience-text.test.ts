import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { segmentsIn } from '../../../packages/core/src/domain/work/campaigns/workflow/audience-text.ts'

describe('segmentsIn', () => {
  it('reads each section as a group with its filters, its type and its size', () => {
    const text = `# Audiences

Two groups.

## **Home bakers**

People who bake on Sundays.
They want to learn.

- Type: Platform audience
- Interests: baking, rye
- Job title: any
- Estimated size: about 12,000 people
- they read at night

### Why

Not part of any group.

## Cafés

- Size: between one and two thousand

---

**Editor’s note**

- Still needed: a voice.
`
    expect(segmentsIn(text)).toEqual([
      {
        name: 'Home bakers',
        segmentType: 'platform_audience',
        estimatedSize: 12_000,
        filters: {
          description: 'People who bake on Sundays. They want to learn. they read at night',
          interests: 'baking, rye',
          jobTitle: 'any',
        },
      },
      { name: 'Cafés', segmentType: undefined, estimatedSize: null, filters: {} },
    ])
  })

  it('keeps any text within bounds', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.constantFrom('## Group', '- size: 99999999999', '- __proto__: x', '- a: b', '---', '## '),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 200 }), (lines) => {
        for (const { name, filters, estimatedSize } of segmentsIn(lines.join('\n'))) {
          expect(name.length).toBeGreaterThan(0)
          expect(Object.keys(filters).length).toBeLessThanOrEqual(30)
          expect(Object.values(filters).every((value) => value.length <= 1_000)).toBe(true)
          expect(estimatedSize ?? 0).toBeLessThanOrEqual(2_000_000_000)
        }
      }),
    )
  })
})
