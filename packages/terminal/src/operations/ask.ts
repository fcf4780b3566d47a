import type { Reply } from '@copydesk/client'
import { tenantNaming } from '../account/tenant-named.ts'
import { clean, cleanLines } from '../render/clean.ts'
import { flowText, measured } from '../render/flow.ts'
import { type Column, emptyRow, row, type StyledLine, span, tableOf } from '../render/row.ts'
import { type OperationContext, operation } from './operation.ts'
import { onlyTenant } from './paging.ts'

export type Answer = Reply<'cli', 'POST /nl'>

export const ask = operation({
  name: 'ask',
  summary: 'ask or instruct in plain words; changes need your confirmation',
  effect: 'reads',
  params: {
    words: { kind: 'arguments', summary: 'your question or instruction' },
    tenant: { ...onlyTenant, summary: `restrict it to this tenant: ${tenantNaming}` },
  },
  examples: ['ask what waits for me', 'ask "approve all low-risk posts older than 2 hours"'],
  run: (context, { words, tenant }) => answerTo(context, words.join(' '), { tenant }),
  print: (answer, { width }) => answerRows(answer, width),
})

/** Sends the question to the server. @param before the conversation so far, oldest first */
export function answerTo(
  { client }: OperationContext,
  query: string,
  { tenant, before = [] }: { tenant?: string | undefined; before?: readonly string[] } = {},
): Promise<Answer> {
  const context = {
    surface: 'cli' as const,
    ...(tenant !== undefined && { tenantId: tenant }),
    ...(before.length > 0 && { history: [...before] }),
  }
  return client.call('cli', 'POST /nl', { body: { query, context } })
}

/** The lines of an answer. */
export function answerRows({ data, action, clarification }: Answer, width: number): StyledLine[] {
  const rows: StyledLine[] = []
  if (data) rows.push(...paragraphs(data.text, width), ...tableRows(data.table ?? [], width))
  if (action) rows.push(...actionRows(action, width), row(span('It was not executed.', 'dim')))
  if (clarification) {
    rows.push(...paragraphs(clarification.question, width))
    for (const option of clarification.options ?? []) rows.push(row(span('  • ', 'dim'), option))
  }
  return rows
}

/** A proposed command with the rows that it would affect. */
export function actionRows(
  { command, description, preview, destructive }: NonNullable<Answer['action']>,
  width: number,
): StyledLine[] {
  return [
    ...paragraphs(description, width),
    row(span(command, 'accent')),
    ...(preview ? [emptyRow, ...paragraphs(preview, width)] : []),
    ...(destructive ? [row(span('It is hard to undo.', 'warn'))] : []),
  ]
}

function tableRows([titles = [], ...lines]: readonly (readonly string[])[], width: number): StyledLine[] {
  if (titles.length === 0) return []
  const columns = titles.map(
    (title, index): Column<readonly string[]> => ({
      title: clean(title),
      cell: (line) => line[index] ?? '',
      least: 8,
    }),
  )
  return [emptyRow, ...tableOf(columns, lines, width)]
}

const paragraphs = (text: string, width: number) =>
  cleanLines(text).flatMap((line) => flowText(line, measured(width)))
