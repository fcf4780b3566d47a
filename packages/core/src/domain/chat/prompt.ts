import { plain } from '@copydesk/language'
import { fence, fenceRule } from '../../platform/models/fence.ts'
import type { EarlierMessage } from './queries.ts'
import type { ChatSource } from './schemas.ts'

/** How much of what was said before is told, characters. */
const mostEarlierChars = 8_000
const mostOfOne = 2_000

/** What the model is told of its task. @param day today in the tenant's zone */
export const systemPrompt = (
  day: string,
) => `You answer questions of the marketing team of one company in Copydesk, where agents and people produce its campaigns. Today is ${day}.
You answer from the sources of the company's knowledge base, and from its campaigns, activities, approvals and costs, which you read with tools.
- Every sentence that uses a source ends with its number in brackets, such as [2] or [1][3]. Numbers are those of the sources and no others.
- What neither a source nor a tool says, you do not know: say so, and do not guess. Search again in other words before that.
- You change nothing, and no tool does. Where something is to be done, say what, and link to the item where the person does it: [title](/approvals/ID), [title](/activities/ID) or [title](/campaigns/ID), with ids that a tool has told. There are no other links.
- Answer in the language of the question, briefly, in Markdown without pictures and HTML.
${fenceRule}`

/** Everything that an answer is written from. */
export interface PromptParts {
  question: string
  earlier: readonly EarlierMessage[]
  /** What the person is looking at, in fences. */
  about: readonly string[]
  sources: readonly ChatSource[]
}

export function promptOf({ question, earlier, about, sources }: PromptParts): string {
  const before = conversationOf(earlier)
  return [
    ...(before ? [`What was said before, oldest first:\n${before}`] : []),
    ...(about.length > 0 ? [`The person is looking at:\n${about.join('\n')}`] : []),
    sources.length > 0
      ? `What a search for the question found in the knowledge base:\n${fencedSources(sources)}`
      : 'A search for the question found nothing in the knowledge base.',
    `The question:\n<question>\n${own(question)}\n</question>`,
  ].join('\n\n')
}

/** The texts of sources with their numbers, in fences. */
export function fencedSources(sources: readonly ChatSource[]): string {
  return sources
    .map(({ n, fileName, page, heading, url, content }) =>
      fence(content, { n, file: fileName, page, heading, url }),
    )
    .join('\n')
}

/** The newest messages that there is room for. Answers quote others, so they are in fences; their numbers mean nothing any more. */
function conversationOf(earlier: readonly EarlierMessage[]): string {
  const lines: string[] = []
  let room = mostEarlierChars
  for (const { role, content } of earlier.toReversed()) {
    const text = content.slice(0, mostOfOne)
    if (text.length > room) break
    room -= text.length
    lines.unshift(
      role === 'user'
        ? `<asked>\n${own(text)}\n</asked>`
        : fence(text.replace(/ ?\[\d+\]/g, ''), { kind: 'earlier answer' }),
    )
  }
  return lines.join('\n')
}

/** The person's own words, without what could be taken for a mark of ours. */
function own(text: string): string {
  return text.replace(/<(\s*\/?\s*(?:question|asked|source))/gi, '&lt;$1')
}

/** A text of others in one line, to stand within a sentence of ours: nothing in it is a link, a citation or a mark of Markdown. */
export function inline(text: string, most: number): string {
  return plain(text, most)
    .replaceAll('[', '(')
    .replaceAll(']', ')')
    .replace(/[<>|*_`#]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
