import { describe, expect, it } from 'vitest'
import { mailsOf } from '../../kit/mail.ts'
import { jpegOf, uploadAsset } from '../../kit/pictures.ts'
import { day, type MailDesk, openMailDesk } from '../../kit/sequences.ts'

const photo = jpegOf({ width: 30, height: 20 })
const step = (body: string) => [{ subject: 'Hello', body, delay: 0 }]

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'was not refused',
    ({ code, message }: { code: string; message: string }) => `${code} ${message}`,
  )

async function mailTo(desk: MailDesk, name: string) {
  const mails = await mailsOf(desk.app)
  return mails.find(({ to }) => to.toLowerCase().startsWith(`${name.toLowerCase()}@`))
}

/** What readers see at the address of the picture in a mail; undefined where there is none. */
async function pictureIn(desk: MailDesk, html = ''): Promise<Buffer | undefined> {
  const [, path] = /<img src="https:\/\/desk\.example(\/files\/media\/[^"]+)"/.exec(html) ?? []
  if (path === undefined) return undefined
  const answer = await desk.app.fetch(path)
  return answer.status === 200 ? Buffer.from(await answer.arrayBuffer()) : undefined
}

describe('tenant.campaigns.activate_sequence with files of the media library', () => {
  it('shows them in mails, also when they were deleted or the step was changed since', async () => {
    await using desk = await openMailDesk({ baseUrl: 'https://desk.example' })
    const { id: assetId, reference } = await uploadAsset(desk.team.member, photo, 'a.jpg')
    const [id] = await desk.addLeads('Ann')
    const sequence = await desk.create({ steps: step(`Dear {{firstName}},\n\n![A <loaf>](${reference})\n`) })
    await desk.people.admin.call('media.assets.delete', { params: { assetId } })
    await desk.activate(sequence.id)
    await desk.rests()
    const mail = await mailTo(desk, 'Ann')
    expect([typeof id, mail?.text]).toEqual([
      'string',
      expect.stringMatching(/^Dear Ann,\r?\n\r?\nA <loaf>\r?\n/),
    ])
    expect(mail?.html).toMatch(/<p>Dear Ann,<\/p>\s*<p><img src="[^"]+" alt="A &lt;loaf&gt;"><\/p>/)
    expect(await pictureIn(desk, mail?.html)).toEqual(photo)
    const other = await desk.create({ steps: step('Hello') })
    await desk.change(other, 0, { body: `![](${reference})` })
    expect(await refusal(desk.activate(other.id))).toBe(
      `UNPROCESSABLE Step 1: The media library has no “${reference}”`,
    )
    expect(await pictureIn(desk, mail?.html)).toEqual(photo)
  })

  it('is refused where readers could not see them', async () => {
    await using desk = await openMailDesk()
    const { reference } = await uploadAsset(desk.team.member, photo, 'a.jpg')
    const { id } = await desk.create({ steps: step(`![](${reference})`) })
    expect(await refusal(desk.activate(id))).toMatch(/^UNPROCESSABLE Step 1: Readers cannot be shown files/)
  })
})

describe('tenant.campaigns.send_review_requests with files of the media library', () => {
  it('shows them as they were approved', async () => {
    await using desk = await openMailDesk({ baseUrl: 'https://desk.example' })
    const { member, admin } = desk.people
    const { reference } = await uploadAsset(desk.team.member, photo, 'a.jpg')
    const body = {
      name: 'Reviews',
      type: 'review_generation' as const,
      channel: ['email'],
      goal: 'reviews',
    }
    const { id: campaignId } = await member.call('tenant.campaigns.create', { body })
    const params = { campaignId }
    await desk.app.db.write((tx) =>
      tx.run(`update campaigns set status = 'active' where id = ?`, [campaignId]),
    )
    const { activityId } = await member.call('tenant.campaigns.review_sequence', {
      params,
      body: {
        reviewPlatform: 'City Guide',
        reviewUrl: 'https://guide.example/oats',
        tone: 'casual',
        channel: 'email',
      },
    })
    const { id: approvalId } = await desk.app.until(
      () =>
        desk.app.db.sql.get<{ id: string }>(
          `select id from approvals where content_of = ? and status = 'pending'`,
          [activityId],
        ),
      'the text waits for its verdict',
    )
    await admin.call('dashboard.approvals.resolve', {
      params: { approvalId },
      body: {
        resolution: 'approved',
        edited: `## One\nSubject: Hello\n\nDear {{firstName}}\n\n![A loaf](${reference})\n`,
      },
    })
    const [leadId = ''] = await desk.addLeads('Bea')
    await member.call('dashboard.leads.change', { params: { leadId }, body: { status: 'converted' } })
    // Its agent ends its work after the verdict.
    await desk.app.until(async () => {
      const { data } = await member.call('tenant.campaigns.sequences', { params })
      return data.length > 0
    }, 'the sequence is there')
    await member.call('tenant.campaigns.send_review_requests', { params })
    await desk.pass(day)
    expect(await pictureIn(desk, (await mailTo(desk, 'Bea'))?.html)).toEqual(photo)
  })
})
