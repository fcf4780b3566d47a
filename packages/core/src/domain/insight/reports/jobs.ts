import { z } from 'zod'
import { defineJob } from '../../../kernel/jobs.ts'
import { mailGroup } from '../../people/mail/jobs.ts'

/** Writes a report. */
export const writeReportJob = defineJob('report.write', z.object({ reportId: z.string() }))

/** One job a report, by which it is known whether anything still writes it. */
export const reportToWrite = ({ id, tenantId }: { id: string; tenantId: string }) => ({
  tenantId,
  payload: { reportId: id },
  uniqueKey: `${writeReportJob.kind}:${id}`,
})

export const mailReportJob = defineJob(
  'mail.report',
  z.object({ mailId: z.string(), deliveryId: z.string() }),
  mailGroup,
)
