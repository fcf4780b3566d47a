import { describe, expect, it } from 'vitest'
import { startMailService, type TestMailService } from '../../kit/mail-service.ts'
import { type Newsroom, openNewsroom } from '../../kit/mailings.ts'
import { letter, openOutreachDesk } from '../../kit/outreach.ts'
import { minute } from '../../kit/sequences.ts'
import { refusal } from '../refusal.ts'

const hour = 60 * minute
const isOutside = (address: string) => address.endsWith('@site.example')
const outside = ({ sent }: TestMailService) => sent.filter(isOutside)

/** A newsletter on its way to Ann, about whose mail the service has answered, and nobody has heard it. */
async function lost(service: TestMailService, room: Newsroom) {
  service.clock = room.clock
  service.loses = isOutside
  await room.addLeads('Ann')
  const activityId = await room.newsletter()
  const { id } = await room.mail(activityId)
  await room.quiet()
  expect(outside(service)).toEqual(['ann@site.example'])
  return { activityId, id }
}

describe('dashboard.mailings.create, dashboard.mailings.resume by a mail service', () => {
  it('sends a mail once whose answer was lost, by asking again while the service knows it', async () => {
    await using service = await startMailService()
    await using room = await openNewsroom(service.options)
    const { id } = await lost(service, room)
    service.loses = () => false
    await room.pass(2 * minute)
    expect(outside(service)).toEqual(['ann@site.example'])
    expect((await room.showMailing(id)).mails).toEqual({ sent: 1, failed: 0, unknown: 0 })
  })

  it('does not send it again once the service has forgotten it, and tells the admins', async () => {
    await using service = await startMailService()
    await using room = await openNewsroom(service.options)
    const { id } = await lost(service, room)
    await room.change(id, 'pause')
    await room.pass(25 * hour)
    service.loses = () => false
    await room.change(id, 'resume')
    await room.pass(10 * minute)
    expect(outside(service)).toEqual(['ann@site.example'])
    expect(await room.showMailing(id)).toMatchObject({
      status: 'sent',
      mails: { sent: 0, failed: 0, unknown: 1 },
    })
    expect(await room.notices()).toEqual(['Perhaps not sent: step 1 of News from the bakery'])
  })

  it('is in doubt in the end where no answer is heard at all', async () => {
    await using service = await startMailService()
    await using room = await openNewsroom(service.options)
    const { id } = await lost(service, room)
    for (let hours = 0; hours < 12; hours += 1) await room.pass(hour)
    expect(outside(service)).toEqual(['ann@site.example'])
    expect((await room.showMailing(id)).mails).toEqual({ sent: 0, failed: 0, unknown: 1 })
  })

  it('refuses a second mailing in place of a cancelled one of which a mail may have gone out', async () => {
    await using service = await startMailService()
    await using room = await openNewsroom(service.options)
    const { activityId, id } = await lost(service, room)
    await room.change(id, 'cancel')
    expect(await refusal(room.mail(activityId))).toMatchObject({ code: 'CONFLICT' })
    await room.pass(10 * minute)
    expect(outside(service)).toEqual(['ann@site.example'])
  })
})

describe('dm.campaigns.send by a mail service', () => {
  it('does not send a letter again once the service has forgotten it', async () => {
    await using service = await startMailService()
    await using desk = await openOutreachDesk(service.options)
    service.clock = desk.clock
    service.loses = isOutside
    await desk.approved(letter('ann@site.example'))
    await desk.send()
    await desk.rests()
    await desk.setCampaign('paused')
    for (let hours = 0; hours < 25; hours += 5) await desk.pass(5 * hour)
    service.loses = () => false
    await desk.setCampaign('active')
    for (let minutes = 0; minutes < 30; minutes += 10) await desk.pass(10 * minute)
    expect(outside(service)).toEqual(['ann@site.example'])
    expect(await desk.became()).toEqual({ 'ann@site.example': 'unknown' })
  })
})
