import { compose, type StructuredBrief } from '@copydesk/writer'
import { type CheckedBrand, checkContent } from '../domain/work/brand/checks.ts'
import { describeEdit } from '../domain/work/content/edits.ts'
import type { TextTasks } from '../kernel/in-thread.ts'
import { outlinesOf, type TextPair } from '../kernel/versions/compare.ts'

/** What the threads for long texts can do. */
export const textTasks = {
  compare: (pairs: readonly TextPair[]) => outlinesOf(pairs),
  checks: ({ text, brand }: { text: string; brand: CheckedBrand }) => checkContent(text, brand),
  compose: (brief: StructuredBrief) => compose(brief),
  edit: ([before, after]: TextPair) => describeEdit(before, after),
} satisfies TextTasks

declare module '../kernel/in-thread.ts' {
  interface TextTasks {
    compose(brief: StructuredBrief): string
  }
}
