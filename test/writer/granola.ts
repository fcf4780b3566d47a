import type { PieceKind, StructuredBrief } from '../../packages/writer/src/brief.ts'
import { compose } from '../../packages/writer/src/compose.ts'

/** A brief as a marketing person writes it. */
export const granola = `# Spring breakfast campaign

## Company
Oat & Ember is a small-batch granola bakery in Leeds.

## Products
- **Maple Pecan Granola**: baked in small batches; no refined sugar; comes in a 400 g bag
- Cacao Hazelnut Granola — vegan, gluten free, made with roasted hazelnuts, a superfood

## Audience
Busy parents who want a decent breakfast on school days.

## Voice
Warm, plain, a little playful. No jargon.

## Key messages
- A good breakfast takes two minutes, even on a school day.
- Every bag is baked by hand in our own kitchen.
- Kids can help themselves.
- Guilt-free from the first spoon.

## Call to action
Order a sample box at oatandember.example

## Avoid
- "superfood"
- guilt-free, clean eating

## Goal
Get 200 sample box orders in April.
`

/** Writes a piece for the granola. */
export const write = (deliverable: PieceKind, more: Partial<StructuredBrief> = {}) =>
  compose({
    campaign: 'Spring breakfast',
    markdown: granola,
    deliverable,
    step: { kind: 'draft', title: 'Draft' },
    ...more,
  })
