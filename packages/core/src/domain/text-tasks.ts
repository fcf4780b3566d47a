import type { StructuredBrief } from '../platform/models/writer/brief.ts'
import { compose } from '../platform/models/writer/compose.ts'
import { checkContent, type CheckedBrand } from './brand/checks.ts'
import { describeEdit } from './content/edits.ts'
import { outlinesOf, type TextPair } from './versions/compare.ts'

/** What is done to long texts in threads: pure functions, whose cost grows with what callers send. */
export const textTasks = {
  compare: (pairs: readonly TextPair[]) => outlinesOf(pairs),
  checks: ({ text, brand }: { text: string; brand: CheckedBrand }) => checkContent(text, brand),
  compose: (brief: StructuredBrief) => compose(brief),
  edit: ([before, after]: TextPair) => describeEdit(before, after),
}
export type TextTasks = typeof textTasks
