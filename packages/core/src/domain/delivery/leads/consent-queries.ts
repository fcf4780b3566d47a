import type { Transaction } from '../../../kernel/context.ts'
import { exists, select, table } from '../../../platform/database/read.ts'
import { LeadEvent, type TimelineKind } from './entities.ts'

const e = table(LeadEvent, 'e')

const newest = select({ id: e.id })

/**
 * Whether a lead gets no mails for want of consent: it was asked by a form and has never agreed, or has told a person that it wants none,
 * and has not agreed since. Where no one has asked, nothing is recorded and nothing is declined. A form that is sent again without consent
 * takes back nothing, what is said to a person does.
 */
export async function hasDeclined({ tx }: Pick<Transaction, 'tx'>, leadId: string): Promise<boolean> {
  const said = (kind: TimelineKind, after = '') =>
    exists(tx, `from ${e} where e.lead_id = ? and e.kind = ? and e.id > ?`, [leadId, kind, after])
  const told = await newest.get(
    tx,
    `from ${e} where e.lead_id = ? and e.kind = 'declined' and e.actor_id is not null order by e.id desc limit 1`,
    [leadId],
  )
  return (told !== undefined || (await said('declined'))) && !(await said('agreed', told?.id))
}
