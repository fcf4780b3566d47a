import type { z } from 'zod'
import type { Ctx } from '../../../../kernel/context.ts'
import { fence, fenceRule } from '../../../../platform/models/fence.ts'
import type { ModelTool } from '../../../../platform/models/port.ts'
import { knowledgeSearchTool, readPageForRun, searchForRun, webReadTool } from '../../sources/collect.ts'
import { KnowledgeQuestion, WebAddress, type WebPage } from '../../sources/schemas.ts'
import {
  addComment,
  createApproval,
  createSubtask,
  reportBlocker,
  requestReview,
} from '../lifecycle/actions.ts'
import { BlockerReport, NewApproval, NewComment, NewSubtask, ReviewRequest } from '../lifecycle/schemas.ts'

/** The run's actions as tools; an agent has those that its configuration names. */
export function toolsFor(ctx: Ctx, runId: string, names: readonly string[]): ModelTool[] {
  const tool = <S extends z.ZodType>(
    name: string,
    description: string,
    input: S,
    act: (value: z.output<S>) => Promise<unknown>,
  ): ModelTool => ({
    name,
    description,
    input,
    execute: (value) => act(value as z.output<S>),
  })
  const all = [
    tool('report_blocker', 'Stop and tell a person what is in the way.', BlockerReport, (value) =>
      reportBlocker(ctx, runId, value),
    ),
    tool('create_subtask', 'Give a part of the work to another agent role.', NewSubtask, (value) =>
      createSubtask(ctx, runId, value),
    ),
    tool('request_review', 'Ask a person to look at the work before you go on.', ReviewRequest, (value) =>
      requestReview(ctx, runId, value),
    ),
    tool('create_approval', 'Ask people to decide something.', NewApproval, (value) =>
      createApproval(ctx, runId, value),
    ),
    tool('add_comment', 'Leave a comment for the people who work on this.', NewComment, (value) =>
      addComment(ctx, runId, value),
    ),
    searching(
      tool(
        knowledgeSearchTool,
        `Search the client's own documents and website. What it finds is a source of facts like the brief; each has a number. In notes for colleagues name it, as [3], behind what stands on it; in texts that are published leave it out. ${fenceRule}`,
        KnowledgeQuestion,
        async (value) => (await searchForRun(ctx, runId, value)).results,
      ),
    ),
    searching(
      tool(
        webReadTool,
        `Read the main text of one public web page. ${fenceRule}`,
        WebAddress,
        async (value) => [await readPageForRun(ctx, runId, value)],
      ),
    ),
  ]
  return all.filter(({ name }) => names.includes(name))
}

type Found = Omit<WebPage, 'truncated' | 'url'> & { url?: string }

/** A tool that finds texts: a model reads each in a fence, with its number. */
const searching = (tool: ModelTool): ModelTool => ({
  ...tool,
  render(output) {
    const found = output as readonly Found[]
    if (found.length === 0) return 'Nothing was found. Do not invent what is missing.'
    return found
      .map(({ n, title, text, page, heading, url }) => fence(text, { n, title, page, heading, url }))
      .join('\n\n')
  },
})
