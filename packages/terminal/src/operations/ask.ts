import type { Reply } from '@copydesk/client'
import { tenantNaming } from '../account/tenant-named.ts'
import { clean, cleanLines } from '../paper/clean.ts'
import { flowText, measured } from '../paper/flow.ts'
import { type Column, emptyRow, type Row, row, span, tableOf } from '../paper/row.ts'
import { type Desk, operation } from './operation.ts'
import { onlyTenant } from './paging.ts'

export type Answer = Reply<'cli', 'POST /nl'>

export const ask = operation({
  name: 'ask',
  summary: 'ask in plain words; nothing is done but what you confirm',
  does: 'reads',
  takes: {
    words: { kind: 'arguments', summary: 'what you want to know or to be done' },
    tenant: { ...onlyTenant, summary: `speak of this tenant: ${tenantNaming}` },
  },
  examples: ['ask what waits for me', 'ask "approve all low-risk posts older than 2 hours"'],
  run: (desk, { words, tenant }) => answerTo(desk, words.join(' '), { tenant }),
  print: (answer, { width }) => answerRows(answer, width),
})

/** Asks the server. @param before what was said before, oldest first */
export function answerTo(
  { client }: Desk,
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

/** An answer on paper. */
export function answerRows({ data, action, clarification }: Answer, width: number): Row[] {
  const rows: Row[] = []
  if (data) rows.push(...paragraphs(data.text, width), ...tableRows(data.table ?? [], width))
  if (action) rows.push(...actionRows(action, width), row(span('It was not run.', 'dim')))
  if (clarification) {
    rows.push(...paragraphs(clarification.question, width))
    for (const option of clarification.options ?? []) rows.push(row(span('  • ', 'dim'), option))
  }
  return rows
}

/** A proposed command with what it would touch. */
export function actionRows(
  { command, description, preview, destructive }: NonNullable<Answer['action']>,
  width: number,
): Row[] {
  return [
    ...paragraphs(description, width),
    row(span(command, 'accent')),
    ...(preview ? [emptyRow, ...paragraphs(preview, width)] : []),
    ...(destructive ? [row(span('It is hard to take back.', 'warn'))] : []),
  ]
}

function tableRows([titles = [], ...lines]: readonly (readonly string[])[], width: number): Row[] {
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
