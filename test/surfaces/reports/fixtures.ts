import { extractText, getDocumentProxy } from 'unpdf'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'

/** The text of a PDF's pages, in lines as a reader sees them. */
export async function textOfPdf(pdf: Uint8Array): Promise<string> {
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(pdf)), { mergePages: true })
  return text.replace(/\s+/g, ' ')
}

export interface ReportDesk extends AgentHarness {
  /** Orders a report on the present month and waits until it is there. @returns its id */
  report(more?: object): Promise<string>
}

export async function openReportDesk(
  options: Parameters<typeof createAgentHarness>[0] = {},
): Promise<ReportDesk> {
  const desk = await createAgentHarness(options)
  const month = new Date().toISOString().slice(0, 7)
  return {
    ...desk,
    async report(more = {}) {
      const body = {
        tenantId: desk.team.tenantId,
        type: 'monthly_performance' as const,
        periodStart: `${month}-01`,
        periodEnd: `${month}-28`,
        ...more,
      }
      const { reportId } = await desk.team.reviewer.call('dm', 'POST /reports', { body })
      const written = `select id from reports where id = ? and status <> 'generating'`
      await desk.app.until(
        async () => (await desk.app.db.sql.get(written, [reportId])) !== undefined,
        'it is written',
      )
      return reportId
    },
  }
}
