import { compose, type StructuredBrief } from '@copydesk/writer'
import { leadTasks } from '../domain/delivery/leads/import/tasks.ts'
import { toArticle } from '../domain/delivery/publishing/article.ts'
import { findContradictions } from '../domain/knowledge/facts/contradictions.ts'
import { statementsOf } from '../domain/knowledge/facts/statements.ts'
import { cutTasks } from '../domain/knowledge/ingestion/tasks.ts'
import type { StemmedLanguage } from '../domain/knowledge/stemming/function-words.ts'
import { stemsIn } from '../domain/knowledge/stemming/stems.ts'
import { mediaTasks } from '../domain/media/tasks.ts'
import { type CheckedBrand, checkContent } from '../domain/work/brand/checks.ts'
import { describeEdit } from '../domain/work/content/edits.ts'
import type { TextTasks } from '../kernel/in-thread.ts'
import { outlinesOf, type TextPair } from '../kernel/versions/compare.ts'

/** What the threads for long texts can do. */
export const textTasks = {
  article: (markdown: string) => toArticle(markdown),
  compare: (pairs: readonly TextPair[]) => outlinesOf(pairs),
  checks: ({ text, brand }: { text: string; brand: CheckedBrand }) => checkContent(text, brand),
  stems: async ({ language, texts }: Parameters<TextTasks['stems']>[0]) => texts.map(await stemsIn(language)),
  statements: (text: string) => statementsOf(text),
  contradictions: ({ found, passages }: Parameters<TextTasks['contradictions']>[0]) =>
    findContradictions(found, passages),
  compose: (brief: StructuredBrief) => compose(brief),
  ...cutTasks,
  ...leadTasks,
  ...mediaTasks,
  edit: ([before, after]: TextPair) => describeEdit(before, after),
} satisfies TextTasks

declare module '../kernel/in-thread.ts' {
  interface TextTasks {
    stems(input: { language: StemmedLanguage; texts: readonly string[] }): Promise<string[]>
    compose(brief: StructuredBrief): string
  }
}
