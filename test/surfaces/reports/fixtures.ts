import { extractText, getDocumentProxy } from 'unpdf'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'

/** The text of a PDF's pages, in lines as a reader sees them. */
export async function textOfPdf(pdf: Uint8Array): Promise<string> {
  const { text } = await extractText(await getDocumentProxy(new Uint8Array(pdf)), { mergePages: true })
  return text.replace(/\s+/g, ' ')
}

export interface ReportHarness extends AgentHarness {
  /** Orders a report on the present month and waits until it is there. @returns its id */
  report(more?: object): Promise<string>
}

export async function createReportHarness(
  options: Parameters<typeof createAgentHarness>[0] = {},
): Promise<ReportHarness> {
  const harness = await createAgentHarness(options)
  const month = new Date().toISOString().slice(0, 7)
  return {
    ...harness,
    async report(more = {}) {
      const body = {
        tenantId: harness.team.tenantId,
        type: 'monthly_performance' as const,
        periodStart: `${month}-01`,
        periodEnd: `${month}-28`,
        ...more,
      }
      const { reportId } = await harness.team.reviewer.call('dm', 'POST /reports', { body })
      const written = `select id from reports where id = ? and status <> 'generating'`
      await harness.app.until(
        async () => (await harness.app.db.sql.get(written, [reportId])) !== undefined,
        'it is written',
      )
      return reportId
    },
  }
}
