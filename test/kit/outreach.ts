import { reviewerOf } from './app.ts'
import { type MailDesk, openMailDesk } from './sequences.ts'

/** A desk with an active campaign that asks other sites for links, and its reviewer. */
export interface OutreachDesk extends MailDesk {
  reviewer: ReturnType<MailDesk['app']['copydesk']['as']>
  /** Has a text written for the campaign. @returns the id of its activity, once it waits for its verdict */
  write(): Promise<string>
  /** Approves what waits. @param edited takes the place of the text */
  approve(activityId: string, edited?: string): Promise<unknown>
  /** Has a text written, and approves this one in its place. @returns the id of its activity */
  approved(text: string): Promise<string>
  send(): Promise<{ queued: number; skipped: ReadonlyArray<{ to: string; reason: string }> }>
  /** What became of each mail, by its address. */
  became(): Promise<Record<string, string>>
  /** The lines about mails in what people can read about an activity's life. */
  said(activityId: string): Promise<string[]>
}

/** A letter as it stands in a text. */
export const letter = (to: string, body = 'Would a link to our bread fit on your site?') =>
  `## Letter\n\nTo: ${to}\n\nSubject: Bread for ${to.split('@')[0]}\n\n${body}\n\n`

/** Of the campaign; the address of the customer's own is no recipient. */
const brief = `We bake rye bread at night. Ask us: hello@oats.example.

## Products
Night loaf: rye bread that is baked at night

## Audience
People who like good bread

## Key messages
- Our rye bread rests for three days.

## Call to action
Order a loaf

## Prospects
- Bread Weekly, ann@weekly.example
- Crumbs, <Bea@Crumbs.example>`

export async function openOutreachDesk(
  options: Parameters<typeof openMailDesk>[0] = {},
): Promise<OutreachDesk> {
  const desk = await openMailDesk(options)
  const { app, team, people } = desk
  const reviewer = app.copydesk.as(reviewerOf(team))
  const body = { name: 'Links', type: 'backlink_outreach' as const, channel: ['email'], goal: 'links' }
  const { id: campaignId } = await people.member.call('tenant.campaigns.create', { body })
  await app.db.write((tx) =>
    tx.run(`update campaigns set status = 'active', brief = ? where id = ?`, [brief, campaignId]),
  )
  const pending = (activityId: string) =>
    app.until(
      () =>
        app.db.sql.get<{ id: string; content_hash: string }>(
          `select id, content_hash from approvals where content_of = ? and status = 'pending'`,
          [activityId],
        ),
      'a text waits for its verdict',
    )
  const write = async () => {
    const { id: activityId } = await people.member.call('tenant.campaigns.add_content', {
      params: { campaignId },
      body: { deliverableType: 'backlink', inputPayload: {} },
    })
    await pending(activityId)
    return activityId
  }
  const approve = async (activityId: string, edited?: string) => {
    const { id, content_hash } = await pending(activityId)
    await reviewer.call('dm.approvals.resolve', {
      params: { approvalId: id },
      body:
        edited === undefined
          ? { resolution: 'approved' }
          : { resolution: 'approved', edited, contentHash: content_hash },
    })
    await app.until(
      () => app.db.sql.get(`select 1 as one from activities where id = ? and status = 'done'`, [activityId]),
      'the piece is done',
    )
  }
  return {
    ...desk,
    campaignId,
    reviewer,
    write,
    approve,
    async approved(text) {
      const activityId = await write()
      await approve(activityId, text)
      return activityId
    },
    send: () => reviewer.call('dm.campaigns.send', { params: { campaignId } }),
    setCampaign: (status) =>
      app.db.write((tx) => tx.run('update campaigns set status = ? where id = ?', [status, campaignId])),
    async became() {
      const rows = await app.db.sql.all<{ address: string; status: string }>(
        'select address, status from outreach_mails order by address',
      )
      return Object.fromEntries(rows.map(({ address, status }) => [address, status]))
    },
    async said(activityId) {
      const rows = await app.db.sql.all<{ message: string }>(
        `select message from activity_log where activity_id = ? and kind = 'publishing' order by id`,
        [activityId],
      )
      return rows.map(({ message }) => message)
    },
  }
}
