import type { StructuredBrief } from '@copydesk/writer'
import type { StemmedLanguage } from '../domain/knowledge/stemming/function-words.ts'
import type { TextTasks } from '../kernel/in-thread.ts'

type LoadedTasks = {
  [N in keyof TextTasks]: (input: Parameters<TextTasks[N]>[0]) => Promise<Awaited<ReturnType<TextTasks[N]>>>
}

const leads = () => import('../domain/delivery/leads/import/tasks.ts')

/**
 * What the threads for long texts can do. The code of each task is loaded when it is first asked for: most threads end after a few of
 * them, and all of it together takes longer to load than the tasks take.
 */
export const textTasks: LoadedTasks = {
  async article(markdown) {
    const { toArticle } = await import('../domain/delivery/publishing/article.ts')
    return toArticle(markdown)
  },
  async checks({ text, brand }) {
    const { checkContent } = await import('../domain/work/brand/checks.ts')
    return checkContent(text, brand)
  },
  async cleanImage(input) {
    const { mediaTasks } = await import('../domain/media/tasks.ts')
    return mediaTasks.cleanImage(input)
  },
  async compare(pairs) {
    const { outlinesOf } = await import('../kernel/versions/compare.ts')
    return outlinesOf(pairs)
  },
  async compose(brief) {
    const { compose } = await import('@copydesk/writer')
    return compose(brief)
  },
  async contradictions({ found, passages }) {
    const { findContradictions } = await import('../domain/knowledge/facts/contradictions.ts')
    return findContradictions(found, passages)
  },
  async cutText(input) {
    const { cutTasks } = await import('../domain/knowledge/ingestion/tasks.ts')
    return cutTasks.cutText(input)
  },
  async edit([before, after]) {
    const { describeEdit } = await import('../domain/work/content/edits.ts')
    return describeEdit(before, after)
  },
  openLeads: async (file) => (await leads()).leadTasks.openLeads(file),
  previewLeads: async (file) => (await leads()).leadTasks.previewLeads(file),
  readLeads: async (part) => (await leads()).leadTasks.readLeads(part),
  async statements(text) {
    const { statementsOf } = await import('../domain/knowledge/facts/statements.ts')
    return statementsOf(text)
  },
  async stems({ language, texts }) {
    const { stemsIn } = await import('../domain/knowledge/stemming/stems.ts')
    return texts.map(await stemsIn(language))
  },
}

declare module '../kernel/in-thread.ts' {
  interface TextTasks {
    stems(input: { language: StemmedLanguage; texts: readonly string[] }): Promise<string[]>
    compose(brief: StructuredBrief): string
  }
}
